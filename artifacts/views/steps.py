"""Acts on any number of versions in steps: a page's script sends the form again, and shows how much is left.

Each step is a request and a transaction, so that none takes long. Without the script one request does all the steps.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime

UNDO = "artifacts_deleted"
"""In the session: what was deleted or unlinked just now, which the next page offers to bring back."""
_LINKS = "artifacts_unlinked"
"""In the session: when links were removed, and what brings them back."""
_LONGEST = timedelta(hours=1)
"""How long the steps of a deletion may take together."""


def sent_time(request: HttpRequest) -> datetime | None:
    """Return the time ``at`` that a form sends, by which what was deleted together is known."""
    try:
        at = parse_datetime(request.POST.get("at", ""))
    except ValueError:
        return None
    return None if at is None or timezone.is_naive(at) else at


def begun_at(request: HttpRequest) -> datetime:
    """Return when a deletion began: a later step sends the time of the first."""
    at, now = sent_time(request), timezone.now()
    return at if at is not None and now - _LONGEST < at <= now else now


def do_steps(request: HttpRequest, step: Callable[[], int]) -> int:
    """Do one step for the script, or all without it; returns how many versions are left."""
    left = step()
    while left and not _is_stepwise(request):
        left = step()
    return left


def reply_to(request: HttpRequest, page: str, *, at: datetime | None = None, left: int = 0) -> HttpResponse:
    """Tell the script how many versions are left and which page comes afterwards; lead others to the page."""
    if not _is_stepwise(request):
        return redirect(page)
    return JsonResponse({"left": left, "at": at.isoformat() if at else "", "page": page})


def _is_stepwise(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def offer_undo(
    request: HttpRequest, at: datetime, count: int, links: list[dict[str, Any]] | None = None
) -> None:
    """Let the next page offer to bring back what was deleted, or unlinked; the steps of an act add up."""
    known = request.session.get(UNDO, {})
    if known.get("at") != at.isoformat():
        known = {"at": at.isoformat(), "count": 0, "links": []}
    known["count"] += count
    known["links"] += links or []
    request.session[UNDO] = known


def undo_offered(request: HttpRequest) -> dict[str, Any] | None:
    """Return what can be undone, once: ``at`` and ``count``; links are kept for the form that does it."""
    known: dict[str, Any] | None = request.session.pop(UNDO, None)
    if known is not None and known["links"]:
        request.session[_LINKS] = [known["at"], known["links"]]
    return known


def links_of_undo(request: HttpRequest, at: datetime) -> list[dict[str, Any]]:
    """Return the links that were removed at a time and are not there again."""
    known_at, links = request.session.get(_LINKS, ["", []])
    return links if known_at == at.isoformat() else []


def keep_links(request: HttpRequest, at: datetime, links: list[dict[str, Any]]) -> int:
    """Keep the links that a further step brings back; returns how many."""
    request.session[_LINKS] = [at.isoformat(), links]
    return len(links)
