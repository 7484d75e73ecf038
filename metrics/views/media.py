"""The Media tab and what it reads (RUN-42)."""

from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.framing import name_ancestors
from access.web.requests import actor_of
from common.budgets.budget import LONG_BYTES, current
from common.budgets.heavy_work import heavy_work
from common.errors import Invalid, NotFound, TooLarge
from common.formats.numbers import parse_int
from common.web.origins import page_origin
from common.web.responses import as_json
from metrics.media import histograms
from metrics.media import selectors as media
from metrics.media.pages import framed_page
from metrics.models import StreamKind
from metrics.store import reads
from metrics.views.workspace import viewers_url
from metrics.workspace.logged_charts import charts_in, tables_of
from runs.access import RunAction
from runs.config.flatten import sdk_part
from runs.run_page.context import run_context
from runs.selectors import files_of
from runs.views.run import run_of
from storage import owners
from storage.contents.reading import content_of

MAX_KEYS = 60
MAX_FRAME_BYTES = 32 * 1024 * 1024
NOTHING_OF_OURS = (
    "sandbox allow-scripts; default-src 'none'; img-src data: blob:; media-src data: blob:; font-src data:; "
)
"""Headers of a page that somebody logged: it runs in an origin of its own, and reaches no network at all."""


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_media(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what was logged besides numbers."""
    run = run_of(request, names)
    args = [names["entity"], names["project"], names["uid"]]
    names_of = ("keys", "values", "heat", "table")
    urls = {f"media_{name}": reverse(f"metrics:media_{name}", args=args) for name in names_of}
    context = {**run_context(actor_of(request), run, tab="media"), **urls, "media_viewers": viewers_url()}
    context["media_frame"] = reverse("metrics:media_frame", args=[*args, "x"]).removesuffix("x")
    return render(request, "metrics/run_media.html", context)


def _class_labels(sdk: dict[str, Any]) -> dict[str, Any]:
    """Return the names of masks' classes that the SDK put into the config, by key and mask."""
    labels: dict[str, Any] = {}
    for key, value in sdk.items():
        if isinstance(value, dict) and key in {"mask/class_labels", "bounding_box/class_labels"}:
            labels.update(value)
    return labels


@declare(RunAction.VIEW)
@never_cache
@require_GET
def media_keys(request: HttpRequest, **names: str) -> HttpResponse:
    """Return the keys, their kinds and steps; not tables that only carry the rows of charts."""
    run = run_of(request, names)
    sdk = sdk_part(run.config_text)
    tables = tables_of(charts_in(sdk))
    cursor = reads.cursor(run.pk, StreamKind.HISTORY)
    keys = [
        {"key": found.key, "kinds": found.kinds, "steps": found.steps, "count": found.count}
        for found in media.media_keys(run.pk)
        if found.key not in tables
    ]
    return as_json({"next_row": cursor, "keys": keys, "class_labels": _class_labels(sdk)})


def step_of(request: HttpRequest) -> int:
    """Return the step in the query.

    Raises:
        Invalid: it is no whole number.
    """
    text = request.GET.get("step", "0")
    number = parse_int(text.removeprefix("-"))  # a run may log steps below zero
    if number is None:
        raise Invalid(f"step must be a whole number, not {text[:40]!r}.")
    return -number if text.startswith("-") else number


@declare(RunAction.VIEW)
@never_cache
@require_GET
def media_values(request: HttpRequest, **names: str) -> HttpResponse:
    """Return the values of repeated ``keys`` at a ``step`` (the last at or before it), and links to their files."""
    run = run_of(request, names)
    keys = list(dict.fromkeys(request.GET.getlist("keys")))[:MAX_KEYS]
    found = media.media_at(run.pk, keys, step_of(request))
    paths = {path for entry in found.values() for path in media.paths_in(orjson.loads(entry[3]))}
    values = {
        key: {"row": row, "step": step, "kind": kind, "value": orjson.Fragment(text)}
        for key, (row, step, kind, text) in found.items()
    }
    return as_json({"values": values, "files": media.links_of(run, paths)})


@declare(RunAction.VIEW)
@never_cache
@require_GET
@heavy_work()
def media_heat(request: HttpRequest, **names: str) -> HttpResponse:
    """Return the histograms of a ``key`` over time."""
    return as_json(histograms.heat_of(run_of(request, names).pk, request.GET.get("key", "")))


@declare(RunAction.VIEW)
@never_cache
@require_GET
def media_frame(request: HttpRequest, path: str, **names: str) -> HttpResponse:
    """Return a logged page for a frame in which it can harm nobody; secrets are masked as in every text."""
    run = run_of(request, names)
    file = files_of(run).filter(name=path).first()
    if file is None:
        raise NotFound(f"The run has no file “{path[:200]}”.")
    if file.size_bytes > MAX_FRAME_BYTES:
        raise TooLarge(f"A page is shown up to {MAX_FRAME_BYTES} bytes; this one has {file.size_bytes}.")
    if file.size_bytes > LONG_BYTES:
        current().begin_long_answer()
    stored = content_of(file.blob)
    try:
        pieces = owners.masked_pieces(stored, path)
        content = stored.read_bytes() if pieces is None else b"".join(pieces)
    except FileNotFoundError:
        raise NotFound(_("The content of this file was deleted.")) from None
    reply = HttpResponse(framed_page(content, request.GET.get("scheme", "")))
    allowed = "script-src 'unsafe-inline' 'unsafe-eval' data: blob:; style-src 'unsafe-inline' data:"
    name_ancestors(reply, f"{NOTHING_OF_OURS}{allowed}")
    if not _is_for_frame(request):
        reply["Content-Disposition"] = "attachment"
    return reply


def _is_for_frame(request: HttpRequest) -> bool:
    """Say whether the answer goes into a frame of ours.

    Opened as a page of its own, a logged page could lead on to any site by script, which no policy forbids. Browsers
    say what they ask for over HTTPS and to localhost; over plain HTTP a page of ours must have asked.
    """
    target = request.headers.get("Sec-Fetch-Dest")
    if target is None:
        return request.headers.get("Referer", "").startswith(page_origin(request) + "/")
    return target == "iframe"
