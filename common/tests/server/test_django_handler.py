"""Requests of Django in a pool of threads: limits, streams, and nothing of one request in the next."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path
from django.utils import translation

from common.server.django_handler import DjangoHandler
from common.web.disconnects import disconnect_check

streamed: list[int] = []
closed = threading.Event()


def language(request: HttpRequest) -> HttpResponse:
    translation.activate(request.GET.get("to") or translation.get_language() or "en")
    return HttpResponse(f"{translation.get_language()} {threading.current_thread().name}")


def size(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(len(request.body)))


def stays(request: HttpRequest) -> HttpResponse:
    has_left = disconnect_check(request)
    for _ in range(1000):
        if has_left():
            closed.set()
            break
        closed.wait(0.01)
    return HttpResponse("late")


def stream(_request: HttpRequest) -> StreamingHttpResponse:
    async def pieces() -> AsyncIterator[str]:
        try:
            for number in range(1000):
                streamed.append(number)
                yield f"{translation.get_language()} {number}\n"
                await asyncio.sleep(0.01)
        finally:
            closed.set()

    return StreamingHttpResponse(pieces())


urlpatterns = [path("language", language), path("size", size), path("stays", stays), path("stream", stream)]


@pytest.fixture(autouse=True)
def _routes(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = []
    settings.ALLOWED_HOSTS = ["*"]
    streamed.clear()
    closed.clear()


class Client:
    """One request, and what was sent for it."""

    def __init__(self, where: str, *bodies: bytes, method: str = "GET") -> None:
        where, _, query = where.partition("?")
        self.scope = {
            "type": "http", "method": method, "path": where, "raw_path": where.encode(), "query_string": query.encode(),
            "headers": [(b"host", b"testserver")], "server": ("testserver", 80), "client": ("127.0.0.1", 1),
            "scheme": "http", "http_version": "1.1",
        }  # fmt: skip
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for number, body in enumerate(bodies or (b"",), 1):
            self.incoming.put_nowait(
                {"type": "http.request", "body": body, "more_body": number < len(bodies)}
            )
        self.sent: list[dict[str, Any]] = []
        self.is_answered = asyncio.Event()

    def leave(self) -> None:
        self.incoming.put_nowait({"type": "http.disconnect"})

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        self.is_answered.set()

    async def ask(self, handler: DjangoHandler) -> tuple[int, bytes]:
        await asyncio.wait_for(handler(self.scope, self.incoming.get, self.send), 30)
        body = b"".join(message.get("body", b"") for message in self.sent[1:])
        return (self.sent[0]["status"], body) if self.sent else (0, b"")


@pytest.mark.asyncio
async def test_a_language_stays_with_its_request(settings: Any):
    settings.WEB_THREADS = 1
    handler = DjangoHandler()
    assert (await Client("/language?to=ja").ask(handler))[1].startswith(b"ja django_0")
    assert (await Client("/language").ask(handler))[1].startswith(b"en django_0")  # the same thread


@pytest.mark.asyncio
async def test_a_body_over_the_limit_is_refused_before_it_is_written(settings: Any):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    handler = DjangoHandler()
    assert await Client("/size", b"12345", b"67890", method="POST").ask(handler) == (200, b"10")
    status, body = await Client("/size", b"12345", b"678901", method="POST").ask(handler)
    assert status == 413
    assert "at most 10 bytes" in json.loads(body)["error"]["message"]


@pytest.mark.asyncio
async def test_a_client_that_leaves_with_its_body_gets_nothing():
    client = Client("/size", b"12", b"34", method="POST")
    client.incoming = asyncio.Queue()
    client.incoming.put_nowait({"type": "http.request", "body": b"12", "more_body": True})
    client.leave()
    assert await client.ask(DjangoHandler()) == (0, b"")


@pytest.mark.asyncio
async def test_a_view_can_see_that_its_client_has_left():
    client = Client("/stays")
    asyncio.get_running_loop().call_later(0.05, client.leave)
    await client.ask(DjangoHandler())
    assert closed.is_set()


@pytest.mark.asyncio
async def test_a_stream_ends_with_its_client_and_speaks_the_language_of_its_request():
    client = Client("/stream")
    asyncio.get_running_loop().call_later(0.2, client.leave)
    await client.ask(DjangoHandler())
    assert closed.is_set()
    assert 0 < len(streamed) < 1000
    assert client.sent[1]["body"] == b"en 0\n"


@pytest.mark.asyncio
async def test_connections_of_a_stream_are_closed_though_its_client_leaves_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
):
    """A web server reports that the client has left as soon as the last piece is sent.

    A connection that is not given back is lost to the pool for as long as the process runs.
    """
    made: list[str] = []
    given_back: list[str] = []

    def short(_request: HttpRequest) -> StreamingHttpResponse:
        async def pieces() -> AsyncIterator[str]:
            yield "one"
            made.append(await sync_to_async(lambda: threading.current_thread().name)())

        return StreamingHttpResponse(pieces())

    class Hasty(Client):
        async def send(self, message: dict[str, Any]) -> None:
            await super().send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                asyncio.ensure_future(sync_to_async(time.sleep)(0.1))  # noqa: RUF006 - the thread is not free at once
                await asyncio.sleep(0)
                self.leave()

    monkeypatch.setattr("common.tests.server.test_django_handler.urlpatterns", [path("short", short)])
    monkeypatch.setattr(
        type(connections), "close_all", lambda _self: given_back.append(threading.current_thread().name)
    )
    await Hasty("/short").ask(DjangoHandler())
    assert given_back == made != []


@pytest.mark.asyncio
async def test_one_address_occupies_half_of_the_threads_and_who_left_none(settings: Any):
    settings.WEB_THREADS = 2
    handler = DjangoHandler()
    staying, waiting, other = Client("/stays"), Client("/language"), Client("/language")
    other.scope["client"] = ("127.0.0.2", 1)
    first = asyncio.create_task(staying.ask(handler))
    await asyncio.sleep(0.05)
    second = asyncio.create_task(waiting.ask(handler))
    assert (await other.ask(handler))[0] == 200
    assert not second.done()
    leaving = Client("/language")
    leaving.leave()
    assert await leaving.ask(handler) == (0, b"")
    staying.leave()
    await first
    assert (await second)[0] == 200
    assert not handler._shares._of


@pytest.mark.asyncio
async def test_an_address_is_sent_so_many_long_answers_at_once(settings: Any):
    settings.STREAMS_EACH = 1
    handler = DjangoHandler()
    streaming = Client("/stream")
    first = asyncio.create_task(streaming.ask(handler))
    await streaming.is_answered.wait()
    status, body = await Client("/stream").ask(handler)
    assert status == 429
    assert "RUNYARD_STREAMS_EACH" in json.loads(body)["error"]["message"]
    other = Client("/stream")
    other.scope["client"] = ("127.0.0.2", 1)
    second = asyncio.create_task(other.ask(handler))
    await other.is_answered.wait()
    assert other.sent[0]["status"] == 200
    for client, task in ((streaming, first), (other, second)):
        client.leave()
        await task


@pytest.mark.asyncio
async def test_only_graphql_takes_large_bodies(settings: Any):
    settings.BODY_MAX_BYTES = 10
    handler = DjangoHandler()
    status, body = await Client("/size", b"12345678901", method="POST").ask(handler)
    assert status == 413
    assert "at most 10 bytes here (setting RUNYARD_BODY_MAX_MIB)" in json.loads(body)["error"]["message"]
