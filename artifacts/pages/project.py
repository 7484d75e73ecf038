"""The list of a project's collections, by type."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from access.actor import Actor
from artifacts.models import Collection, Membership, Version
from artifacts.selectors import collections_of, types_of, with_versions
from runs.models import Project

OF_THE_SDK = frozenset({"run_table", "wandb-history", "wandb-events", "code", "job"})
"""Types that the SDK creates by itself: they are listed apart, closed."""


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A type in the list of types."""

    name: str
    count: int
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection, and its newest version."""

    collection: Collection
    latest: Membership | None


def type_rows(actor: Actor, project: Project, chosen: str) -> tuple[list[TypeRow], list[TypeRow]]:
    """Return the types of a project: those of its people, and those that the SDK creates by itself."""
    rows: list[Any] = list(types_of(actor, project))
    found = [TypeRow(row.name, row.collection_count, row.name == chosen) for row in rows]
    return [row for row in found if row.name not in OF_THE_SDK], [
        row for row in found if row.name in OF_THE_SDK
    ]


def collections_listed(
    actor: Actor, project: Project, *, type_name: str, search: str
) -> QuerySet[Collection]:
    """Return the collections of a type, or all but those of the SDK, whose name has the text; last changed first."""
    rows = collections_of(actor, project)
    rows = rows.filter(type__name=type_name) if type_name else rows.exclude(type__name__in=OF_THE_SDK)
    if search:
        rows = rows.filter(name__icontains=search)
    return rows.prefetch_related("tags").order_by("-updated_at", "-pk")


def with_latest(collections: list[Collection]) -> list[CollectionRow]:
    """Return the collections with their newest versions, in a fixed number of queries."""
    live = Version.objects.live()
    newest = Membership.objects.filter(collection=OuterRef("collection"), version__in=live).order_by("-index")
    places = Membership.objects.filter(
        collection__in=[row.pk for row in collections], pk=Subquery(newest.values("pk")[:1])
    )
    found = {place.collection_id: place for place in with_versions(places)}
    return [CollectionRow(row, found.get(row.pk)) for row in collections]
