"""Changing versions: what is said of them, aliases, links, deletion."""

from collections import defaultdict
from typing import Any

from access.actor import Actor
from access.engine import can
from artifacts.access import ArtifactAction
from artifacts.models import Collection, Membership, Version
from artifacts.names import version_number
from artifacts.registries.selectors import link_target
from artifacts.selectors import get_collection, missing_artifact, with_versions
from artifacts.versions.aliases import add_aliases, delete_aliases
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version, unlink_version
from artifacts.versions.services import Changes, update_version
from common.errors import Invalid
from common.formats.lenient_json import read_lenient
from ingest.services import team_for
from runs.projects.services import ensure_project
from wandb_api.artifacts.nodes import membership_node
from wandb_api.graphql.bindings import mutation, root
from wandb_api.graphql.context import Info
from wandb_api.resolvers.artifacts.rows import (
    collection_with_id,
    project_named,
    shown_node,
    tag_names,
    ttl_given,
    version_of_client,
    version_with_id,
)

Node = dict[str, Any]


@root(mutation, "updateArtifact", ArtifactAction.UPDATE)
def resolve_update_artifact(_: Any, info: Info, input: Node) -> Node:
    """Change what is said about a version; aliases where an SDK has no other way for them."""
    actor = info.context.actor
    version = version_with_id(actor, input["artifactID"])
    changes = Changes(
        description=input.get("description"),
        metadata=input.get("metadata"),
        tags_to_add=tag_names(input.get("tagsToAdd")),
        tags_to_remove=tag_names(input.get("tagsToDelete")),
        has_ttl=input.get("ttlDurationSeconds") is not None,
        ttl_s=ttl_given(input.get("ttlDurationSeconds")),
    )
    if can(actor, ArtifactAction.UPDATE, version) or not _is_unchanged(version, changes):
        update_version(actor=actor, version=version, changes=changes)
    if input.get("aliases") is not None:
        _set_aliases(actor, version, input["aliases"])
    return {"artifact": shown_node(info.context.actor, version)}


def _is_unchanged(version: Version, changes: Changes) -> bool:
    """Whether a version is so already: SDKs send all of it with each alias, also of one that is only linked."""
    given = changes.metadata
    return (
        changes.description in {None, version.description}
        and not changes.tags_to_add
        and not changes.tags_to_remove
        and (not changes.has_ttl or changes.ttl_s == version.ttl_s)
        and (given is None or read_lenient(given) == read_lenient(version.metadata_text or "{}"))
    )


def _set_aliases(actor: Actor, version: Version, given: list[Node]) -> None:
    """Let a version have exactly the named aliases, in the collections that are named, or in its own."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for alias in given:
        if version_number(alias["alias"]) is None:
            wanted[alias["artifactCollectionName"]].append(alias["alias"])
    places = Membership.objects.filter(version=version, collection__project=version.collection.project_id)
    for place in places.select_related("collection__project__team", "version").prefetch_related("aliases"):
        if place.collection_id != version.collection_id and place.collection.name not in wanted:
            continue
        names = wanted[place.collection.name]
        gone = [alias.name for alias in place.aliases.all() if alias.name not in names]
        if gone:
            delete_aliases(actor=actor, membership=place, names=gone)
        if names:
            add_aliases(actor=actor, membership=place, names=names)


def _places(info: Info, input: Node) -> list[tuple[Membership, list[str]]]:
    """Return the places of a version that aliases of an input are about, each with those aliases."""
    version = version_with_id(info.context.actor, input["artifactID"])
    named: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for alias in input["aliases"]:
        key = (alias["entityName"], alias["projectName"], alias["artifactCollectionName"])
        named[key].append(alias["alias"])
    found = []
    for (entity, project, name), aliases in named.items():
        place_in = project_named(info, {"entityName": entity, "projectName": project})
        collection = get_collection(info.context.actor, place_in, name)
        rows = Membership.objects.filter(collection=collection, version=version)
        place = rows.select_related("collection__project__team", "version").first()
        if place is None:
            raise missing_artifact(f"{entity}/{project}/{name} with this version")
        found.append((place, aliases))
    return found


@root(mutation, "addAliases", ArtifactAction.SET_ALIAS)
def resolve_add_aliases(_: Any, info: Info, input: Node) -> Node:
    """Give aliases to a version."""
    for place, names in _places(info, input):
        add_aliases(actor=info.context.actor, membership=place, names=names)
    return {"success": True}


@root(mutation, "deleteAliases", ArtifactAction.DELETE_ALIAS)
def resolve_delete_aliases(_: Any, info: Info, input: Node) -> Node:
    """Take aliases from a version."""
    for place, names in _places(info, input):
        delete_aliases(actor=info.context.actor, membership=place, names=names)
    return {"success": True}


@root(mutation, "deleteArtifact", ArtifactAction.DELETE)
def resolve_delete_artifact(_: Any, info: Info, input: Node) -> Node:
    """Delete a version; refused while it has aliases, unless they are to go with it."""
    actor = info.context.actor
    version = version_with_id(actor, input["artifactID"])
    node = shown_node(info.context.actor, version)
    delete_version(actor=actor, version=version, with_aliases=bool(input.get("deleteAliases")))
    return {"artifact": {**node, "state": "DELETED"}}


def _linked(info: Info, input: Node) -> Version:
    actor = info.context.actor
    if input.get("artifactID"):
        return version_with_id(actor, input["artifactID"])
    found = version_of_client(actor, input["clientID"]) if input.get("clientID") else None
    if found is None:
        raise Invalid("Name the version to link by `artifactID` or `clientID`.")
    return found


def _target(info: Info, input: Node) -> tuple[Any, str]:
    """Return project, or registry, and name of the portfolio that is linked into."""
    if input.get("artifactPortfolioID"):
        collection: Collection = collection_with_id(info.context.actor, input["artifactPortfolioID"])
        return collection.project, collection.name
    if not input.get("artifactPortfolioName") or not input.get("projectName"):
        raise Invalid("Name the collection to link to by `artifactPortfolioID`, or by its project and name.")
    actor, name = info.context.actor, input["artifactPortfolioName"]
    entity = input.get("entityName") or team_for(actor, None).name
    registry = link_target(actor, entity, input["projectName"])
    if registry is not None:
        return registry, name
    return ensure_project(actor=actor, team=team_for(actor, entity), name=input["projectName"]), name


@root(mutation, "linkArtifact", ArtifactAction.CREATE)
def resolve_link_artifact(_: Any, info: Info, input: Node) -> Node:
    """Link a version into a portfolio."""
    version, (project, name) = _linked(info, input), _target(info, input)
    aliases = [alias["alias"] for alias in input.get("aliases") or []]
    place = link_version(
        actor=info.context.actor, version=version, project=project, name=name, aliases=aliases
    )
    shown_place = with_versions(Membership.objects.filter(pk=place.pk)).get()
    return {"versionIndex": place.index, "artifactMembership": membership_node(shown_place)}


@root(mutation, "unlinkArtifact", ArtifactAction.DELETE)
def resolve_unlink_artifact(_: Any, info: Info, input: Node) -> Node:
    """Take a version out of a portfolio."""
    actor = info.context.actor
    collection = collection_with_id(actor, input["artifactPortfolioID"])
    unlink_version(actor=actor, version=version_with_id(actor, input["artifactID"]), collection=collection)
    return {"success": True, "artifactID": input["artifactID"]}
