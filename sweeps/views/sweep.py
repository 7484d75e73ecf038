"""The page of one sweep."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.framing import framable, is_framed
from access.web.requests import actor_of
from metrics.views.workspace import urls_of
from runs.selectors import get_project
from sweeps.access import SweepAction
from sweeps.pages.sweep import SweepPage
from sweeps.selectors import get_sweep


@declare(SweepAction.VIEW)
@never_cache
@require_GET
@framable
def sweep(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Show a sweep; with ``part=live`` only what changes while it is under way, for the page's script."""
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    page = SweepPage(actor, get_sweep(actor, row, uid))
    framed = is_framed(request)
    if request.GET.get("part") == "live":
        context = page.live_context() | {"project": row, "team": row.team, "framed": framed}
        return render(request, "sweeps/sweep/live.html", context)
    context = page.context() | {"urls": urls_of(row), "framed": framed}
    return render(request, "sweeps/sweep/frame.html" if framed else "sweeps/sweep/page.html", context)
