"""The collections of a registry, as its page lists them."""

from dataclasses import dataclass

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery

from access.actor import Actor
from artifacts.models import LATEST, Alias, Collection, CollectionTag, Membership, Registry
from artifacts.pages.project import with_latest
from artifacts.selectors import collections_of


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection of a registry, its newest version, and the aliases of all of its versions but ``latest``."""

    collection: Collection
    latest: Membership | None
    aliases: list[Alias]


def rows_of(collections: list[Collection]) -> list[CollectionRow]:
    """Return what the list shows of collections, in a fixed number of queries."""
    aliases: dict[int, list[Alias]] = {}
    found = Alias.objects.filter(
        collection__in=[row.pk for row in collections], membership__version__deleted_at__isnull=True
    )
    for alias in found.exclude(name=LATEST).select_related("membership").order_by("name"):
        aliases.setdefault(alias.collection_id, []).append(alias)
    return [
        CollectionRow(row.collection, row.latest, aliases.get(row.collection.pk, []))
        for row in with_latest(collections)
    ]


def collections_linked(
    actor: Actor, registry: Registry, *, type_name: str = "", text: str = ""
) -> QuerySet[Collection]:
    """Return a registry's collections with ``last_linked_at``, last linked first.

    Args:
        actor: Who looks.
        registry: Whose collections they are.
        type_name: Narrows to collections of a type.
        text: Words, each in the name, the description or a tag of a collection.
    """
    links = Membership.objects.filter(collection=OuterRef("pk"), version__deleted_at__isnull=True).order_by()
    last = links.values("collection").annotate(at=Max("created_at")).values("at")
    rows = collections_of(actor, registry.project)
    if type_name:
        rows = rows.filter(type__name=type_name)
    for word in text.split():
        tags = CollectionTag.objects.filter(name__icontains=word).values("collection")
        rows = rows.filter(Q(name__icontains=word) | Q(description__icontains=word) | Q(pk__in=tags))
    return (
        rows.annotate(last_linked_at=Subquery(last))
        .prefetch_related("tags")
        .order_by("-last_linked_at", "-pk")
    )
