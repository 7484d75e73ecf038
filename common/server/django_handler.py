"""Django's requests: each is one call in a thread of a pool, whose threads keep their database connections.

Django's own ASGI handler gives each request a new thread and connection, and hops between threads for every middleware
that knows only one of the two worlds. No view of ours is a coroutine, so nothing is gained by that.
"""

import asyncio
import contextvars
import tempfile
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections, connections
from django.http.response import HttpResponse, HttpResponseBase
from django.urls import set_script_prefix
from starlette.responses import JSONResponse

from common.budgets.budget import LONG_BYTES, Budget, ClientGone, budget_of
from common.budgets.heavy_work import charge_processor_time
from common.errors import DomainError, TooLarge, TooManyRequests
from common.server.shares import LongAnswer, LongAnswers, ThreadShares
from common.web.client_addresses import client_address
from common.web.disconnects import GONE
from common.web.request_size import body_too_large, most_bytes

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Scope = dict[str, Any]


class DjangoHandler(ASGIHandler):
    """Runs Django synchronously; only answers that are made while they are sent are sent by coroutines of their own.

    At most half of the threads work for one address: requests beyond wait, outside of the threads, for those before.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Start the pool; as many threads as the settings say, unless told otherwise."""
        super(ASGIHandler, self).__init__()
        self.load_middleware(is_async=False)
        count = threads or settings.WEB_THREADS
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="django")
        self._shares = ThreadShares(max(1, count // 2))
        self._long_answers = LongAnswers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, get the answer, send it; a client that leaves meanwhile gets none."""
        try:
            body = await _read_body(receive, most_bytes(scope["path"]))
        except RequestAborted:
            return
        except TooLarge:
            await _refuse(body_too_large(scope["path"]), scope, receive, send)
            return
        gone = threading.Event()
        listener = asyncio.create_task(_listen(receive, gone))
        address = _address_of(scope)
        budget = Budget(gone.is_set, caller=f"address {address}")
        budget.only_reads = scope["method"] in {"GET", "HEAD"}
        long_answer = LongAnswer(self._long_answers, address)
        budget.begin_long_answer = long_answer.begin
        try:
            async with self._shares.of(address, listener) as is_there:
                if not is_there:
                    body.close()
                    return
                context = contextvars.copy_context()  # of this request alone: its language, say
                answer = partial(context.run, self._answer, {**scope, GONE: gone}, body, budget)
                response = await asyncio.get_running_loop().run_in_executor(self._threads, answer)
            if response is None:
                return
            try:
                if _is_long(response):
                    long_answer.begin()
            except TooManyRequests as error:
                await sync_to_async(response.close)()
                await _refuse(error, scope, receive, send)
            else:
                if response.streaming:
                    await self._stream(response, send, listener, context)
                else:
                    await self.send_response(response, send)
        finally:
            long_answer.end()
            listener.cancel()

    def _answer(self, scope: Scope, body: Any, budget: Budget) -> HttpResponseBase | None:
        """Return the whole answer, closed unless it is still to be made; None for a client that has left."""
        try:
            with budget_of(budget):
                return self._answer_within(scope, body)
        except ClientGone:
            close_old_connections()
            return None
        finally:
            charge_processor_time(budget)

    def _answer_within(self, scope: Scope, body: Any) -> HttpResponseBase:
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        response = cast("HttpResponseBase", refused if request is None else self.get_response(request))
        response._handler_class = self.__class__  # type: ignore[attr-defined]  # as in Django's own
        if (
            response.streaming
        ):  # its pieces are made in another thread, and this one may have nothing to do for long
            close_old_connections()
        else:
            response.close()
        body.close()
        return response

    async def _stream(
        self,
        response: HttpResponseBase,
        send: Send,
        listener: "asyncio.Task[None]",
        context: contextvars.Context,
    ) -> None:
        """Send an answer piece by piece, made in a thread of its own, until its client leaves."""
        sending = asyncio.create_task(self._send_pieces(response, send), context=context)
        await asyncio.wait({sending, listener}, return_when=asyncio.FIRST_COMPLETED)
        if not sending.done():
            sending.cancel()
        try:
            await sending
        except asyncio.CancelledError:
            if not listener.done():  # the server is ending, not the client
                raise

    async def _send_pieces(self, response: HttpResponseBase, send: Send) -> None:
        async with ThreadSensitiveContext():
            try:
                await self.send_response(response, send)
            finally:
                await _finish(asyncio.create_task(sync_to_async(_close)(response)))


def _address_of(scope: Scope) -> str:
    forwarded = next((value for name, value in scope["headers"] if name == b"x-forwarded-for"), b"")
    return client_address((scope.get("client") or ("",))[0], forwarded.decode("latin-1"))


def _is_long(response: HttpResponseBase) -> bool:
    return response.streaming or len(cast("HttpResponse", response).content) > LONG_BYTES


async def _finish(closing: "asyncio.Task[None]") -> None:
    """Wait for a task though this one is canceled: a client has left as soon as the last piece is sent."""
    try:
        await asyncio.shield(closing)
    except asyncio.CancelledError:
        await closing
        raise


def _close(response: HttpResponseBase) -> None:
    """Close an answer and the connections of the thread that made it, which ends with it."""
    response.close()
    connections.close_all()


async def _listen(receive: Receive, gone: threading.Event) -> None:
    """Wait until the client leaves."""
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


async def _read_body(receive: Receive, most: int) -> Any:
    """Return a body as a file, in memory while it is small.

    Raises:
        TooLarge: more than ``most`` bytes, at which Django would look once it had written all of it.
        RequestAborted: the client left.
    """
    body: Any = tempfile.SpooledTemporaryFile(max_size=settings.FILE_UPLOAD_MAX_MEMORY_SIZE)  # noqa: SIM115 - kept
    try:
        while await _read_piece(receive, body, most):
            pass
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body


async def _read_piece(receive: Receive, body: Any, most: int) -> bool:
    """Write the next piece; say whether more are to come."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise RequestAborted
    body.write(message.get("body", b""))
    if body.tell() > most:
        raise body_too_large()
    return bool(message.get("more_body"))


async def _refuse(error: DomainError, scope: Scope, receive: Receive, send: Send) -> None:
    body = {
        "error": {"code": error.code, "message": error.message, "detail": None},
        "errors": [{"message": error.message}],
    }
    await JSONResponse(body, error.status, headers=dict(error.headers))(scope, receive, send)
