"""What histogram panels over several runs draw (RUN-26)."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from common.budgets.heavy_work import heavy_work
from common.errors import Invalid
from metrics.media import histograms
from metrics.views.media import step_of
from metrics.views.workspace import WorkspaceRequest, json_answer
from runs.access import ProjectAction


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
@heavy_work()
def overlay(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return the histograms of a ``key`` of some runs at a ``step``, or the newest."""
    chosen = WorkspaceRequest.of(request, entity, project)
    if len(chosen.runs) > histograms.MAX_RUNS:
        raise Invalid(
            f"At most {histograms.MAX_RUNS} runs in one request; this one names {len(chosen.runs)}."
        )
    step = step_of(request) if "step" in request.GET else None
    return json_answer(request, histograms.overlay_of(chosen.uid_of, request.GET.get("key", ""), step))
