"""Posts of file_stream that are zipped or large: what is over a limit is refused by the name of its setting."""

import gzip
import json

import pytest

from tests.sdk.wire import Run, Wire, history, row

MIB = 1024 * 1024
ZIPPED = {"Content-Encoding": "gzip"}


@pytest.fixture
def run(ada: Wire) -> Run:
    return ada.begin("sizes")


def test_a_gzip_body_is_read(ada: Wire, run: Run) -> None:
    body = gzip.compress(json.dumps(history(0, row(0, a=1.5))).encode())
    assert ada.post(run, body, **ZIPPED).status_code == 200
    assert ada.rows(run)[0]["a"] == 1.5


@pytest.mark.parametrize("body", [b"not gzip", gzip.compress(b"{}")[:-4]], ids=["other", "cut off"])
def test_broken_gzip_is_400(ada: Wire, run: Run, body: bytes) -> None:
    assert ada.post(run, body, **ZIPPED).status_code == 400


def check_that_it_is_refused(ada: Wire, run: Run, body: bytes, setting: str, **headers: str) -> None:
    reply = ada.post(run, body, **headers)
    assert reply.status_code == 413
    assert setting in reply.json()["errors"][0]["message"]
    assert ada.post(run, history(0, row(0))).status_code == 200
    assert [line["_step"] for line in ada.rows(run)] == [0]


def test_a_gzip_bomb_is_refused_by_the_settings_name(ada: Wire, run: Run) -> None:
    body = gzip.compress(b" " * (65 * MIB) + b"{}", 9)
    check_that_it_is_refused(ada, run, body, "RUNYARD_FILE_STREAM_MAX_MIB", **ZIPPED)


def test_a_few_bytes_that_spell_millions_of_lines_are_refused_by_the_settings_name(
    ada: Wire, run: Run
) -> None:
    """35 KiB of gzip took 0.9 GiB."""
    lines = b",".join([b'"{}"'] * 1_500_000)
    body = gzip.compress(b'{"files":{"wandb-history.jsonl":{"offset":0,"content":[%b]}}}' % lines, 9)
    check_that_it_is_refused(ada, run, body, "RUNYARD_FILE_STREAM_MAX_LINES", **ZIPPED)


def test_a_body_over_the_limit_is_refused_by_the_settings_name(ada: Wire, run: Run) -> None:
    check_that_it_is_refused(ada, run, b" " * (64 * MIB + 1), "RUNYARD_FILE_STREAM_MAX_MIB")


@pytest.mark.dialect
def test_a_body_just_under_the_limit_is_taken(ada: Wire, run: Run) -> None:
    line = json.dumps(row(0, text="x" * (9 * MIB)))
    lines = [line, *(json.dumps(row(i, text="y" * (9 * MIB))) for i in range(1, 7))]
    post = {"files": {"wandb-history.jsonl": {"offset": 0, "content": lines}}}
    assert ada.post(run, post).status_code == 200
    assert ada.run(run)["historyLineCount"] == 7
