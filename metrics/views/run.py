"""The run page's Charts and System tabs, and the data they draw."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.engine import can
from access.routes import declare
from access.web.framing import framable, is_framed
from access.web.requests import actor_of
from common.web.responses import as_json
from metrics.series import selectors
from metrics.series.request_params import kind_of
from metrics.store import reads
from metrics.views import workspace
from runs.access import ChartAction, RunAction
from runs.models import Run
from runs.run_page.context import run_context
from runs.saved_views.selectors import NO_VIEW
from runs.selectors import get_run


def _run(request: HttpRequest, entity: str, project: str, uid: str) -> Run:
    return get_run(actor_of(request), entity, project, uid)


def _page(request: HttpRequest, names: tuple[str, str, str], tab: str) -> HttpResponse:
    run = _run(request, *names)
    is_system = tab == "run_system"
    actor = actor_of(request)
    framed = is_framed(request)
    context = run_context(actor, run, tab=tab, read_only=framed)
    part = "run-system" if is_system else "run-history"
    is_bare = request.GET.get("view") == NO_VIEW
    start = {} if is_bare else context["working"]
    context |= {
        "is_bare": is_bare,
        "part": part,
        "start": {"panels": start[part]} if part in start else {},
        "urls": workspace.urls_of(run.project) | workspace.view_urls(request, run.project),
        "can_save_chart": not framed and can(actor, ChartAction.SAVE, run.project.team),
        "framed": framed,
        "kinds": "system" if is_system else "history",
        "system": is_system,
    }
    return render(request, "metrics/run_frame.html" if framed else "metrics/run_workspace.html", context)


@declare(RunAction.VIEW)
@require_GET
@framable
def run_workspace(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Show a live chart per logged key."""
    return _page(request, (entity, project, uid), "run_workspace")


@declare(RunAction.VIEW)
@require_GET
@framable
def run_system(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Show a live chart per hardware metric."""
    return _page(request, (entity, project, uid), "run_system")


@declare(RunAction.VIEW)
@require_GET
@never_cache
def keys(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Return which keys were logged, with type, count, last, min and max; the rest comes with ``?after=`` `next`."""
    run = _run(request, entity, project, uid)
    kind = kind_of(request.GET)
    found = selectors.keys_json(run.pk, kind, after=request.GET.get("after", ""))
    return as_json({"next_row": reads.cursor(run.pk, kind), **found})
