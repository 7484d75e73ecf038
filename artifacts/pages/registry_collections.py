"""The collections of a registry, as its page lists them."""

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery

from access.actor import Actor
from artifacts.models import Collection, Membership, Registry
from artifacts.selectors import collections_of


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
        tagged = Q(
            pk__in=Collection.tags.through.objects.filter(tag__name__icontains=word).values("collection")
        )
        rows = rows.filter(Q(name__icontains=word) | Q(description__icontains=word) | tagged)
    return (
        rows.annotate(last_linked_at=Subquery(last))
        .prefetch_related("tags")
        .order_by("-last_linked_at", "-pk")
    )
