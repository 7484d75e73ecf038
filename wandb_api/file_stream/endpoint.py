"""``POST /files/{entity}/{project}/{run}/file_stream``: the SDK's stream of lines, as a lean ASGI endpoint."""

import json
import logging
import re
from typing import Any

from access.routes import declare
from common.errors import DomainError, Invalid
from common.formats.lenient_json import read_lenient
from ingest.endpoint.handler import Headers, Send, StreamProtocol, serve
from ingest.endpoint.request_body import Receive
from ingest.endpoint.validation import exit_code_of
from metrics.ingest.post import Post, PostedRows
from metrics.ingest.transaction import Ack
from runs.access import RunAction
from runs.config.flatten import summary_of
from runs.config.width import excess_of_text
from runs.ingest.bad_lines import MAX_TEXT
from runs.ingest.posts import RunPost
from wandb_api.file_stream.agent_header import WRAPPER, recorded_by, wrapper_of
from wandb_api.file_stream.line_decoding import decode_lines

logger = logging.getLogger(__name__)


def _content(files: dict[str, Any], name: str) -> tuple[int, list[str]] | None:
    file = files.get(name)
    if not isinstance(file, dict) or not isinstance(file.get("content"), list) or not file["content"]:
        return None
    offset = file.get("offset", 0)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in file["content"]]
    return (offset if isinstance(offset, int) and offset >= 0 else 0), lines


def _lines_of(files: dict[str, Any], name: str, run: RunPost) -> PostedRows | None:
    """Decode a file of JSON lines; a bad one becomes an empty row, so that offsets hold, and is set aside."""
    found = _content(files, name)
    if found is None:
        return None
    offset, lines = found
    rows, reasons = decode_lines(lines)
    kind = "history" if "history" in name else "system"
    run.bad_lines += [(kind, lines[number][:MAX_TEXT], reasons[number]) for number in sorted(reasons)]
    return PostedRows.of(offset, rows)


def _read_summary(files: dict[str, Any], run: RunPost) -> None:
    found = _content(files, "wandb-summary.json")
    if found is None:
        return
    text = found[1][-1]
    reason = excess_of_text(text)
    if reason:
        run.bad_lines.append(("summary", text[:MAX_TEXT], reason))
        return
    try:
        run.summary_text, run.summary_flat = summary_of(text)
    except ValueError as error:
        run.bad_lines.append(("summary", text, f"not JSON: {error}"))


def read_post(body: bytes, run_id: int, writer: str) -> Post:
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
    # a writer has an id of its own where several share the run
    run = RunPost(run_id=run_id, preempting=data.get("preempting") is True, writer=writer)
    if data.get("complete") is True:
        run.exit_code = exit_code_of(data.get("exitcode"))
    post = Post(run_id=run_id, writer=writer, run=run)
    post.history = _lines_of(files, "wandb-history.jsonl", run)
    post.system = _lines_of(files, "wandb-events.jsonl", run)
    _read_summary(files, run)
    log = _content(files, "output.log")
    if log is not None:
        post.log_offset, post.log_lines = log
    return post


def _with_wrapper(post: Post, headers: Headers) -> Post:
    content = headers.get(WRAPPER.lower().encode(), b"").decode("latin-1")
    post.wrapper, post.recorded = wrapper_of(content), recorded_by(content)
    return post


def _read(body: bytes, run_id: int, headers: Headers) -> Post:
    """Decode a body; one on which our own code fails is set aside, since it would fail each time it came again."""
    writer = headers.get(b"x-wandb-async-client-id", b"").decode("latin-1")[:64]
    try:
        return _with_wrapper(read_post(body, run_id, writer), headers)
    except (DomainError, MemoryError):
        raise
    except Exception as error:
        logger.exception("a post for run %s could not be read", run_id)
        text = body.decode(errors="replace")
        return Post(
            run_id, writer, run=RunPost(run_id, bad_lines=[("post", text, f"not readable: {error!r}")])
        )


def _answer(ack: Ack) -> dict[str, Any]:
    return {"stopped": ack.stopped, "exitcode": None, "limits": {}}


def _refusal(error: DomainError) -> dict[str, Any]:
    content = {"code": error.code, "message": error.message, "detail": error.detail}
    return {"error": content, "errors": [{"message": error.message}]}


PATH = re.compile(r"/files/([^/]+)/([^/]+)/([^/]+)/file_stream")
_PROTOCOL = StreamProtocol(
    path=PATH,
    address="/files/{entity}/{project}/{run}/file_stream",
    read=_read,
    answer=_answer,
    refusal=_refusal,
)


@declare(RunAction.LOG)
async def file_stream(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Take one post."""
    await serve(_PROTOCOL, scope, receive, send)
