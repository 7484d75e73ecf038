"""Reading artifacts: by id, by name, in lists."""

from functools import partial
from typing import Any

from access.engine import can, visible
from artifacts.access import ArtifactAction, shown_metadata
from artifacts.lineage.selectors import run_that_logged, runs_using
from artifacts.models import LATEST, ArtifactType, Collection, CollectionKind, Membership, Version
from artifacts.selectors import (
    collections_of,
    find_membership,
    get_membership,
    inputs_of,
    memberships_of,
    outputs_of,
    types_of,
    with_versions,
)
from artifacts.versions.time_to_live import team_ttls
from common.errors import NotFound
from wandb_api.artifacts.filters import filter_collections, filter_versions
from wandb_api.artifacts.nodes import (
    alias_node,
    collection_node,
    tag_nodes,
    ttl_of,
    type_node,
)
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.bindings import (
    artifact_kind_type,
    artifact_type,
    portfolio_type,
    project_type,
    query,
    root,
    run_type,
    sequence_type,
)
from wandb_api.graphql.context import Info
from wandb_api.graphql.nodes import project_node, run_node, user_node
from wandb_api.graphql.pagination import page_of
from wandb_api.registries.nodes import types_by_registry
from wandb_api.resolvers.artifacts.rows import (
    collection_with_id,
    place_node,
    shown_node,
    version_at,
    version_with_id,
)

_MAX_PAGE = 1000

Node = dict[str, Any]


@root(query, "artifact", ArtifactAction.VIEW)
def resolve_artifact(_: Any, info: Info, id: str) -> Node:
    """Return a version by its id."""
    return shown_node(info.context.actor, version_with_id(info.context.actor, id))


@root(query, "artifactCollection", ArtifactAction.VIEW)
def resolve_artifact_collection(_: Any, info: Info, id: str) -> Node:
    """Return a collection by its id."""
    return collection_node(collection_with_id(info.context.actor, id))


def _place(info: Info, project: Node, name: str) -> Membership | None:
    """Return what a name means in a project; ``entity/project/name:alias`` means the last part, as SDKs say it."""
    try:
        return get_membership(info.context.actor, project["row"], name.rpartition("/")[2])
    except NotFound:
        return None


@project_type.field("artifact")
def resolve_project_artifact(
    project: Node, info: Info, *, name: str, enableTracking: bool | None = None
) -> Node | None:
    """Return the version that a name means; null for none."""
    place = _place(info, project, name)
    return None if place is None else version_at(info.context.actor, place)


@project_type.field("artifactCollectionMembership")
def resolve_project_membership(project: Node, info: Info, name: str) -> Node | None:
    """Return the place that a name means; null for none."""
    place = _place(info, project, name)
    return None if place is None else place_node(info.context.actor, place)


def _collection(info: Info, project: Any, name: str, **fields: Any) -> Node | None:
    rows = collections_of(info.context.actor, project).filter(name=name, **fields)
    found = rows.first()
    return None if found is None else collection_node(found)


@project_type.field("artifactCollection")
def resolve_project_collection(project: Node, info: Info, name: str) -> Node | None:
    """Return a collection; null for none."""
    return _collection(info, project["row"], name)


def _collections(info: Info, rows: Any, given: dict[str, Any]) -> Node:
    rows = filter_collections(rows, given.get("filters"), given.get("order"))
    page = page_of(rows, collection_node, after=given.get("after"), first=given.get("first"), most=_MAX_PAGE)
    return {**page, "totalCount": rows.count()}


@project_type.field("artifactCollections")
def resolve_project_collections(project: Node, info: Info, **given: Any) -> Node:
    """Return a page of a project's collections."""
    return _collections(info, collections_of(info.context.actor, project["row"]), given)


@project_type.field("artifactType")
def resolve_project_type(project: Node, info: Info, name: str) -> Node | None:
    """Return a type; null for none."""
    row = project["row"]
    if not can(info.context.actor, ArtifactAction.VIEW, row):
        return None
    found = ArtifactType.objects.filter(project=row, name=name).first()
    return None if found is None else type_node(found, row)


@project_type.field("artifactTypes")
def resolve_project_types(
    project: Node,
    info: Info,
    *,
    includeAll: bool | None = None,
    after: str | None = None,
    first: int | None = None,
) -> Node:
    """Return a page of a project's types: those with collections, or all; of a registry at once, as SDKs want them."""
    actor, row = info.context.actor, project["row"]
    if includeAll and row.is_registry and first is None and after is None:
        found = project["siblings"].ask(types_by_registry, actor).get(row.pk, [])
        edges = [{"node": node, "cursor": str(n)} for n, node in enumerate(found, 1)]
        end = edges[-1]["cursor"] if edges else None
        return {"edges": edges, "pageInfo": {"endCursor": end, "hasNextPage": False}}
    rows = types_of(actor, row)
    if includeAll and can(actor, ArtifactAction.VIEW, row):
        rows = ArtifactType.objects.filter(project=row).order_by("name")
    return page_of(rows, lambda kind: type_node(kind, row), after=after, first=first, most=_MAX_PAGE)


@artifact_kind_type.field("artifactCollections")
def resolve_type_collections(kind: Node, info: Info, **given: Any) -> Node:
    """Return a page of the collections of a type."""
    return _collections(info, _of_type(kind, info), given)


@artifact_kind_type.field("artifactSequences")
def resolve_type_sequences(kind: Node, info: Info, **given: Any) -> Node:
    """Return a page of the sequences of a type."""
    return _collections(info, _of_type(kind, info).filter(kind=CollectionKind.SEQUENCE), given)


def _of_type(kind: Node, info: Info) -> Any:
    return collections_of(info.context.actor, kind["project_row"]).filter(type=kind["row"])


@artifact_kind_type.field("artifactCollection")
def resolve_type_collection(kind: Node, info: Info, name: str) -> Node | None:
    """Return a collection of a type; null for none."""
    return _collection(info, kind["project_row"], name, type=kind["row"])


@artifact_kind_type.field("artifactSequence")
def resolve_type_sequence(kind: Node, info: Info, name: str) -> Node | None:
    """Return a sequence of a type; null for none, and for a portfolio."""
    return _collection(info, kind["project_row"], name, type=kind["row"], kind=CollectionKind.SEQUENCE)


@artifact_kind_type.field("artifact")
def resolve_type_artifact(kind: Node, info: Info, name: str) -> Node | None:
    """Return the version that a name means, if it is of the type; null otherwise."""
    place = _place(info, {"row": kind["project_row"]}, name)
    is_one = place is not None and place.collection.type_id == kind["row"].pk
    return version_at(info.context.actor, place) if place is not None and is_one else None


def _tags(collection: Node, info: Info) -> Node:
    """Return the tags of a collection."""
    return {"edges": [{"node": tag} for tag in tag_nodes(collection["row"].tags.all())]}


def _aliases(collection: Node, info: Info, after: str | None = None, first: int | None = None) -> Node:
    """Return a page of the aliases of a collection."""
    row: Collection = collection["row"]
    return page_of(
        row.aliases.order_by("pk"),
        lambda alias: alias_node(alias, row),
        after=after,
        first=first,
        most=_MAX_PAGE,
    )


def _artifacts(collection: Node, info: Info, **given: Any) -> Node:
    """Return a page of the versions in a collection, each with its number there."""
    rows = filter_versions(memberships_of(collection["row"]), given.get("filters"), given.get("order"))
    siblings = Siblings()
    page = page_of(
        rows,
        lambda place: {"row": place, "version": version_at(info.context.actor, place, siblings)},
        after=given.get("after"),
        first=given.get("first"),
        most=_MAX_PAGE,
    )
    for edge in page["edges"]:
        node = edge["node"]
        edge["version"], edge["node"] = node["row"].label, node["version"]
    return {**page, "totalCount": rows.count()}


def _membership(collection: Node, info: Info, aliasName: str) -> Node | None:
    """Return the place that an alias or a number names in a collection; null for none."""
    place = find_membership(collection["row"], aliasName)
    return None if place is None else place_node(info.context.actor, place)


for _kind in (sequence_type, portfolio_type):
    _kind.set_field("tags", _tags)
    _kind.set_field("aliases", _aliases)
    _kind.set_field("artifacts", _artifacts)
    _kind.set_field("artifactMembership", _membership)


@sequence_type.field("latestArtifact")
def resolve_latest(collection: Node, info: Info) -> Node | None:
    """Return the latest version, on which SDKs base incremental ones; null for none."""
    place = find_membership(collection["row"], LATEST)
    return None if place is None else version_at(info.context.actor, place)


def _ttl(version: Node) -> tuple[int, bool]:
    row: Version = version["row"]
    if row.ttl_s is not None or row.collection.ttl_s is not None:
        return ttl_of(row, row.collection.ttl_s or 0)
    by_team = version["siblings"].ask(team_ttls)
    return ttl_of(row, by_team.get(row.collection.project.team_id, 0))


@artifact_type.field("ttlDurationSeconds")
def resolve_ttl(version: Node, info: Info) -> int:
    """Return the seconds that a version lives, its own or inherited; below 0 for ever."""
    return _ttl(version)[0]


@artifact_type.field("ttlIsInherited")
def resolve_ttl_is_inherited(version: Node, info: Info) -> bool:
    """Say whether the time to live is the collection's or the team's."""
    return _ttl(version)[1]


@artifact_type.field("metadata")
def resolve_metadata(version: Node, info: Info) -> str:
    """Return the metadata as it was logged, or with secrets masked."""
    return shown_metadata(info.context.actor, version["row"])


@artifact_type.field("createdBy")
def resolve_created_by(version: Node, info: Info) -> Node | None:
    """Return the run that logged a version, or the person who did without a run; null for who may not see it."""
    row: Version = version["row"]
    if row.run_id is not None:
        run = run_that_logged(info.context.actor, row)
        return None if run is None else {**_run(run), "__typename": "Run"}
    user = None if version["is_source_hidden"] else user_node(row.created_by)
    return None if user is None else {**user, "__typename": "User"}


def _run(run: Any) -> Node:
    return {**run_node(run), "project": project_node(run.project)}


@artifact_type.field("usedBy")
def resolve_used_by(version: Node, info: Info, after: str | None = None, first: int | None = None) -> Node:
    """Return the runs that used a version, of those that the viewer may see."""
    runs, _hidden = runs_using(info.context.actor, version["row"])
    edges = [{"node": _run(run), "cursor": str(n)} for n, run in enumerate(runs, 1)]
    return {
        "edges": edges,
        "pageInfo": {"endCursor": edges[-1]["cursor"] if edges else None, "hasNextPage": False},
    }


@artifact_type.field("artifactMemberships")
def resolve_memberships(
    version: Node, info: Info, after: str | None = None, first: int | None = None
) -> Node:
    """Return the places of a version in collections that the viewer may see, its own first."""
    seen = visible(info.context.actor, ArtifactAction.VIEW, Collection.objects.live()).values("pk")
    rows = with_versions(Membership.objects.filter(version=version["row"], collection__in=seen))
    node = partial(place_node, info.context.actor)
    return page_of(rows.order_by("pk"), node, after=after, first=first, most=_MAX_PAGE)


def _listed(info: Info, rows: Any, given: dict[str, Any]) -> Node:
    siblings = Siblings()
    node = partial(version_at, info.context.actor, siblings=siblings)
    page = page_of(rows, node, after=given.get("after"), first=given.get("first"), most=_MAX_PAGE)
    return {**page, "totalCount": rows.count()}


@run_type.field("outputArtifacts")
def resolve_output_artifacts(run: Node, info: Info, **given: Any) -> Node:
    """Return a page of what a run logged, as far as the viewer may see artifacts there."""
    return _listed(info, outputs_of(info.context.actor, run["row"]), given)


@run_type.field("inputArtifacts")
def resolve_input_artifacts(run: Node, info: Info, **given: Any) -> Node:
    """Return a page of what a run used, of what the viewer may see."""
    return _listed(info, inputs_of(info.context.actor, run["row"]), given)
