"""The run page's Charts and System tabs, and the data they draw."""

from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web import actor_of
from common.errors import Invalid
from metrics import selectors, store, workspace
from metrics.models import Kind
from runs.access import RunAction
from runs.models import Run
from runs.pages import run_context
from runs.selectors import get_run

_KINDS = {"history": Kind.HISTORY, "system": Kind.SYSTEM}


def _run(request: HttpRequest, entity: str, project: str, uid: str) -> Run:
    return get_run(actor_of(request), entity, project, uid)


def _page(request: HttpRequest, names: tuple[str, str, str], tab: str) -> HttpResponse:
    run = _run(request, *names)
    is_system = tab == "run_system"
    context = run_context(actor_of(request), run, tab=tab)
    context |= {
        "urls": workspace.urls_of(run.project),
        "kinds": "system" if is_system else "history",
        "system": is_system,
    }
    return render(request, "metrics/run_workspace.html", context)


@declare(RunAction.VIEW)
@require_GET
def run_workspace(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Show a live chart per logged key."""
    return _page(request, (entity, project, uid), "run_workspace")


@declare(RunAction.VIEW)
@require_GET
def run_system(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Show a live chart per hardware metric."""
    return _page(request, (entity, project, uid), "run_system")


def _json(body: dict[str, Any]) -> HttpResponse:
    return HttpResponse(orjson.dumps(body), content_type="application/json")


def _kind(request: HttpRequest) -> Kind:
    name = request.GET.get("kind", "history")
    if name not in _KINDS:
        raise Invalid(f"kind is history or system, not {name!r}.")
    return _KINDS[name]


def _number(request: HttpRequest, name: str, default: int, most: int) -> int:
    text = request.GET.get(name, str(default))
    if not text.isdigit() or int(text) > most:
        raise Invalid(f"{name} is a whole number from 0 to {most}, not {text[:40]!r}.")
    return int(text)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def series(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Return buckets of some keys, or the exact points of rows from ``since_row`` on."""
    run = _run(request, entity, project, uid)
    kind = _kind(request)
    keys = list(dict.fromkeys(request.GET.getlist("keys")))
    if len(keys) > selectors.MAX_KEYS:
        raise Invalid(f"At most {selectors.MAX_KEYS} keys in one request; this one names {len(keys)}.")
    row_from = _number(request, "since_row", 0, 2**62)
    buckets = max(1, _number(request, "buckets", 600, selectors.MAX_BUCKETS))
    next_row = store.cursor(run.pk, kind)  # before the points: a row in between is sent again, never missed
    found = selectors.series(
        run.pk, kind, keys, x=request.GET.get("x", ""), buckets=buckets, row_from=row_from
    )
    return _json({"next_row": next_row, "series": found})


@declare(RunAction.VIEW)
@require_GET
@never_cache
def keys(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Return which keys were logged, with type, count, last, min and max."""
    run = _run(request, entity, project, uid)
    kind = _kind(request)
    return _json({"next_row": store.cursor(run.pk, kind), "keys": selectors.described(run.pk, kind)})
