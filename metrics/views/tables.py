"""Pages of tables that runs logged (RUN-26, RUN-42)."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from common.budgets.budget import current
from common.errors import Invalid
from common.web.responses import as_json
from common.web.streaming import file_answer
from metrics.media import selectors as media
from metrics.media import tables
from metrics.views.media import step_of
from metrics.views.workspace import WorkspaceRequest
from runs.access import ProjectAction, RunAction
from runs.models import Run
from runs.views.run import run_of


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def project_tables(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return a page of the tables under a ``key`` of repeated ``run``, which follow each other.

    They are the newest ones, or those at a ``step``. All steps that there are come with the page only for
    ``with_steps``: they are read of each run's history once more.
    """
    runs = _runs_of(request, entity, project)
    page = tables.page_of_tables(_read(request, runs), request.GET.dict())
    if request.GET.get("with_steps"):
        page["steps"] = media.steps_of([run.pk for run in runs], request.GET.get("key", ""))
    return as_json(page)


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def project_tables_csv(request: HttpRequest, entity: str, project: str) -> StreamingHttpResponse:
    """Return all rows of these tables in which the text ``find`` is, and which meet the conditions ``where``."""
    current().begin_long_answer()
    file = tables.csv_of_tables(_read(request, _runs_of(request, entity, project)), request.GET.dict())
    return file_answer(file, content_type="text/csv; charset=utf-8", name="table.csv")


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_table(request: HttpRequest, **names: str) -> HttpResponse:
    """Return a page of the table under a ``key`` at a ``step``; ``file`` says which where there are several."""
    return as_json(tables.page_of_tables(_read(request, [run_of(request, names)]), request.GET.dict()))


def _runs_of(request: HttpRequest, entity: str, project: str) -> list[Run]:
    chosen = WorkspaceRequest.of(request, entity, project)
    if len(chosen.runs) > tables.MAX_RUNS:
        raise Invalid(f"At most {tables.MAX_RUNS} runs in one request; this one names {len(chosen.runs)}.")
    for run in chosen.runs:
        run.project = chosen.project
    return chosen.runs


def _read(request: HttpRequest, runs: Sequence[Run]) -> list[tables.LoggedTable]:
    asked = request.GET
    step = step_of(request) if "step" in asked else tables.LATEST
    return tables.read_tables(actor_of(request), runs, asked.get("key", ""), step, asked.get("file", ""))
