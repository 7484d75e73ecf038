"""``POST /files/{entity}/{project}/{run}/file_stream``: the SDK's stream of lines, as a lean ASGI endpoint.

A 4xx here ends the client's streaming for good, so it is kept for what lasts: a wrong key, a run that is not there or
was deleted, a missing permission, a body that is not JSON or over the limit. Everything else is 200 once it is
committed, or 503 with nothing kept.
"""

import asyncio
import json
import logging
import re
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import orjson
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.db.models import Q

from access.actor import Actor
from access.credentials import actor_of_header
from access.engine import require, visible
from access.routes import declare
from common import live
from common.errors import DomainError, Gone, Invalid, NotFound, TooLarge
from common.telemetry.definitions import ABORTED, INGEST_BYTES, INGEST_POSTS, STORED, database_failed
from metrics import ingest
from metrics.codec import read_lines
from metrics.writing import Lines
from runs.access import RunAction
from runs.models import Run
from runs.projection import check_nesting, clean_text, flat_summary, has_only_numbers, read_lenient
from runs.services.posts import RunPost
from wandb_api.rights import Names, rights

logger = logging.getLogger(__name__)

PATH = re.compile(r"/files/([^/]+)/([^/]+)/([^/]+)/file_stream")
_INLINE_BYTES = 128 * 1024
"""Bodies up to this size are decoded on the event loop (about half a millisecond), larger ones in a thread."""
_STEPS_END = 2**63

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_notifier = live.Notifier()


def _ask(authorization: str, address: str, paths: Iterable[Names]) -> dict[Names, int]:
    """Return the keys of those runs to which the caller may log.

    Raises:
        Unauthenticated: as its message says.
    """
    close_old_connections()
    try:
        return _allowed(actor_of_header(authorization, address), paths)
    finally:
        close_old_connections()


def _allowed(actor: Actor, paths: Iterable[Names]) -> dict[Names, int]:
    uids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entity, project, uid in paths:
        uids[clean_text(entity), clean_text(project)].append(clean_text(uid))
    wanted = Q(pk__in=())
    for (entity, project), some in uids.items():
        wanted |= Q(project__team__name=entity, project__name=project, uid__in=some)
    rows = visible(actor, RunAction.LOG, Run.objects.filter(wanted, deleted_at=None))
    found = rows.values_list("project__team__name", "project__name", "uid", "pk")
    return {(entity, project, uid): pk for entity, project, uid, pk in found}


def _run_for(authorization: str, address: str, path: Names) -> int:
    """Return the run's key if the caller may log to it; deleted runs are found, so that their end is told.

    Raises:
        Unauthenticated, NotFound, Forbidden, Gone: as their messages say.
    """
    close_old_connections()
    try:
        actor = actor_of_header(authorization, address)
        entity, project, uid = map(clean_text, path)
        run = (
            Run.objects.select_related("project__team")
            .filter(project__team__name=entity, project__name=project, uid=uid)
            .first()
        )
        unknown = NotFound(f"There is no run {entity}/{project}/{uid}, or you may not see it.")
        if run is None:
            raise unknown
        try:
            require(actor, RunAction.LOG, run)
        except NotFound:
            raise unknown from None  # word for word as for a run that is not there
        if run.deleted_at is not None:
            raise Gone(f"The run {uid!r} was deleted; nothing more is stored for it.")
        return run.pk
    finally:
        close_old_connections()


async def _authorized(scope: dict[str, Any], headers: dict[bytes, bytes], names: Names) -> int:
    authorization = headers.get(b"authorization", b"").decode("latin-1")
    known = rights.get(authorization, names)
    if known is None:
        known = await rights.turn(authorization, names)
    if known is not None:
        return known
    address = (scope.get("client") or ("",))[0]
    generation = rights.generation
    with rights.asking(authorization, names) as runs:
        found = await asyncio.to_thread(_ask, authorization, address, runs)
        rights.remember(authorization, found, generation=generation)
    if names in found:
        return found[names]
    return await asyncio.to_thread(_run_for, authorization, address, names)  # says why not


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body; None when the client went away in the middle.

    Raises:
        TooLarge: over settings.FILE_STREAM_MAX_BYTES.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if size > settings.FILE_STREAM_MAX_BYTES:
            raise _too_large()
        parts.append(part)
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large() -> TooLarge:
    limit = settings.FILE_STREAM_MAX_BYTES
    return TooLarge(
        f"A post may have at most {limit} bytes (setting RUNYARD_FILE_STREAM_MAX_MIB); send it in parts."
    )


def _gunzip(body: bytes) -> bytes:
    """Raises Invalid for broken gzip and TooLarge for a bomb."""
    decoder = zlib.decompressobj(wbits=31)
    try:
        plain = decoder.decompress(body, settings.FILE_STREAM_MAX_BYTES + 1)
    except zlib.error as error:
        raise Invalid(f"The body is not gzip: {error}.") from None
    if len(plain) > settings.FILE_STREAM_MAX_BYTES:
        raise _too_large()
    if not decoder.eof:
        raise Invalid("The gzip body is cut off.")
    return plain


def _content(files: dict[str, Any], name: str) -> tuple[int, list[str]] | None:
    file = files.get(name)
    if not isinstance(file, dict) or not isinstance(file.get("content"), list) or not file["content"]:
        return None
    offset = file.get("offset", 0)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in file["content"]]
    return (offset if isinstance(offset, int) and offset >= 0 else 0), lines


def _lines_of(files: dict[str, Any], name: str, run: RunPost) -> Lines | None:
    """Decode a file of JSON lines; a bad one becomes an empty row, so that offsets hold, and is set aside."""
    found = _content(files, name)
    if found is None:
        return None
    offset, lines = found
    rows, bad = read_lines(lines)
    kind = "history" if "history" in name else "system"
    if bad:
        reasons = dict(bad)
        run.bad_lines += [(kind, text, reason) for text, reason in bad]
        good = iter(rows)
        rows = [{} if line in reasons else next(good) for line in lines]
    _set_aside(kind, lines, rows, run)
    return Lines.of(offset, rows)


def _set_aside(kind: str, lines: list[str], rows: list[dict[str, Any]], run: RunPost) -> None:
    """Empty the rows that can be read but not written."""
    for number, row in enumerate(rows):
        reason = _why_not_written(row)
        if reason:
            run.bad_lines.append((kind, lines[number], reason))
            rows[number] = {}


def _why_not_written(row: dict[str, Any]) -> str:
    """Say what is wrong with a row: nested too deeply, or with a step beyond counting; nothing for most."""
    step = row.get("_step")
    if isinstance(step, int | float) and abs(step) >= _STEPS_END:
        return "its _step is beyond 64 bits"
    if not has_only_numbers(row):
        try:
            check_nesting(row)
        except ValueError as error:
            return str(error)
    return ""


def _read_summary(files: dict[str, Any], run: RunPost) -> None:
    found = _content(files, "wandb-summary.json")
    if found is None:
        return
    text = found[1][-1]
    try:
        flat = flat_summary(text)
    except ValueError as error:
        run.bad_lines.append(("summary", text, f"not JSON: {error}"))
        return
    run.summary_text, run.summary_flat = clean_text(text), orjson.dumps(flat).decode()


def _exit_code(given: Any) -> int:
    """Return an exit code that every column and GraphQL's Int hold; one beyond (Windows has such) is a failure."""
    if not isinstance(given, int) or isinstance(given, bool):
        return 0
    return given if -(2**31) <= given < 2**31 else 1


def read_post(body: bytes, run_id: int, writer: str) -> ingest.Post:
    """Decode a body.

    Raises:
        Invalid: it is not a JSON object.
    """
    try:
        data = read_lenient(body)
    except ValueError as error:
        raise Invalid(f"The body is not JSON: {error}.") from None
    if not isinstance(data, dict):
        raise Invalid("The body must be a JSON object.")
    given = data.get("files")
    files: dict[str, Any] = given if isinstance(given, dict) else {}
    run = RunPost(run_id=run_id, preempting=data.get("preempting") is True)
    if data.get("complete") is True:
        run.exit_code = _exit_code(data.get("exitcode"))
    post = ingest.Post(run_id=run_id, writer=writer, run=run)
    post.history = _lines_of(files, "wandb-history.jsonl", run)
    post.system = _lines_of(files, "wandb-events.jsonl", run)
    _read_summary(files, run)
    log = _content(files, "output.log")
    if log is not None:
        post.log_offset, post.log_lines = log
    return post


async def _answer(
    send: Send, status: int, body: dict[str, Any], headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    INGEST_POSTS.labels(STORED if status == 200 else str(status)).inc()
    content = orjson.dumps(body)
    sent = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        *(headers or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": content})


async def _take(scope: dict[str, Any], receive: Receive, names: Names) -> ingest.Ack | None:
    headers = dict(scope["headers"])
    run_id = await _authorized(scope, headers, names)
    body = await _body(receive)
    if body is None:
        INGEST_POSTS.labels(ABORTED).inc()
        return None
    INGEST_BYTES.inc(len(body))
    if headers.get(b"content-encoding", b"").lower() == b"gzip":
        body = await asyncio.to_thread(_gunzip, body)
    writer = headers.get(b"x-wandb-async-client-id", b"").decode("latin-1")[:64]
    if len(body) > _INLINE_BYTES:
        post = await asyncio.to_thread(read_post, body, run_id, writer)
    else:
        post = read_post(body, run_id, writer)
    return await ingest.committer().store(post)


@declare(RunAction.LOG)
async def file_stream(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Take one post and answer once it is committed; open pages are told afterwards."""
    match = PATH.fullmatch(scope["path"])
    if match is None:
        await _answer(
            send, 404, _error("not_found", "Runs are at /files/{entity}/{project}/{run}/file_stream.")
        )
        return
    if scope["method"] != "POST":
        await _answer(
            send, 405, _error("method_not_allowed", "Only POST is answered here."), [(b"allow", b"POST")]
        )
        return
    names = (match[1], match[2], match[3])  # the server has decoded the path already
    try:
        ack = await _take(scope, receive, names)
    except DomainError as error:
        if isinstance(error, Gone):
            rights.forget()
        challenge = [(b"www-authenticate", b'Basic realm="Runyard"')] if error.status == 401 else []
        await _answer(send, error.status, _error(error.code, error.message), challenge)
        return
    except DatabaseError as error:
        database_failed("ingest", error)
        logger.exception("file_stream of %s/%s/%s: the database failed", *names)
        await _answer(send, 503, _error("unavailable", "The database did not answer; send the post again."))
        return
    if ack is not None:
        await _answer(send, 200, {"stopped": ack.stopped, "exitcode": None, "limits": {}})
        _notifier.notify(live.run_group(ack.run_id), {"type": "rows", "run": ack.run_id, **ack.grown})


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "detail": None}, "errors": [{"message": message}]}
