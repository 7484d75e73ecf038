"""Requests of the server, as an ASGI application around all others sees them."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from common.telemetry.definitions import ABORTED, HTTP_DURATION, HTTP_REQUESTS, database_failed
from common.telemetry.tracing.requests import answered, request_span

Application = Callable[[Any, Any, Any], Awaitable[None]]


async def measure(surface: str, application: Application, scope: Any, receive: Any, send: Any) -> None:
    """Pass one request on, trace and count it; its status when the answer begins, its time when that has ended."""
    begin, is_answered = time.perf_counter(), False

    async def send_counted(message: Any) -> None:
        nonlocal is_answered
        if message["type"] == "http.response.start":
            is_answered = True
            HTTP_REQUESTS.labels(surface, f"{message['status'] // 100}xx").inc()
            answered(message["status"])
        await send(message)

    outcome = ABORTED
    try:
        with request_span(surface, scope):
            await application(scope, receive, send_counted)
    except Exception as error:
        outcome = "5xx"  # which the server answers for it
        database_failed("http", error)
        raise
    finally:
        HTTP_DURATION.labels(surface).observe(time.perf_counter() - begin)
        if not is_answered:
            HTTP_REQUESTS.labels(surface, outcome).inc()
