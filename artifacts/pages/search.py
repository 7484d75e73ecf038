"""What artifacts add to the search: registries, and collections of projects and registries that the actor may see."""

from collections.abc import Iterator

from django.db.models import Q

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import Collection
from artifacts.pages.addresses import collection_page, registry_page
from artifacts.pages.registries import matching
from artifacts.registries.selectors import registries_seen
from common.search import Hit


def find_collections(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield collections by words of their name, last changed first; none for no text."""
    words = text.replace("/", " ").split()
    if not words:
        return
    named = Q()
    for word in words:
        named &= Q(name__icontains=word) | Q(type__name__iexact=word)
    rows = (
        Collection.objects.live().filter(named).select_related("type", "project__team", "project__registry")
    )
    for row in visible(actor, ArtifactAction.VIEW, rows).order_by("-updated_at", "-pk")[:limit]:
        project = row.project
        where = project.registry.name if project.is_registry else project.name
        detail = " / ".join([project.team.name, where, row.type.name])
        yield Hit(
            row.name, collection_page(row), detail=detail, icon="library" if project.is_registry else ""
        )


def find_registries(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield registries by words of their name, their description and whose they are; none for no text."""
    words = text.replace("/", " ")
    if not words.strip():
        return
    for row in matching(registries_seen(actor), words)[:limit]:
        yield Hit(row.name, registry_page(row), detail=row.project.team.name)
