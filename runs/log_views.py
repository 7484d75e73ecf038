"""The console log's data: lines for the viewer, the whole as a download."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import orjson
from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web import actor_of
from common.errors import Invalid
from runs.access import RunAction
from runs.console import read_line
from runs.selectors import get_run, log_lines_between

MAX_LINES = 5000
_MISSING = "[lines not received]"


def _number(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name, str(default))
    if not text.isdigit():
        raise Invalid(f"{name} is a whole number, not {text[:40]!r}.")
    return int(text)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_log_lines(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Return lines from ``start`` on, at most ``limit`` (1000; at most 5000); missing ones are left out."""
    run = get_run(actor_of(request), entity, project, uid)
    start, total = _number(request, "start", 0), run.pulse.log_lines
    stop = min(total, start + min(_number(request, "limit", 1000), MAX_LINES))
    lines = []
    for number, raw in enumerate(log_lines_between(run.pk, start, stop), start):
        if raw is not None:
            line = read_line(raw)
            lines.append({"n": number, "at": line.at, "level": line.level, "text": line.text})
    return HttpResponse(orjson.dumps({"total": total, "lines": lines}), content_type="application/json")


async def _whole_log(run_id: int, total: int) -> AsyncIterator[str]:
    """Yield the log in pieces, so that a long one never lies in memory whole."""
    read = sync_to_async(log_lines_between)
    for start in range(0, total, MAX_LINES):
        raws = await read(run_id, start, min(total, start + MAX_LINES))
        yield "".join(f"{_MISSING if raw is None else read_line(raw).text}\n" for raw in raws)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_log_download(request: HttpRequest, entity: str, project: str, uid: str) -> StreamingHttpResponse:
    """Stream the whole log as text."""
    run = get_run(actor_of(request), entity, project, uid)
    response = StreamingHttpResponse(
        _whole_log(run.pk, run.pulse.log_lines), content_type="text/plain; charset=utf-8"
    )
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(run.uid)}.log"
    return response
