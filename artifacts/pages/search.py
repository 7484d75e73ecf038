"""What artifacts add to the search: collections of projects that the actor may see."""

from collections.abc import Iterator

from django.db.models import Q

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import Collection
from artifacts.pages.addresses import collection_page
from common.search import Hit


def find_collections(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield collections by words of their name, last changed first; none for no text."""
    words = text.replace("/", " ").split()
    if not words:
        return
    named = Q()
    for word in words:
        named &= Q(name__icontains=word) | Q(type__name__iexact=word)
    rows = Collection.objects.live().filter(named).select_related("type", "project__team")
    for row in visible(actor, ArtifactAction.VIEW, rows).order_by("-updated_at", "-pk")[:limit]:
        detail = " / ".join([row.project.team.name, row.project.name, row.type.name])
        yield Hit(row.name, collection_page(row), detail=detail)
