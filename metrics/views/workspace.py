"""The project's workspace (RUN-26): its page, the run selector beside it, and the data that its panels draw."""

import gzip
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django_htmx.http import HttpResponseClientRefresh

from access.engine import can
from access.routes import declare
from access.web.framing import framable, is_framed
from access.web.requests import actor_of
from common.budgets.budget import current
from common.budgets.heavy_work import heavy_work
from common.errors import Invalid
from common.formats.numbers import int_param, parse_int
from common.web.streaming import in_thread
from metrics.downloads import chart_csv
from metrics.series import charts, selectors
from metrics.series.request_params import kind_of
from metrics.series.smoothing import Smoothing
from metrics.store import reads
from metrics.workspace import logged_keys
from runs.access import ChartAction, ProjectAction
from runs.models import Project, Run
from runs.projects.quickstart import script_for, server_address
from runs.saved_views.pages import views_context, working_url
from runs.saved_views.selectors import Shown, listed_query, shown_view
from runs.selectors import get_project, runs_of
from runs.table import TableQuery
from runs.table.layout import read_state
from runs.table.query import matching_ids, visible_runs
from runs.table.rows import listed_rows

MAX_RUNS = 500
"""Of one request; a chart of more lines tells nothing."""
PAGE = 50
"""Runs of one page of the selector: as many as a tall window shows; the next come as it is scrolled."""
_COMPRESSED_FROM = 1400
"""Bytes; less fits into one packet."""


def json_answer(request: HttpRequest, body: Any) -> HttpResponse:
    """Return JSON, compressed where the browser takes that; arrays of numpy may be in it."""
    content = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    answer = HttpResponse(content_type="application/json")
    patch_vary_headers(answer, ["Accept-Encoding"])
    if len(content) >= _COMPRESSED_FROM and "gzip" in request.headers.get("Accept-Encoding", ""):
        content = gzip.compress(content, 1, mtime=0)
        answer["Content-Encoding"] = "gzip"
    answer.content = content
    answer["Content-Length"] = str(len(content))
    return answer


@dataclass(frozen=True, slots=True)
class WorkspaceRequest:
    """A project and those of the runs named by ``run`` that may be seen, in the order given."""

    project: Project
    runs: list[Run]

    @classmethod
    def of(
        cls, request: HttpRequest, entity: str, project: str, *, whole: bool = False
    ) -> "WorkspaceRequest":
        """Read it from a request; ``whole`` gives the runs with config and summary."""
        actor = actor_of(request)
        row = get_project(actor, entity, project)
        uids = list(dict.fromkeys(request.GET.getlist("run")))
        if len(uids) > MAX_RUNS:
            raise Invalid(f"At most {MAX_RUNS} runs in one request; this one names {len(uids)}.")
        runs = runs_of(actor, row).filter(uid__in=uids)
        if not whole:
            runs = runs.select_related(None).only("pk", "uid", "display_name")
        by_uid = {run.uid: run for run in runs}
        return cls(row, [by_uid[uid] for uid in uids if uid in by_uid])

    @property
    def uid_of(self) -> dict[int, str]:
        """Each run's id in its project."""
        return {run.pk: run.uid for run in self.runs}


def _bound(query: QueryDict, name: str) -> float | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        raise Invalid(f"{name} must be a number on the horizontal axis, not {text[:40]!r}.")
    return value


def _since(query: QueryDict, runs: list[Run]) -> dict[int, int]:
    """Return the row from which each run is wanted; ``since`` is given once per ``run``, in the same order."""
    rows = [parse_int(text) for text in query.getlist("since")]
    uids = query.getlist("run")
    if rows and (len(rows) != len(uids) or None in rows):
        raise Invalid("since must be a row number for each run, in the order of the runs.")
    by_uid = {uid: row for uid, row in zip(uids, rows, strict=bool(rows)) if row is not None}
    return {run.pk: by_uid[run.uid] for run in runs if run.uid in by_uid}


def _chart_request(query: QueryDict, runs: list[Run]) -> charts.ChartRequest:
    keys = list(dict.fromkeys(query.getlist("keys")))
    if len(keys) > selectors.MAX_KEYS:
        raise Invalid(f"At most {selectors.MAX_KEYS} keys in one request; this one names {len(keys)}.")
    return charts.ChartRequest(
        kind=kind_of(query),
        keys=keys,
        x=query.get("x", ""),
        buckets=max(1, int_param(query, "buckets", 300, selectors.MAX_BUCKETS)),
        x_from=_bound(query, "from"),
        x_to=_bound(query, "to"),
        since=_since(query, runs),
        smoothing=Smoothing.of(query.get("smooth", "")),
    )


class _SeriesJson:
    """The body of an answer: x that several keys of a run share is in it once."""

    def __init__(self, *, precise: bool) -> None:
        self.x: list[Any] = []
        self.precise = precise

    def of(self, lines: charts.RunSeries) -> dict[str, dict[str, Any]]:
        known: dict[int, int] = {}
        drawn = {}
        for key, line in lines.by_key.items():
            if id(line.x) not in known:
                known[id(line.x)] = len(self.x)
                self.x.append(charts.json_x(line.x))
            drawn[key] = {
                "x": known[id(line.x)],
                "last": charts.json_numbers(line.last, precise=self.precise),
            }
            if line.low is not None and line.high is not None:
                drawn[key]["min"] = charts.json_numbers(line.low, precise=self.precise)
                drawn[key]["max"] = charts.json_numbers(line.high, precise=self.precise)
            if line.smooth is not None:
                drawn[key]["smooth"] = charts.json_numbers(line.smooth, precise=self.precise)
        return drawn


def series_json(
    chosen: WorkspaceRequest, chart: charts.ChartRequest, *, precise: bool = False
) -> dict[str, Any]:
    """Return the body of an answer: x columns, the next row of each run, and per run and key the line."""
    drawing, next_row, series = _SeriesJson(precise=precise), {}, {}
    for lines in charts.series_of_runs(chosen.uid_of, chart):
        uid = chosen.uid_of[lines.run_id]
        next_row[uid] = lines.next_row
        series[uid] = drawing.of(lines)
    return {"next": next_row, "x": drawing.x, "series": series}


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def series(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return lines of some keys of some runs, in buckets, within a range of x, or the points since some rows."""
    chosen = WorkspaceRequest.of(request, entity, project)
    precise = request.GET.get("precise") == "1"
    return json_answer(
        request, series_json(chosen, _chart_request(request.GET, chosen.runs), precise=precise)
    )


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
@heavy_work()
def series_csv(request: HttpRequest, entity: str, project: str) -> StreamingHttpResponse:
    """Return every point of the lines that `series` would give, as CSV."""
    chosen = WorkspaceRequest.of(request, entity, project)
    current().begin_long_answer()
    chart = _chart_request(request.GET, chosen.runs)
    lines = chart_csv.series_by_name(chosen.uid_of, chart)
    pieces = in_thread(chart_csv.csv_pieces(chart.axis, lines))
    answer = StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="chart.csv"'
    return answer


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def keys(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return what some runs have logged: each key once, with its types and how many of them have it."""
    chosen = WorkspaceRequest.of(request, entity, project)
    kind = kind_of(request.GET)
    next_row = {chosen.uid_of[pk]: row for pk, row in reads.cursors(list(chosen.uid_of), kind).items()}
    return json_answer(request, {"next": next_row} | logged_keys.keys_json(list(chosen.uid_of), kind))


def _part_of(values: dict[str, Any], part: str, columns: list[str]) -> dict[str, Any]:
    if not columns:
        return values
    names = {column.removeprefix(f"{part}.") for column in columns if column.startswith(f"{part}.")}
    return {name: values[name] for name in names if name in values}


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def values(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return config and summary of some runs: all of it, or the ``columns`` named ``config.lr``, ``summary.loss``."""
    chosen = WorkspaceRequest.of(request, entity, project, whole=True)
    columns = request.GET.getlist("columns")
    found = {
        run.uid: {
            "config": _part_of(run.config_flat, "config", columns),
            "summary": _part_of(run.pulse.summary_flat, "summary", columns),
        }
        for run in chosen.runs
    }
    return json_answer(request, {"runs": found})


def _selector_context(request: HttpRequest, project: Project, start: dict[str, Any]) -> dict[str, Any]:
    actor, error, query = actor_of(request), "", TableQuery()
    try:
        query = listed_query(request.GET, start)
        ids = matching_ids(actor, project, query).ids
    except Invalid as refused:
        error, ids = refused.message, []
    offset, total = int_param(request.GET, "offset", 0, 2**31), len(ids)
    pinned = request.GET.getlist("uid")[:MAX_RUNS]
    rows = _pinned_rows(project, pinned, ids) if pinned else listed_rows(ids[offset : offset + PAGE])
    following = offset + PAGE
    return {
        "project": project,
        "team": project.team,
        "runs": rows,
        "total": total,
        "next_offset": following if following < total and not pinned else "",
        "query": query,
        "query_error": error,
    }


def _pinned_rows(project: Project, uids: list[str], ids: Sequence[int]) -> list[Run]:
    """Return those of some runs that are listed, in the order of the list."""
    named = {*Run.objects.filter(project=project, uid__in=uids).values_list("pk", flat=True)}
    return listed_rows([pk for pk in ids if pk in named])


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def selector(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return rows of the run selector: from ``offset`` on, or those of ``uid``."""
    row = get_project(actor_of(request), entity, project)
    start = shown_view(actor_of(request), row, request.GET).spec
    return render(request, "metrics/selector_rows.html", _selector_context(request, row, start))


def viewers_url() -> str:
    """Return where the pages of viewers are, to which a viewer's name is added."""
    return reverse("metrics:viewer_frame", args=["x"]).removesuffix("x")


def urls_of(project: Project) -> dict[str, str]:
    """Return where the scripts of a workspace ask, by what they ask for."""
    args = [project.team.name, project.name]
    parts = ("series", "keys", "values", "histograms", "tables", "columns", "importance", "markdown")
    urls = {part: reverse(f"metrics:project_{part}", args=args) for part in parts}
    return urls | {
        "code": reverse("metrics:project_code_versions", args=args),
        "selector": reverse("metrics:selector", args=args),
        "groups": reverse("metrics:run_groups", args=args),
        "run": reverse("runs:runs", args=args),
        "media": reverse("runs:runs", args=args),
        "charts": f"{reverse('api-chart-list')}/".replace("//", "/"),
        "frame": reverse("metrics:vega_frame"),
        "viewers": viewers_url(),
    }


def view_urls(request: HttpRequest, project: Project, shown: Shown | None = None) -> dict[str, str]:
    """Return where changes are kept; strangers to a public project, and frames, keep theirs in the browser."""
    if is_framed(request) or not request.user.is_authenticated:
        return {"view": ""}
    named = {"view": shown.view.pk, "base": shown.version} if shown and shown.view else {}
    return {"view": working_url(project, **named)}


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
@framable
def workspace(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Show the project's panels beside its runs."""
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    shown = shown_view(actor, row, request.GET)
    start = shown.spec
    context = _selector_context(request, row, start)
    is_empty = not context["total"] and not visible_runs(actor, row).exists()
    if (
        request.headers.get("HX-Request") and not is_empty
    ):  # the page without runs asks whether the first has come
        return HttpResponseClientRefresh()
    framed = is_framed(request)
    can_share = not framed and can(actor, ProjectAction.UPDATE, row)
    context |= {
        "framed": framed,
        "urls": urls_of(row) | view_urls(request, row, shown),
        "views": views_context(row, shown, can_share=can_share),
        "crop": read_state(start.get("runs")).crop,
        "start": {part: start[part] for part in ("panels", "selector", "runs") if part in start},
        "can_save_chart": not framed and can(actor, ChartAction.SAVE, row.team),
        "is_empty": is_empty,
        "script": script_for(entity=row.team.name, project=row.name),
        "base_url": server_address(request),
    }
    return render(request, "metrics/workspace_frame.html" if framed else "metrics/workspace.html", context)
