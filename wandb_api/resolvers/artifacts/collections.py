"""Changing collections and types."""

from typing import Any

from artifacts.access import ArtifactAction
from artifacts.collections.services import (
    CollectionChanges,
    change_type,
    create_type,
    delete_collection,
    update_collection,
)
from artifacts.models import Collection
from artifacts.selectors import get_collection
from common.errors import Invalid
from wandb_api.artifacts.nodes import collection_node, tag_nodes, type_node
from wandb_api.graphql.bindings import mutation, root
from wandb_api.graphql.context import Info
from wandb_api.resolvers.artifacts.rows import collection_with_id, project_named, tag_names

Node = dict[str, Any]


def _with_id(info: Info, text: str, *, is_sequence: bool) -> Collection:
    collection = collection_with_id(info.context.actor, text)
    if collection.is_sequence != is_sequence:
        raise Invalid(f"“{collection.name}” is {'no' if is_sequence else 'a'} sequence.")
    return collection


@root(mutation, "createArtifactType", ArtifactAction.CREATE)
def resolve_create_type(_: Any, info: Info, input: Node) -> Node:
    """Create a type, or return the one that is there."""
    project = project_named(info, input)
    kind = create_type(
        actor=info.context.actor,
        project=project,
        name=input["name"],
        description=input.get("description") or "",
    )
    return {"artifactType": type_node(kind, project)}


def _update(info: Info, collection: Collection, input: Node) -> Node:
    changes = CollectionChanges(name=input.get("name"), description=input.get("description"))
    collection = update_collection(actor=info.context.actor, collection=collection, changes=changes)
    return {"artifactCollection": collection_node(collection)}


@root(mutation, "updateArtifactSequence", ArtifactAction.UPDATE)
def resolve_update_sequence(_: Any, info: Info, input: Node) -> Node:
    """Rename or describe a sequence."""
    return _update(info, _with_id(info, input["artifactSequenceID"], is_sequence=True), input)


@root(mutation, "updateArtifactPortfolio", ArtifactAction.UPDATE)
def resolve_update_portfolio(_: Any, info: Info, input: Node) -> Node:
    """Rename or describe a portfolio."""
    return _update(info, _with_id(info, input["artifactPortfolioID"], is_sequence=False), input)


@root(mutation, "moveArtifactSequence", ArtifactAction.UPDATE)
def resolve_move_sequence(_: Any, info: Info, input: Node) -> Node:
    """Give a sequence another type."""
    collection = _with_id(info, input["artifactSequenceID"], is_sequence=True)
    moved = change_type(
        actor=info.context.actor, collection=collection, type_name=input["destinationArtifactTypeName"]
    )
    return {"artifactCollection": collection_node(moved)}


def _delete(info: Info, collection: Collection) -> Node:
    delete_collection(actor=info.context.actor, collection=collection)
    return {"artifactCollection": {**collection_node(collection), "state": "DELETED"}}


@root(mutation, "deleteArtifactSequence", ArtifactAction.DELETE)
def resolve_delete_sequence(_: Any, info: Info, input: Node) -> Node:
    """Delete a sequence with its versions."""
    return _delete(info, _with_id(info, input["artifactSequenceID"], is_sequence=True))


@root(mutation, "deleteArtifactPortfolio", ArtifactAction.DELETE)
def resolve_delete_portfolio(_: Any, info: Info, input: Node) -> Node:
    """Delete a portfolio with its links."""
    return _delete(info, _with_id(info, input["artifactPortfolioID"], is_sequence=False))


def _tagged(info: Info, input: Node, changes: CollectionChanges) -> Collection:
    collection = get_collection(
        info.context.actor, project_named(info, input), input["artifactCollectionName"]
    )
    return update_collection(actor=info.context.actor, collection=collection, changes=changes)


@root(mutation, "createArtifactCollectionTagAssignments", ArtifactAction.UPDATE)
def resolve_add_tags(_: Any, info: Info, input: Node) -> Node:
    """Give tags to a collection; return all that it has."""
    collection = _tagged(info, input, CollectionChanges(tags_to_add=tag_names(input["tags"])))
    return {"tags": tag_nodes(collection.tags.all()), "success": True}


@root(mutation, "deleteArtifactCollectionTagAssignments", ArtifactAction.UPDATE)
def resolve_remove_tags(_: Any, info: Info, input: Node) -> Node:
    """Take tags from a collection."""
    _tagged(info, input, CollectionChanges(tags_to_remove=tag_names(input["tags"])))
    return {"success": True}
