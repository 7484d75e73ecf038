"""The runs table as CSV and JSON lines (RUN-43): every run that meets the query, every value in full.

Names of columns are the head; without ``columns`` there are all. Numbers are written so that reading gives the same
number, times as ISO 8601 in UTC, tags as JSON. In CSV a text that a spreadsheet would take for a formula (its first
character is one of ``= + - @``, a tab or a carriage return) gets an apostrophe before it; JSON lines are exact, with
NaN and infinities as text.
"""

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from common.formats.csv_safety import csv_text
from common.formats.strict_json import strict_json
from common.web.responses import attachment
from runs.access import ProjectAction
from runs.models import Run
from runs.query.cells import Reader, cell_of
from runs.query.column_names import named_column
from runs.selectors import get_project
from runs.table import TableQuery, matching_runs, visible_catalogue

RUNS_AT_ONCE = 500

Write = Callable[[list[Any]], str]
_AS_THEY_ARE = frozenset({str, int, float, list})
"""What reads back as the same value; the rest is written as pages have it."""


def _csv_value(value: Any) -> Any:
    return value if type(value) in _AS_THEY_ARE else cell_of(value).text


def csv_line(values: list[Any]) -> str:
    return csv_text([map(_csv_value, values)])


def _json_line(names: list[str]) -> Write:
    def write(values: list[Any]) -> str:
        row = {
            name: cell_of(value).text if isinstance(value, datetime) else value
            for name, value in zip(names, values, strict=True)
        }
        return strict_json(row) + "\n"

    return write


def lines_of(ids: list[int], reader: Reader, write: Write) -> str:
    """Return some runs' lines, in the order of the ids."""
    found = {pk: values for pk, _state, values in reader.rows(Run.objects.filter(pk__in=ids))}
    return "".join(write(found[pk]) for pk in ids if pk in found)


async def _stream(head: str, ids: list[int], reader: Reader, write: Write) -> AsyncIterator[str]:
    """Yield the file in pieces, so that a long one never lies in memory whole."""
    yield head
    read = sync_to_async(lines_of)
    for start in range(0, len(ids), RUNS_AT_ONCE):
        yield await read(ids[start : start + RUNS_AT_ONCE], reader, write)


def _export(request: HttpRequest, entity: str, project: str, *, kind: str) -> StreamingHttpResponse:
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    query = TableQuery.of(request.GET)
    ids = list(matching_runs(actor, row, query).values_list("pk", flat=True))
    names = list(query.columns) or [column.name for column in visible_catalogue(actor, row)]
    reader = Reader(map(named_column, names))
    is_csv = kind == "csv"
    head, write = (csv_line(names), csv_line) if is_csv else ("", _json_line(names))
    content_type = "text/csv; charset=utf-8" if is_csv else "application/jsonl"
    response = StreamingHttpResponse(_stream(head, ids, reader, write), content_type=content_type)
    response["Content-Disposition"] = attachment(f"{row.name}-runs.{kind}")
    return response


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def runs_csv(request: HttpRequest, entity: str, project: str) -> StreamingHttpResponse:
    """Stream the runs that meet the table's query as CSV."""
    return _export(request, entity, project, kind="csv")


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def runs_jsonl(request: HttpRequest, entity: str, project: str) -> StreamingHttpResponse:
    """Stream the runs that meet the table's query as JSON lines."""
    return _export(request, entity, project, kind="jsonl")
