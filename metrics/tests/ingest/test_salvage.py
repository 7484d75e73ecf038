"""No error asks a client to send again what can never be stored (the review's H2)."""

import json

import pytest
from django.db import DataError, OperationalError
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from common.errors import Unavailable
from metrics.ingest import committer, points, salvage
from metrics.ingest.post import Post
from metrics.ingest.transaction import Ack
from metrics.models import StreamKind
from metrics.store import codec, keysets, reads
from runs.lifecycle.timeline import timeline_of
from runs.logs.blocks import log_lines_between
from runs.models import BadLine, Run
from tests.factories import RunFactory
from tests.suite.examples import examples
from wandb_api.file_stream.endpoint import read_post

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _forgets():
    salvage._failed.clear()
    yield
    salvage._failed.clear()


def sent(
    run_id: int, offset: int, lines: list[str], log: list[str] | None = None, summary: str = "{}"
) -> Post:
    files = {
        "wandb-history.jsonl": {"offset": offset, "content": lines},
        "output.log": {"offset": offset, "content": log or []},
        "wandb-summary.json": {"offset": 0, "content": [summary]},
    }
    return read_post(json.dumps({"files": files}).encode(), run_id, "")


def rows(*numbers: int, **more: object) -> list[str]:
    return [json.dumps({"_step": n, "_timestamp": 1000.0 + n, "_runtime": float(n), **more}) for n in numbers]


def answered(post: Post) -> "Ack | Exception":
    """Send a post as a client does, once more when it is told to."""
    answer = committer._store_alone(post)
    return committer._store_alone(post) if isinstance(answer, Unavailable) else answer


@pytest.fixture
def broken(monkeypatch):
    """Let the encoder fail on rows that have the key "poison", as it did on rows of 65,535 keys."""
    encode = codec.encode

    def failing(batch, *args, **more):
        if any("poison" in group.keys for group in batch.groups):
            raise ValueError("no room for this")
        return encode(batch, *args, **more)

    monkeypatch.setattr(points, "encode", failing)


@pytest.mark.usefixtures("broken")
def test_a_row_that_cannot_be_stored_is_set_aside_and_the_others_are_kept():
    """RUN-8: on the second try, with its number used, shown on the run and on its timeline."""
    run = RunFactory()
    good, bad = rows(*range(20)), rows(20, poison=1.0)
    post = sent(run.pk, 0, [*good, *bad, *rows(21, 22)], log=["a", "b"], summary='{"loss": 1}')
    assert isinstance(committer._store_alone(post), Unavailable)
    assert isinstance(committer._store_alone(post), Ack)
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY) if row.get("_timestamp")] == [
        *range(20), 21, 22,
    ]  # fmt: skip
    assert log_lines_between(run.pk, 0, 2) == ["a", "b"]
    line = BadLine.objects.get(run=run)
    assert (line.kind, json.loads(line.text)["_step"]) == ("history", 20)
    assert "no room for this" in line.reason
    stored = Run.objects.select_related("pulse").get(pk=run.pk)
    assert (stored.pulse.summary_text, stored.pulse.bad_lines) == ('{"loss": 1}', 1)
    assert [mark.label for mark in timeline_of(stored).marks] == ["1 line skipped"]
    assert isinstance(answered(sent(run.pk, 23, rows(23))), Ack)


@pytest.mark.usefixtures("broken")
def test_all_rows_may_be_bad():
    run = RunFactory()
    assert isinstance(answered(sent(run.pk, 0, rows(*range(600), poison=1.0))), Ack)
    assert BadLine.objects.filter(run=run).count() == 600


@pytest.mark.parametrize(
    ("error", "lasts"),
    [(OperationalError("database is locked"), False), (MemoryError(), False), (DataError("NUL"), True)],
)
def test_what_may_pass_later_is_not_set_aside(error, lasts):
    """A database that is locked, away or full costs no row, however often it is."""
    post = sent(1, 0, rows(0, 1))
    assert [salvage.has_failed_before(post, error) for _ in range(3)] == [False, lasts, lasts]


_KEYS = st.one_of(
    st.text(max_size=8), st.sampled_from(["_step", "_timestamp", "_runtime", "a.b", "_type", "a\x1fb"])
)
_NUMBERS = st.one_of(
    st.floats(), st.integers(), st.integers(-(2**70), 2**70), st.sampled_from([1e308, 2**53, 2**63])
)
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), _NUMBERS, st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=8,
)
_ROWS = st.dictionaries(_KEYS, _VALUES, max_size=6)


class Bodies(TestCase):
    @settings(max_examples=examples(60), deadline=None)
    @given(
        st.lists(_ROWS, max_size=4), st.lists(st.text(max_size=30), max_size=3), _ROWS, st.integers(0, 2**40)
    )
    def test_no_body_an_sdk_can_send_is_answered_503_twice(self, found, log, summary, offset):
        keysets.clear_cache()
        run = RunFactory()
        post = sent(run.pk, offset, [json.dumps(row) for row in found], log, json.dumps(summary))
        for _ in range(2):
            assert isinstance(answered(post), Ack)
