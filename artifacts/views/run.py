"""The Artifacts tab of a run: what it used and what it logged."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from artifacts.selectors import inputs_of, outputs_of
from runs.access import RunAction
from runs.run_page.context import run_context
from runs.selectors import get_run

_MOST = 500


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_artifacts(request: HttpRequest, *, entity: str, project: str, uid: str) -> HttpResponse:
    """List the versions that a run used and logged, as far as the viewer may see artifacts."""
    actor = actor_of(request)
    run = get_run(actor, entity, project, uid)
    context = {
        **run_context(actor, run, tab="artifacts"),
        "inputs": list(inputs_of(actor, run)[:_MOST]),
        "outputs": list(outputs_of(actor, run)[:_MOST]),
        "most": _MOST,
    }
    return render(request, "artifacts/run/page.html", context)
