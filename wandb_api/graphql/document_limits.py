"""Limits on GraphQL documents, checked once per document: depth and size, fragments followed."""

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    SelectionSetNode,
)

from wandb_api.graphql.limit_values import MAX_DEPTH, MAX_FIELDS


class _Measure:
    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self.fragments = fragments
        self.fields = 0

    def walk(self, selections: SelectionSetNode | None, depth: int) -> None:
        """Count, following fragments where they are used."""
        if selections is None:
            return
        if depth > MAX_DEPTH:
            raise GraphQLError(f"The document is nested deeper than {MAX_DEPTH} levels.")
        for node in selections.selections:
            self.fields += 1  # spreads too: fragments of fragments multiply without naming any field
            if self.fields > MAX_FIELDS:
                raise GraphQLError(f"The document asks for more than {MAX_FIELDS} fields.")
            if isinstance(node, FragmentSpreadNode):
                fragment = self.fragments.get(node.name.value)
                self.walk(fragment.selection_set if fragment else None, depth + 1)
            else:
                self.walk(getattr(node, "selection_set", None), depth + 1)


def check_limits(document: DocumentNode) -> None:
    """Refuse a document that is too deep or too wide.

    Raises:
        GraphQLError: over a limit, which the message states.
    """
    fragments = {
        node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
    }
    for node in document.definitions:
        if not isinstance(node, FragmentDefinitionNode):
            _Measure(fragments).walk(getattr(node, "selection_set", None), 1)
