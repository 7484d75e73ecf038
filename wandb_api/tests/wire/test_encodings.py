"""Bodies that are not what their Content-Encoding says, at each endpoint that takes a body."""

import gzip
import json
from functools import cache

import pytest

from tests.sdk.wire import CREATE_FILES, Wire, history, row

Target = tuple[str, str, bytes]
"""Method, path and a good body."""


@pytest.fixture(params=["file_stream", "stream", "graphql", "put"])
def target(request: pytest.FixtureRequest, ada: Wire) -> Target:
    run = ada.begin("encodings")
    if request.param == "put":
        made = ada.data(CREATE_FILES, entity=run.entity, project=run.project, run=run.uid, files=["a.txt"])
        return "PUT", made["createRunFiles"]["files"][0]["uploadUrl"], b"content"
    rest = f"/api/v1/runs/{run.entity}/{run.project}/{run.uid}/stream"
    streamed = {"writer": "0123456789abcdef", "history": {"offset": 0, "rows": [row(0)]}}
    path, body = {
        "file_stream": (run.stream, history(0, row(0))),
        "stream": (rest, streamed),
        "graphql": ("/graphql", {"query": "{ viewer { id } }"}),
    }[request.param]
    return "POST", path, json.dumps(body).encode()


def status_of(ada: Wire, target: Target, body: bytes, encoding: str) -> int:
    method, path, _ = target
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json"}
    return ada.http.request(method, path, content=body, headers=headers).status_code


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "br", "deflate", "zstd", "gzip, gzip", "nonsense"])
def test_a_body_that_is_not_what_its_encoding_says_is_400_or_taken(
    ada: Wire, target: Target, encoding: str
) -> None:
    body = target[2]
    for sent in (body, b"\x1f\x8b\x08nonsense", gzip.compress(body)[:-6], b"\xff" * 50):
        assert status_of(ada, target, sent, encoding) in {200, 400}


@cache
def bomb() -> bytes:
    return gzip.compress(b"[" * (80 << 20), 9)


def test_a_gzip_bomb_is_refused_or_kept_as_it_is(ada: Wire, target: Target) -> None:
    """Only streams are unpacked; a file of a run may well be gzip."""
    assert status_of(ada, target, bomb(), "gzip") in {200, 400, 413}
