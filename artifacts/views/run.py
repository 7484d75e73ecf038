"""The Artifacts tab of a run: what it used and what it logged."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from artifacts.lineage.graph import lineage_of_run
from artifacts.pages.lineage import connections_of, graph_document
from artifacts.pages.logged_files import find_logged_files
from artifacts.selectors import inputs_of, outputs_of
from runs.access import RunAction
from runs.run_page.context import run_context
from runs.selectors import get_run

_MOST = 500
_STEPS = 2
"""From the run to what it used and logged, and on to the runs that logged or used that."""


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_artifacts(request: HttpRequest, *, entity: str, project: str, uid: str) -> HttpResponse:
    """Show what a run used and logged, as far as the viewer may see artifacts, as lists and as a graph."""
    actor = actor_of(request)
    run = get_run(actor, entity, project, uid)
    graph = lineage_of_run(actor, run, _STEPS)
    document = graph_document(graph)
    context = {
        **run_context(actor, run, tab="artifacts"),
        "inputs": list(inputs_of(actor, run)[:_MOST]),
        "outputs": list(outputs_of(actor, run)[:_MOST]),
        "graph": graph,
        "document": document,
        "rows": connections_of(document),
    }
    return render(request, "artifacts/run/page.html", context)


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_file(request: HttpRequest, *, entity: str, project: str, uid: str) -> HttpResponse:
    """Lead to the preview of the file that a value names by ``reference``; to the tab where there is none to see."""
    actor = actor_of(request)
    run = get_run(actor, entity, project, uid)
    reference = request.GET.get("reference", "")
    found = find_logged_files(actor, run.project, [reference]).get(reference)
    return redirect(found.page) if found else redirect("artifacts:run_artifacts", entity, project, uid)
