"""How a run ended, and who wrote its log."""

from dataclasses import asdict

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from metrics.diagnostics.crash import diagnose
from metrics.diagnostics.log_writers import writers_of
from metrics.diagnostics.lost_lines import lost_lines
from runs.access import RunAction
from runs.secrets.reveal import is_revealed
from runs.views.run import run_of


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_crash(request: HttpRequest, **names: str) -> HttpResponse:
    """Return what is known of a bad end, and of lines that were never received."""
    run = run_of(request, names)
    context = {
        "run": run,
        "diagnosis": diagnose(run, revealed=is_revealed(request, run)),
        "lost": lost_lines(run),
    }
    return render(request, "metrics/crash_card.html", context)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def log_writers(request: HttpRequest, **names: str) -> HttpResponse:
    """Return which process wrote which lines of the console log, where several did."""
    writers = writers_of(run_of(request, names))
    body = orjson.dumps({"writers": [asdict(writer) for writer in writers]})
    return HttpResponse(body, content_type="application/json")
