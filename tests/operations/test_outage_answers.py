"""What every endpoint that SDKs use answers while the database is away: 503, and when to retry is theirs to decide."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.db import OperationalError
from django.db.backends.utils import CursorWrapper

from common.errors import Unavailable
from storage.signed_urls import tickets
from tests.factories import UserFactory
from tests.in_process import InProcess, db, wire_of
from tests.sdk.wire import Run, Wire, history, row

__all__ = ["db"]


class Failing(InProcess):
    """Passes on answers that say the server failed."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, with its whole body."""
        return self._runner.run(self._ask(request))


@pytest.fixture(scope="module")
def transport(db: None) -> Iterator[InProcess]:
    made = Failing()
    yield made
    made.close()


@pytest.fixture(scope="module")
def wire(transport: InProcess) -> Wire:
    return wire_of(UserFactory(), transport)


@pytest.fixture(scope="module")
def run(wire: Wire) -> Run:
    return wire.begin("outages")


@pytest.fixture
def failing(wire: Wire, run: Run, monkeypatch: pytest.MonkeyPatch) -> httpx.Client:
    """Return a client that has logged a run, while every statement fails."""

    def fail(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(CursorWrapper, "execute", fail)
    monkeypatch.setattr(CursorWrapper, "executemany", fail)
    return wire.http


def _kinds() -> Iterator[type[Unavailable]]:
    waiting = [Unavailable]
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()


@pytest.mark.parametrize("kind", list(_kinds()))
def test_no_outage_names_a_time_to_retry(kind: type[Unavailable]) -> None:
    """The SDK's clients for GraphQL and files make 20 retries; a short Retry-After takes their growing pauses away."""
    assert (kind.status, "Retry-After" in kind("The bucket did not answer.").headers) == (503, False)


ASKS = ("query", "mutation", "file_stream", "stream", "put", "artifact file", "rest")


@pytest.mark.parametrize("what", ASKS)
def test_an_endpoint_of_sdks_answers_503_without_a_time_to_retry(
    failing: httpx.Client, run: Run, what: str
) -> None:
    """RUN-2: such a client retries for a quarter of an hour, and with `Retry-After: 2` for 42 s."""
    of_run = f"/api/v1/runs/{run.entity}/{run.project}/{run.uid}"
    mutation = 'mutation { upsertBucket(input: {modelName: "outages"}) { inserted } }'
    put = tickets.put_path("run-file", r=1, n="notes.txt")
    method, path, body = {
        "query": ("POST", "/graphql", {"query": "{ viewer { id } }"}),
        "mutation": ("POST", "/graphql", {"query": mutation}),
        "file_stream": ("POST", run.stream, history(0, row(0))),
        "stream": ("POST", f"{of_run}/stream", {"writer": "0123456789abcdef"}),
        "put": ("PUT", put, {}),
        "artifact file": ("GET", "/artifactsV2/default/a/b/c/d/0a/a.txt", None),
        "rest": ("GET", "/api/v1/projects/", None),
    }[what]
    answer = failing.request(method, path, json=body)
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, None), answer.text
