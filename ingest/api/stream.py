"""``POST /api/v1/runs/{entity}/{project}/{uid}/stream``: what flows of a run over REST (AGT-8).

A lean ASGI endpoint, as the SDK's. Unlike the SDK, these writers number their lines for their whole life, so nothing
has to be guessed: lines that are stored already are left out, missing ones are requested
(`metrics.ingest.placement.place_numbered`).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from access.routes import declare
from common.errors import DomainError, Invalid
from common.formats.lenient_json import check_nesting, decode
from ingest.endpoint.handler import Headers, Send, StreamProtocol, serve
from ingest.endpoint.request_body import Receive
from ingest.endpoint.validation import exit_code_of, rejection_reason
from metrics.ingest.post import BadRow, NumberedPost, Post, PostedRows
from metrics.ingest.transaction import Ack
from metrics.models import StreamKind
from runs.access import RunAction
from runs.config.flatten import summary_of
from runs.config.width import excess_of
from runs.ingest.bad_lines import MAX_TEXT
from runs.ingest.posts import RunPost

ADDRESS = "/api/v1/runs/{entity}/{project_name}/{uid}/stream"
_OFFSETS_END = 2**53
_WRITER = re.compile(r"[0-9a-f]{16}")
_NOT_ATTACHED = ("history", "log", "config", "summary", "preempting", "finish")


@dataclass(frozen=True, slots=True)
class _StreamPart:
    """Lines of one kind."""

    offset: int
    items: list[Any]
    lost_before: bool


def check_writer(given: Any) -> str:
    """Return what a writer calls itself.

    Raises:
        Invalid: it is something else.
    """
    if not isinstance(given, str) or not _WRITER.fullmatch(given):
        raise Invalid("`writer` must be 16 characters of 0-9 a-f: a random number that all its lines share.")
    return given


def _flag(data: dict[str, Any], name: str, of: str = "") -> bool:
    value = data.get(name)
    if not isinstance(value, bool | None):
        raise Invalid(f"`{of}{name}` must be true or false.")
    return bool(value)


def _object(data: dict[str, Any], name: str) -> dict[str, Any] | None:
    value = data.get(name)
    if value is not None and not isinstance(value, dict):
        raise Invalid(f"`{name}` must be an object.")
    return value


def _bounded(data: dict[str, Any], name: str) -> dict[str, Any] | None:
    value = _object(data, name)
    try:
        check_nesting(value)
    except ValueError as error:
        raise Invalid(f"`{name}` is {error}.") from None
    reason = excess_of(value) if value else ""
    if reason:
        raise Invalid(f"`{name}` has {reason}.")
    return value


def _part(data: dict[str, Any], name: str, content: str) -> _StreamPart | None:
    given = _object(data, name)
    if given is None:
        return None
    offset, items = given.get("offset"), given.get(content)
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset < _OFFSETS_END:
        raise Invalid(f"`{name}.offset` must be a whole number of at least 0.")
    if not isinstance(items, list):
        raise Invalid(f"`{name}.{content}` must be a list.")
    return _StreamPart(offset, items, _flag(given, "lost_before", of=f"{name}."))


def _text_of(row: Any) -> str:
    try:
        return json.dumps(row)[:MAX_TEXT]
    except RecursionError:
        return ""


def _lines(kind: StreamKind, part: _StreamPart | None, numbered: NumberedPost) -> PostedRows | None:
    """Make columns of rows; a bad one becomes an empty row, so that numbers hold, and is set aside."""
    if part is None:
        return None
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(part.items, part.offset):
        is_row = isinstance(row, dict)
        reason = (
            rejection_reason(row) or excess_of(row)
            if is_row
            else f"not a JSON object but {type(row).__name__}"
        )
        if reason:
            numbered.bad.append(BadRow(kind, number, _text_of(row), reason))
        rows.append({} if reason else row)
    return PostedRows.of(part.offset, rows)


def _texts(part: _StreamPart) -> list[str]:
    if not all(isinstance(line, str) for line in part.items):
        raise Invalid("`log.lines` must be a list of strings.")
    return part.items


def _read_summary(data: dict[str, Any], run: RunPost) -> None:
    summary = _bounded(data, "summary")
    if summary is not None:
        run.summary_text, run.summary_flat = summary_of(json.dumps(summary))


def _read_end(data: dict[str, Any], run: RunPost) -> None:
    finish = _object(data, "finish")
    if finish is not None:
        code = finish.get("exit_code")
        if not isinstance(code, int) or isinstance(code, bool):
            raise Invalid("`finish.exit_code` must be a whole number.")
        run.exit_code = exit_code_of(code)
        run.ended_at = _time(finish, "ended_at")


def _time(data: dict[str, Any], name: str) -> datetime | None:
    text = data.get(name)
    if text is None:
        return None
    try:
        at = parse_datetime(text)
    except (TypeError, ValueError):
        at = None
    if at is None or at.tzinfo is None:
        raise Invalid(f"`finish.{name}` must be a time with its zone, such as 2026-11-22T10:00:00Z.")
    return at


def _read_parts(data: dict[str, Any], post: Post, numbered: NumberedPost) -> None:
    parts = {
        StreamKind.HISTORY: _part(data, "history", "rows"),
        StreamKind.SYSTEM: _part(data, "system", "rows"),
        StreamKind.LOG: _part(data, "log", "lines"),
    }
    numbered.lost = {kind for kind, part in parts.items() if part is not None and part.lost_before}
    post.history = _lines(StreamKind.HISTORY, parts[StreamKind.HISTORY], numbered)
    post.system = _lines(StreamKind.SYSTEM, parts[StreamKind.SYSTEM], numbered)
    log = parts[StreamKind.LOG]
    if log is not None:
        post.log_offset, post.log_lines = log.offset, _texts(log)


def _check_attached(data: dict[str, Any]) -> None:
    brought: Sequence[str] = [name for name in _NOT_ATTACHED if data.get(name) not in (None, False)]
    if brought:
        raise Invalid(f"Attached senders can only send `system`, not {', '.join(brought)}.")


def read_post(body: bytes, run_id: int) -> Post:
    """Decode a body.

    Raises:
        Invalid: it is not as described.
    """
    try:
        data = decode(body)
    except ValueError as error:
        raise Invalid(f"The body is not JSON: {error}.") from None
    if not isinstance(data, dict):
        raise Invalid("The body must be a JSON object.")
    run = RunPost(
        run_id=run_id, preempting=_flag(data, "preempting"), is_attached=_flag(data, "attached"),
        config=_bounded(data, "config"),
    )  # fmt: skip
    if run.is_attached:
        _check_attached(data)
    numbered = NumberedPost()
    post = Post(run_id=run_id, writer=check_writer(data.get("writer")), run=run, numbered=numbered)
    _read_parts(data, post, numbered)
    _read_summary(data, run)
    _read_end(data, run)
    return post


def _read(body: bytes, run_id: int, headers: Headers) -> Post:
    return read_post(body, run_id)


def _answer(ack: Ack) -> dict[str, Any]:
    return {"offsets": ack.offsets, "state": ack.state, "stop_requested": ack.stopped}


def _refusal(error: DomainError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message, "detail": error.detail}}


PATH = re.compile(r"/api/v1/runs/([^/]+)/([^/]+)/([^/]+)/stream/?")
_PROTOCOL = StreamProtocol(path=PATH, address=ADDRESS, read=_read, answer=_answer, refusal=_refusal)


@declare(RunAction.LOG)
async def stream(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Take one post."""
    await serve(_PROTOCOL, scope, receive, send)
