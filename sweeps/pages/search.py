"""What sweeps add to the search."""

from collections.abc import Iterator

from django.db.models import Q

from access.actor import Actor
from access.engine import visible
from common.search import Hit
from sweeps.access import SweepAction
from sweeps.models import Sweep
from sweeps.names import sweep_page


def find_sweeps(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield sweeps by words of their name and their project's, or by their ID, newest first; none for no text."""
    words = text.replace("/", " ").split()
    if not words:
        return
    named = Q()
    for word in words:
        named &= Q(display_name__icontains=word) | Q(project__name__iexact=word) | Q(uid=word)
    rows = Sweep.objects.live().filter(named).select_related("project__team")
    for row in visible(actor, SweepAction.VIEW, rows).order_by("-created_at", "-pk")[:limit]:
        detail = " / ".join([row.project.team.name, row.project.name, row.state_label])
        yield Hit(str(row), sweep_page(row), detail=detail)
