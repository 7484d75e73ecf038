"""The Logs tab and its data: windows of lines, search, the whole as a download. Secrets are masked in all of them."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from common.budgets.heavy_work import heavy_work
from common.errors import Invalid
from common.formats.numbers import MOST, int_param
from common.web.responses import as_json, attachment
from runs import selectors
from runs.access import ProjectAction, RunAction
from runs.logs.project_search import SearchCursor, search_logs
from runs.logs.search import MOST_HITS, Needle, search
from runs.logs.windows import MAX_LINES, read_window, whole_log
from runs.models import Run
from runs.run_page.context import run_context
from runs.secrets.reveal import is_revealed
from runs.table.query import TableQuery
from runs.views.run import run_of


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_logs(request: HttpRequest, **names: str) -> HttpResponse:
    """Show the console log (RUN-41)."""
    run = run_of(request, names)
    args = [names["entity"], names["project"], names["uid"]]
    context = {
        **run_context(actor_of(request), run, tab="logs"),
        "lines_url": reverse("runs:run_log_lines", args=args),
        "search_url": reverse("runs:run_log_search", args=args),
        "download_url": reverse("runs:run_log_download", args=args),
        "writers_url": reverse("metrics:log_writers", args=args),
        "revealed": is_revealed(request, run),
    }
    return render(request, "runs/logs/page.html", context)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_log_lines(request: HttpRequest, **names: str) -> HttpResponse:
    """Return lines from ``start`` on, at most ``limit`` (1000; at most 5000); missing ones are left out."""
    run = run_of(request, names)
    start, total = int_param(request.GET, "start", 0, MOST), run.pulse.log_lines
    stop = min(total, start + min(int_param(request.GET, "limit", 1000, MOST), MAX_LINES))
    found, masked = read_window(run.pk, start, stop, revealed=is_revealed(request, run))
    lines = [{"n": number, "at": line.at, "level": line.level, "text": line.text} for number, line in found]
    return as_json({"total": total, "lines": lines, "masked": masked})


@declare(RunAction.VIEW)
@require_GET
@never_cache
@heavy_work()
def run_log_search(request: HttpRequest, **names: str) -> HttpResponse:
    """Return the numbers of lines that have ``text`` (``regex=1``, ``exact=1``, ``raw=1``), from ``start`` on.

    A request reads for about a second: ``scanned_to`` below ``total`` says that there is more.
    """
    run = run_of(request, names)
    flags = {name: request.GET.get(name) == "1" for name in ("regex", "exact", "raw")}
    needle = Needle(request.GET.get("text", ""), flags["regex"], flags["exact"], flags["raw"])
    total = run.pulse.log_lines
    start = min(total, int_param(request.GET, "start", 0, MOST))
    if not needle.text:
        return as_json({"total": total, "scanned_to": total, "lines": [], "most": MOST_HITS})
    found, scanned_to = search(run.pk, needle, start, total, revealed=is_revealed(request, run))
    return as_json({"total": total, "scanned_to": scanned_to, "lines": found, "most": MOST_HITS})


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def project_logs(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Search the logs of a project's runs: the page, or with ``after`` what the next second finds."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    flags = {name: request.GET.get(name) == "1" for name in ("regex", "exact")}
    context: dict[str, Any] = {
        "project": row, "team": row.team, "text": request.GET.get("text", ""), "is_partial": "after" in request.GET,
        "filter": request.GET.get("filter", ""), **flags,
    }  # fmt: skip
    if context["text"]:
        try:
            needle = Needle(context["text"], flags["regex"], flags["exact"])
            after = SearchCursor.of(request.GET.get("after", ""))
            with heavy_work():
                context["page"] = search_logs(actor, row, needle, TableQuery.of(request.GET), after)
        except Invalid as error:
            context["error"] = error.message
    if context["is_partial"]:
        return render(request, "runs/logs/project_hits.html", context)
    return render(
        request, "runs/logs/project_search.html", context, status=422 if "error" in context else 200
    )


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_log_download(request: HttpRequest, **names: str) -> StreamingHttpResponse:
    """Stream the whole log as text."""
    run = run_of(request, names)
    return log_file(run, revealed=is_revealed(request, run))


def log_file(run: Run, *, revealed: bool) -> StreamingHttpResponse:
    """Answer with the whole log as text."""
    pieces = whole_log(run.pk, run.pulse.log_lines, revealed=revealed)
    response = StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = attachment(f"{run.uid}.log")
    return response
