"""Reading registries, and what is in those of an organization (protocol 3.6)."""

from contextlib import suppress
from functools import partial
from typing import Any

from django.db.models import QuerySet

from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import Collection, Membership, Registry, Version
from artifacts.registries.selectors import get_registry
from artifacts.selectors import with_versions
from common.errors import NotFound
from runs.selectors import get_project_by_any_name
from wandb_api.artifacts.filters import filter_collections, filter_versions
from wandb_api.artifacts.nodes import collection_node
from wandb_api.graphql.bindings import entity_type, project_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.nodes import project_node
from wandb_api.graphql.pagination import page_at_once, page_of
from wandb_api.registries.filters import filter_registries
from wandb_api.registries.nodes import place_nodes, registry_node
from wandb_api.registries.rows import registries_in

_MAX_PAGE = 1000

Node = dict[str, Any]


@entity_type.field("project")
def resolve_project_of_entity(entity: Node, info: Info, name: str | None = None) -> Node | None:
    """Return a project or registry of an entity; null for none."""
    actor, project = info.context.actor, name or "uncategorized"
    with suppress(NotFound):
        found = get_project_by_any_name(actor, entity["name"], project, registries=True)
        if not found.is_registry:
            return project_node(found)
        return registry_node(get_registry(actor, entity["name"], found.name))
    return None


@project_type.field("allowAllArtifactTypesInRegistry")
def resolve_all_types_allowed(project: Node, _info: Info) -> bool:
    """Say whether versions of all types are linked into a registry."""
    row = project["row"]
    return not row.is_registry or row.registry.all_types_allowed


def _registries(entity: Node, info: Info, filters: str | None) -> QuerySet[Registry]:
    """Return the registries of an entity that are looked into."""
    return filter_registries(registries_in(info.context.actor, entity.get("row")), filters).order_by()


def _collections(entity: Node, info: Info, filters: str | None) -> QuerySet[Collection]:
    registries = _registries(entity, info, filters)
    rows = Collection.objects.live().filter(project__in=registries.values("project_id"))
    return visible(info.context.actor, ArtifactAction.VIEW, rows)


@entity_type.field("artifactCollections")
def resolve_collections(
    entity: Node,
    info: Info,
    *,
    projectFilters: str | None = None,
    filters: str | None = None,
    collectionTypes: list[str] | None = None,
    order: str | None = None,
    after: str | None = None,
    first: int | None = None,
) -> Node:
    """Return a page of the collections in an entity's registries."""
    rows = filter_collections(_collections(entity, info, projectFilters), filters, order)
    if collectionTypes is not None:
        rows = rows.filter(kind__in=[kind.lower() for kind in collectionTypes])
    whole = rows.select_related("type", "project__team").prefetch_related("tags")
    page = page_of(whole, collection_node, after=after, first=first, most=_MAX_PAGE)
    return {**page, "totalCount": rows.count()}


@entity_type.field("artifactMemberships")
def resolve_places(
    entity: Node,
    info: Info,
    *,
    projectFilters: str | None = None,
    collectionFilters: str | None = None,
    filters: str | None = None,
    order: str | None = None,
    after: str | None = None,
    first: int | None = None,
) -> Node:
    """Return a page of the versions in an entity's registries, each at its place there."""
    collections = filter_collections(_collections(entity, info, projectFilters), collectionFilters, None)
    places = Membership.objects.filter(
        collection__in=collections.order_by().values("pk"), version__in=Version.objects.live()
    )
    rows = filter_versions(places, filters, order or "-linked_at", read=info.context.budget.count_read)
    node = partial(place_nodes, info.context.actor)
    return page_at_once(with_versions(rows), node, after=after, first=first, most=_MAX_PAGE)
