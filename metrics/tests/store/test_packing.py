"""Packed and not, in files, the database and a bucket: every read gives what plain lists give (MET-1, MET-3, MET-7)."""

import json
import math
from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actor import SYSTEM
from metrics.ingest.branching import rewind_run
from metrics.ingest.transaction import write_group
from metrics.models import Segment, Stream, StreamKind, Tail
from metrics.store import compaction, deletion, reads, row_blocks, segment_storage, sweeping
from metrics.store.batches import cut, join
from metrics.store.codec import pack, unpack
from metrics.store.segment_cache import SegmentReader
from metrics.tests.ingest.test_ingest import post
from runs.models import Run
from tests.factories import RunFactory
from tests.fakes.bucket_fixtures import bucket
from tests.suite.examples import examples

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _small(monkeypatch, tmp_path, settings):
    """Make segments so small that every rule is met within a few rows."""
    settings.SEGMENT_ROOT = tmp_path / "segments"
    for module in (row_blocks, compaction):
        monkeypatch.setattr(module, "MAX_SEGMENT_ROWS", 40)
    monkeypatch.setattr(row_blocks, "MAX_ROWS", 4096)
    monkeypatch.setattr(compaction, "SMALL_ROWS", 20)
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 6)
    monkeypatch.setattr(compaction, "PACK_ENDED_AT_ROWS", 3)
    monkeypatch.setattr(compaction, "MERGE_AT", 3)


@pytest.fixture(params=["files", "database", "bucket", "clickhouse"])
def cold_store(request, settings):
    if request.param in {"bucket", "clickhouse"}:
        request.getfixturevalue(request.param)
    settings.SEGMENT_STORE = request.param
    return segment_storage.configured_storage()


def stream_of(run, kind=StreamKind.HISTORY):
    return Stream.objects.get(run=run, kind=kind)


def packed(run):
    return compaction.pack_stream(stream_of(run).pk)


def line(step, **values):
    return {"_step": step, "_timestamp": 1000.0 + step, "_runtime": float(step), **values}


def send(run, rows, *, offset, complete=None):
    with transaction.atomic():
        write_group([post(run, history=(offset, rows), complete=complete)])


def filled(count, *, a_post=5):
    run = RunFactory()
    for start in range(0, count, a_post):
        send(
            run,
            [line(step, loss=step / 3) for step in range(start, min(count, start + a_post))],
            offset=start,
        )
    return run


# -- against plain lists ---------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.integers(-(2**60), 2**60), st.floats(width=64), st.sampled_from([0, 1, 1.0, -0.0, math.nan, math.inf])
)
values = st.one_of(
    numbers, numbers, numbers, st.none(), st.booleans(), st.text(max_size=3), st.just({"_type": "image-file", "n": 1}),
    st.fixed_dictionaries({"deep": numbers}), st.lists(numbers, max_size=2),
)  # fmt: skip
rows = st.dictionaries(st.sampled_from(["a", "b", "c.d", "e/f"]), values, max_size=4)
actions = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(rows, min_size=1, max_size=9)),
        st.tuples(st.just("replay"), st.integers(1, 30)),
        st.tuples(st.just("gap"), st.lists(rows, min_size=1, max_size=3)),
        st.tuples(st.just("restart"), st.lists(rows, min_size=1, max_size=5)),
        st.tuples(st.just("pack"), st.none()),
    ),
    min_size=1,
    max_size=14,
)


class Model:
    """What the client sent, as a list; and where it is with its offsets."""

    def __init__(self):
        self.run = RunFactory()
        self.stored, self.sent, self.base = [], [], 0

    def append(self, made):
        lines = [line(len(self.stored) + number, **row) for number, row in enumerate(made)]
        send(self.run, lines, offset=self.base + len(self.sent))
        self.sent += lines
        self.stored += lines

    def gap(self, made):
        self.sent += [None] * 3
        self.append(made)

    def restart(self, made):
        self.sent, self.base = [], 0
        self.append(made)

    def replay(self, count):
        again: list[dict[str, object]] = []
        while len(again) < min(count, len(self.sent)) and self.sent[-1 - len(again)] is not None:
            again.append(self.sent[-1 - len(again)])
        if again:
            send(self.run, again[::-1], offset=self.base + len(self.sent) - len(again))

    def pack(self, _):
        if self.stored:
            packed(self.run)

    def check(self):
        found = list(reads.scan(self.run.pk, StreamKind.HISTORY))
        assert [number for number, _ in found] == list(range(len(self.stored)))
        assert exactly(row for _, row in found) == exactly(self.stored)
        middle = len(self.stored) // 2
        assert exactly(
            row for _, row in reads.scan(self.run.pk, StreamKind.HISTORY, row_from=middle)
        ) == exactly(self.stored[middle:])
        ranged = reads.scan(self.run.pk, StreamKind.HISTORY, x_from=middle - 2, x_to=middle + 2)
        assert exactly(row for _, row in ranged) == exactly(self.stored[max(0, middle - 2) : middle + 3])
        last = json.loads(reads.last_lines([self.run.pk], StreamKind.HISTORY).get(self.run.pk, "null"))
        assert exactly([last]) == exactly(self.stored[-1:])
        self._check_columns()

    def _check_columns(self):
        found = reads.columns(row_blocks.blocks(self.run.pk, StreamKind.HISTORY), ["a", "_step"])["a"]
        expected = [
            (number, float(row["a"]))
            for number, row in enumerate(self.stored)
            if type(row.get("a")) in {int, float} and (type(row["a"]) is float or abs(row["a"]) <= 2**53)
        ]
        assert found.rows.tolist() == [number for number, _ in expected]
        assert np.array_equal(found.values, [value for _, value in expected], equal_nan=True)
        stats = reads.key_stats([self.run.pk], StreamKind.HISTORY).get(self.run.pk, {})
        assert stats["_step"].count == len(self.stored)
        counted = sum("b" in row and type(row["b"]) is not dict for row in self.stored)
        assert ("b" in stats and stats["b"].count) == (counted or False) or any(
            isinstance(row.get("b"), dict) for row in self.stored
        )


def exactly(rows):
    return [json.dumps(row, sort_keys=True) for row in rows]


@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(actions)
def test_every_read_is_as_of_plain_lists(cold_store, steps):
    model = Model()
    for name, argument in steps:
        getattr(model, name)(argument)
        if model.stored:
            model.check()


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(rows, min_size=1, max_size=20), st.data())
def test_joined_and_cut_batches_give_the_same_rows(made, data):
    split = data.draw(st.integers(1, len(made)))
    parts = [pack(part) for part in (made[:split], made[split:]) if part]
    start = data.draw(st.integers(0, len(made)))
    stop = data.draw(st.integers(start, len(made)))
    if start < stop:
        assert exactly(unpack(cut(join(parts), start, stop))) == exactly(made[start:stop])


# -- rules -----------------------------------------------------------------------------------------------------------


def test_rows_move_from_the_tail_into_segments(cold_store):
    run = filled(100)
    report = packed(run)
    assert (report.packed, stream_of(run).packed_to) == (3, 100)
    assert not Tail.objects.filter(run=run).exists()
    assert list(Segment.objects.values_list("row0", "row_count").order_by("row0")) == [
        (0, 40),
        (40, 40),
        (80, 20),
    ]
    assert packed(run) == compaction.PackingReport()


def test_wide_rows_make_shorter_segments(monkeypatch):
    run = filled(40)
    size = sum(len(payload) for payload in Tail.objects.values_list("payload", flat=True))
    monkeypatch.setattr(compaction, "MAX_SEGMENT_BYTES", size // 2)
    assert packed(run).packed > 1
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == list(range(40))


def test_one_long_post_is_packed_as_it_lies_in_the_tail(cold_store):
    """Its columns are not aligned there, which pco refuses."""
    run = filled(40, a_post=40)
    assert packed(run).packed == 1
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == list(range(40))


def test_small_neighbours_become_one_and_the_old_content_is_swept(cold_store):
    run = RunFactory()
    report = None
    for start in (0, 6, 12):
        send(run, [line(step, loss=1.0) for step in range(start, start + 6)], offset=start)
        report = packed(run)
    assert report == compaction.PackingReport(packed=1, merged=1)
    assert list(Segment.objects.values_list("row0", "row_count")) == [(0, 18)]
    assert sweeping.sweep() == 0  # a reader may be on its way
    compaction_orphans = list(cold_store.names(timezone.now() + timedelta(hours=2)))
    assert len(compaction_orphans) == 4


def test_the_sweep_frees_what_no_segment_names(cold_store, monkeypatch):
    run = filled(20)
    packed(run)
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    assert sweeping.sweep() == 0
    deletion.delete_rows(run, 500)  # its own act on commit is not executed here
    assert sweeping.sweep() == 1
    assert list(cold_store.names(timezone.now() + timedelta(hours=2))) == []


def test_only_what_is_long_enough_or_ended_is_due(settings):
    short, long, ended = filled(5), filled(6), filled(3)
    send(ended, [], offset=3, complete=0)
    Run.objects.filter(pk=ended.pk).update(finished_at=timezone.now() - timedelta(minutes=5))
    assert set(compaction.due_streams().values_list("run_id", flat=True)) == {long.pk, ended.pk}
    assert compaction.pack_due_streams(10).packed == 2
    assert not compaction.due_streams().exists()
    assert stream_of(short).packed_to == 0


def test_a_large_tail_is_due_before_it_is_long(monkeypatch):
    run = filled(5)
    monkeypatch.setattr(compaction, "PACK_AT_BYTES", stream_of(run).tail_bytes)
    assert list(compaction.due_streams().values_list("run_id", flat=True)) == [run.pk]
    assert packed(run).packed == 1
    assert stream_of(run).tail_bytes == 0
    assert not compaction.due_streams().exists()


def test_a_lease_keeps_a_second_worker_away():
    run = filled(20)
    Stream.objects.filter(run=run).update(leased_until=timezone.now() + timedelta(minutes=1))
    assert packed(run) == compaction.PackingReport()
    Stream.objects.filter(run=run).update(leased_until=timezone.now() - timedelta(minutes=1))
    assert packed(run).packed == 1


@pytest.mark.parametrize("act", ["rewind", "pack"])
def test_a_stream_that_changes_under_the_worker_is_left_as_it_is(act, monkeypatch):
    run = filled(20)
    plain = compaction._store_segment

    def slowly(stream, parts, batch):
        monkeypatch.setattr(compaction, "_store_segment", plain)
        made = plain(stream, parts, batch)
        if act == "rewind":
            rewind_run(actor=SYSTEM, run=run, step=9)
        else:
            compaction._pack(stream_of(run))  # a worker whose lease had run out
        return made

    monkeypatch.setattr(compaction, "_store_segment", slowly)
    packed(run)
    kept = 10 if act == "rewind" else 20
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == list(range(kept))
    assert sum(segment.row_count for segment in Segment.objects.all()) == (0 if act == "rewind" else 20)


def test_a_reader_goes_on_in_the_segments_when_rows_are_packed_under_it():
    run = filled(60)
    walk = row_blocks.blocks(run.pk, StreamKind.HISTORY)
    seen = [next(walk).row0 for _ in range(2)]
    row_blocks._TAILS_A_PAGE, page = 2, row_blocks._TAILS_A_PAGE
    try:
        packed(run)
        rest = [row for block in walk for row in range(block.row0, block.part.row_to)]
    finally:
        row_blocks._TAILS_A_PAGE = page
    assert seen == [0, 5]
    assert sorted({*range(10), *rest}) == list(range(60))


def test_a_rewound_past_keeps_its_segments():
    run = filled(20)
    packed(run)
    rewind_run(actor=SYSTEM, run=run, step=4)
    archive = Run.objects.get(uid=f"{run.uid}.rewound-1")
    assert [row["_step"] for _, row in reads.scan(archive.pk, StreamKind.HISTORY)] == list(range(20))
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == list(range(5))


def test_a_lost_row_comes_back_from_the_footer(cold_store):
    run = filled(40)
    packed(run)
    [segment] = Segment.objects.all()
    Segment.objects.all().delete()
    assert sweeping.recover_segment(cold_store, segment.name)
    assert not sweeping.recover_segment(cold_store, segment.name)
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == list(range(40))


def test_lost_rows_are_said_and_passed_over(cold_store, caplog):
    """A reader does not wait for them for ever."""
    run = filled(40)
    packed(run)
    send(run, [line(step, loss=1.0) for step in (40, 41)], offset=40)
    Segment.objects.all().delete()
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == [40, 41]
    assert "rows 0 to 39 of" in caplog.text


def test_an_operator_brings_lost_rows_back_by_one_command(cold_store):
    run = filled(40)
    packed(run)
    Segment.objects.all().delete()
    cold_store.put("ef" * 16, b"no segment at all")
    told = json.loads(call_command_output("recover_segments"))
    assert (told["recovered"], [row["name"] for row in told["unreadable"]]) == (1, ["ef" * 16])
    assert json.loads(call_command_output("recover_segments"))["recovered"] == 0
    assert len(list(reads.scan(run.pk, StreamKind.HISTORY))) == 40


def call_command_output(name):
    out = StringIO()
    call_command(name, stdout=out)
    return out.getvalue()


def test_a_content_cut_off_is_no_segment(cold_store):
    cold_store.put("ab" * 16, b"RYS1")
    with pytest.raises(ValueError, match="segment"):
        sweeping.recover_segment(cold_store, "ab" * 16)
    with pytest.raises(FileNotFoundError):
        sweeping.recover_segment(cold_store, "cd" * 16)


def test_one_stream_that_cannot_be_packed_does_not_keep_the_others(monkeypatch, caplog):
    broken, fine = filled(30), filled(20)
    stream = stream_of(broken)
    plain = compaction._oldest_tails
    monkeypatch.setattr(
        compaction, "_oldest_tails", lambda given: 1 / 0 if given.pk == stream.pk else plain(given)
    )
    assert compaction.pack_due_streams(10).packed == 1
    assert "could not be packed" in caplog.text
    assert stream_of(fine).packed_to == 20
    assert stream_of(broken).leased_until is None


def test_what_is_no_number_is_read_through_remembered_contents_too(db):
    run = RunFactory()
    send(run, [line(step, text="x") for step in range(6)], offset=0)
    packed(run)
    segment = Segment.objects.get()
    content = SegmentReader(segment)
    assert len(content.index(bytes(segment.index)).read(content).other) == 6
