"""The lean ASGI endpoint of posts of either protocol: who may, how often, stored by the group commit, answered.

A 4xx ends a client's streaming for good, so it is kept for what lasts: a wrong key, a run that is not there or
was deleted, a missing permission, a body that cannot be read or is over the limit. Everything else is 200 once it is
committed, or 429 or 503 with nothing kept.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson
from django.conf import settings
from django.db import DatabaseError

from common import live
from common.errors import DomainError, Gone, NotFound, TooLarge, TooManyRequests, Unavailable
from common.rate_limits import Pace
from common.telemetry.definitions import ABORTED, INGEST_POSTS, STORED, database_failed
from ingest.authorization.checks import authorize
from ingest.authorization.permission_cache import Names, permissions
from ingest.endpoint import refused_posts
from ingest.endpoint.request_body import Receive, open_body
from metrics.ingest import committer
from metrics.ingest.post import Post
from metrics.ingest.transaction import Ack
from runs.names.run_ids import uid_of

logger = logging.getLogger(__name__)

_INLINE_BYTES = 128 * 1024
"""Bodies up to this size are decoded on the event loop (about half a millisecond), larger ones in a thread."""

Headers = dict[bytes, bytes]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_notifier = live.Notifier()
_pace = Pace(saved_s=10.0)


@dataclass(frozen=True, slots=True)
class StreamProtocol:
    """How posts of one protocol look."""

    path: re.Pattern[str]
    """Its groups are entity, project and id of the run."""
    address: str
    """The path as documentation writes it."""
    read: Callable[[bytes, int, Headers], Post]
    """Decode a body to a post of the run."""
    answer: Callable[[Ack], dict[str, Any]]
    refusal: Callable[[DomainError], dict[str, Any]]


class _MethodNotAllowed(DomainError):
    status = 405
    code = "method_not_allowed"
    headers = {"Allow": "POST"}


def _check_pace(run_id: int, names: Names) -> None:
    """Slow a run, or all runs of a project, down that posts far more often than clients do (semantics section 9).

    Counted in this process alone, which costs 2 us a post; asking Redis would be a round trip for each.

    Raises:
        TooManyRequests: clients send the post again, later and later, and lose nothing.
    """
    limits = (
        (run_id, settings.RUN_POST_RATE, "run", "RUNYARD_RUN_POST_RATE"),
        (names[:2], settings.PROJECT_POST_RATE, "project", "RUNYARD_PROJECT_POST_RATE"),
    )
    for key, rate, what, setting in limits:
        wait_s = _pace.wait_s(key, rate)
        if wait_s:
            message = (
                f"More than {rate} posts a second to one {what} (setting {setting}); come back in {wait_s} s."
            )
            raise TooManyRequests(message, wait_s=wait_s, setting=setting)


async def _store(
    protocol: StreamProtocol, names: Names, scope: dict[str, Any], receive: Receive
) -> Ack | None:
    """Store a post; None when the client went away in the middle."""
    headers = dict(scope["headers"])
    run_id = await authorize(scope, headers, names)
    try:
        _check_pace(run_id, names)
        async with open_body(receive, headers) as body:
            if body is None:
                INGEST_POSTS.labels(ABORTED).inc()
                return None
            if len(body) > _INLINE_BYTES:
                post = await asyncio.to_thread(protocol.read, body, run_id, headers)
            else:
                post = protocol.read(body, run_id, headers)
        return await committer.committer().store(post)
    except (TooManyRequests, TooLarge) as error:
        if error.setting:
            refused_posts.buffer.record(run_id, error.setting)
        raise


async def _handle(protocol: StreamProtocol, scope: dict[str, Any], receive: Receive) -> Ack | None:
    """Store a post, or say why not; None when the client went away in the middle.

    Raises:
        DomainError: nothing of it is stored.
    """
    match = protocol.path.fullmatch(scope["path"])
    if match is None:
        raise NotFound(f"Runs are at {protocol.address}.")
    if scope["method"] != "POST":
        raise _MethodNotAllowed("Only POST is answered here.")
    names = (match[1], match[2], uid_of(match[3]))  # the server has decoded the path already
    try:
        return await _store(protocol, names, scope, receive)
    except Gone:
        permissions.forget()
        raise
    except DatabaseError as error:
        database_failed("ingest", error)
        logger.exception("post of %s/%s/%s: the database failed", *names)
        raise Unavailable("The database did not answer; send the post again.") from None


async def _send(
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


async def serve(protocol: StreamProtocol, scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Take one post and answer once it is committed; open pages are notified afterwards."""
    try:
        ack = await _handle(protocol, scope, receive)
    except DomainError as error:
        headers = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
        if error.status == 401:
            headers.append((b"www-authenticate", b'Basic realm="Runyard"'))
        await _send(send, error.status, protocol.refusal(error), headers)
        return
    if ack is not None:
        await _send(send, 200, protocol.answer(ack))
        _notifier.notify(live.run_group(ack.run_id), {"type": "rows", "run": ack.run_id, **ack.grown})
