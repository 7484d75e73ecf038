"""The server's own ASGI application in the test's own process, asked what it does with the content of requests."""

import asyncio
import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from accounts.models import User
from config.asgi import application
from metrics.ingest import committer
from tests.factories import make_key
from tests.sdk.wire import Wire

_ENDS_A_HEADER = re.compile(rb"[\r\n\0]")


class InProcess(httpx.BaseTransport):
    """Passes requests to the application, all on one event loop, as a web process does.

    What the application raises reaches the test; an answer that says the server failed is an error, too.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._application = httpx.ASGITransport(application)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, with its whole body."""
        answer = self._runner.run(self._ask(request))
        assert answer.status_code < 500, answer.read()
        return answer

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        answer = await self._application.handle_async_request(request)
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        content = b"".join([part async for part in answer.stream])
        _check_head(answer, content)
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(content))

    def close(self) -> None:
        """End what the application has left running on the loop."""
        self._runner.close()


def _check_head(answer: httpx.Response, content: bytes) -> None:
    """See that a server could send the head as it is."""
    assert [line for line in answer.headers.raw if _ENDS_A_HEADER.search(b"".join(line))] == []
    assert int(answer.headers.get("Content-Length", len(content))) == len(content)


@pytest.fixture(scope="module")
def db(django_db_setup: Callable[[], None], django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Take the place of pytest-django's: what is committed stays until the module ends, seen by all threads."""
    with django_db_blocker.unblock():
        yield
        committer.stop()
        django_db_setup()
        connections.close_all()


def wire_of(user: User, transport: InProcess) -> Wire:
    """Return what speaks the SDK's protocol for a user."""
    return Wire("http://testserver", make_key(user), transport)
