"""How GraphQL requests are executed: within a budget, and leaves without arguments by a short way.

A page of 50 runs has 700 fields, nearly all of them such leaves. graphql-core takes 25 us for each: it looks the field
up, reads its arguments, and asks of the type's kind and whether something is to be awaited, which here nothing is.
"""

from dataclasses import dataclass
from typing import Any

from graphql import GraphQLField, GraphQLLeafType, GraphQLObjectType, is_leaf_type, is_non_null_type
from graphql.execution import Executor

from common.formats.strict_json import size_of


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A field of a document whose value is a scalar or an enum, and which takes no argument."""

    name: str
    field: GraphQLField
    type: GraphQLLeafType
    nodes: list[Any]


def _leaf_of(field: GraphQLField | None, nodes: list[Any]) -> _Leaf | None:
    """Return a field as a leaf; None where it is none."""
    if field is None or field.args or nodes[0].arguments:
        return None
    inner = field.type.of_type if is_non_null_type(field.type) else field.type
    return _Leaf(nodes[0].name.value, field, inner, nodes) if is_leaf_type(inner) else None


def _require_nullable(leaf: _Leaf, parent_type: GraphQLObjectType) -> None:
    if is_non_null_type(leaf.field.type):
        raise TypeError(f"Cannot return null for non-nullable field {parent_type}.{leaf.name}.")


class MeteredExecutor(Executor[Any]):
    """Counts what it executes in the context's budget."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._leaves: dict[tuple[str, int], _Leaf | None] = {}

    def execute_field(
        self, parent_type: GraphQLObjectType, source: Any, details: Any, path: Any, position: Any
    ) -> Any:
        """Count the field, then execute it."""
        self.context_value.budget.count_field()
        node = details[0].node
        key = parent_type.name, id(node)  # the document outlives the execution
        if key not in self._leaves:
            field = self.schema.get_field(parent_type, node.name.value)
            self._leaves[key] = _leaf_of(field, [detail.node for detail in details])
        leaf = self._leaves[key]
        if leaf is None or self.middleware_manager or type(source) is not dict:
            return super().execute_field(parent_type, source, details, path, position)
        try:
            value = self._resolved(leaf, parent_type, source, path)
            if value is not None:
                return self.complete_leaf_value(leaf.type, value)
            _require_nullable(leaf, parent_type)
        except Exception as error:  # noqa: BLE001 - as graphql-core: of one field, and of what requires it
            self.handle_field_error(error, leaf.field.type, details, path)
        return None

    def _resolved(
        self, leaf: _Leaf, parent_type: GraphQLObjectType, source: dict[str, Any], path: Any
    ) -> Any:
        """Return a leaf's value, as its resolver or the row's node gives it."""
        resolve = leaf.field.resolve
        if resolve is None:
            return source.get(leaf.name)
        return resolve(source, self.build_resolve_info(leaf.field, leaf.nodes, parent_type, path))

    def complete_leaf_value(self, return_type: Any, result: Any) -> Any:  # type: ignore[override]  # static there
        """Count what the answer grows by."""
        value = Executor.complete_leaf_value(return_type, result)
        if isinstance(value, (str, dict, list)):
            self.context_value.budget.count_answered(size_of(value))
        return value
