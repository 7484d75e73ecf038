"""Rows that the SDK reads are those of a plain walk over all of them (MET-3)."""

import json
import math
from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.series import history_rows
from metrics.store import codec, compaction, row_blocks
from metrics.store import reads as store
from metrics.store.segments import SegmentIndex
from metrics.tests.ingest.test_ingest import post
from metrics.tests.store.test_codec import exact
from tests.factories import RunFactory
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _small(monkeypatch, tmp_path, settings):
    settings.SEGMENT_ROOT = tmp_path / "segments"
    for module in (row_blocks, compaction):
        monkeypatch.setattr(module, "MAX_SEGMENT_ROWS", 8)
    monkeypatch.setattr(row_blocks, "MAX_ROWS", 4096)
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 2)


# -- the plain way ---------------------------------------------------------------------------------------------------

MISSING = object()


def value_of(row, key):
    if key in row:
        return row[key]
    node = row
    for part in key.split("."):
        if not isinstance(node, dict) or part not in node:
            return MISSING
        node = node[part]
    return node


def narrowed(rows, keys):
    if keys is None:
        return rows
    found = [{key: value_of(row, key) for key in keys} for row in rows]
    return [row for row in found if MISSING not in row.values()]


def plain_sample(run, count, keys):
    rows = narrowed([row for _, row in store.scan(run.pk, StreamKind.HISTORY)], keys)
    if len(rows) <= count:
        return rows
    if count == 1:
        return rows[-1:]
    return [rows[round(number * (len(rows) - 1) / (count - 1))] for number in range(count)]


def plain_range(run, low, high, keys):
    found = list(store.scan(run.pk, StreamKind.HISTORY, x_from=low, x_to=high))
    return narrowed([row for _, row in sorted(found, key=lambda item: (item[1]["_step"], item[0]))], keys)


# -- random runs -----------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.integers(-9, 9), st.floats(width=64), st.sampled_from([1, 1.0, -0.0, math.nan, -math.inf, 2**53 + 1, -(2**60)])
)  # fmt: skip
values = st.one_of(
    numbers, numbers, st.none(), st.booleans(), st.text(max_size=3), st.lists(numbers, max_size=2), st.just({}),
    st.fixed_dictionaries({"_type": st.just("image-file"), "size": numbers, "in": st.just({"deep": 1})}),
    st.dictionaries(st.sampled_from(["b", "c.d", "c"]), st.one_of(numbers, st.just({"d": 1, "e": None})), max_size=2),
)  # fmt: skip
names = ["a", "b", "a.b", "a.c.d", "a.c", "a\x1fb", ""]
asked = [*names, "a.size", "a.in.deep", "b.b", "a.b.c", "a.", "_step", "none"]
rows = st.dictionaries(st.sampled_from(names), values, max_size=5)
posts = st.lists(
    st.tuples(st.lists(st.tuples(st.integers(0, 12), rows), min_size=1, max_size=7), st.booleans()),
    min_size=1,
    max_size=4,
)
bounds = st.one_of(st.just(math.inf), st.integers(0, 12), st.floats(0, 12))


def logged(made):
    """Make a run of posts, each perhaps followed by a worker that packs."""
    run, offset = RunFactory(), 0
    for sent, is_packed in made:
        lines = [
            {**row, "_step": step, "_timestamp": 10.0 + offset + number, "_runtime": 0.5}
            for number, (step, row) in enumerate(sent)
        ]
        with transaction.atomic():
            write_group([post(run, history=(offset, lines))])
        offset += len(lines)
        if is_packed:
            compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
    return run


@settings(
    max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(posts, st.lists(st.sampled_from(asked), max_size=3, unique=True), st.integers(1, 12), bounds, bounds)
def test_samples_and_ranges_are_those_of_a_plain_walk(made, several, count, one, other):
    run = logged(made)
    low, high = sorted((-one if math.isinf(one) else one, other))
    for names in (None, several, several[:1]):
        keys = None if names is None else history_rows.keys_of(names)
        sampled = history_rows.sampled(run.pk, StreamKind.HISTORY, count, keys)
        assert exact(sampled) == exact(plain_sample(run, count, names))
        ranged = history_rows.between(run.pk, low, high, keys)
        assert exact(ranged) == exact(plain_range(run, low, high, names))


# -- what is read ----------------------------------------------------------------------------------------------------


@pytest.fixture
def run():
    plain = [(step, {"loss": 0.5 * step, "n": step, "deep": {"er": step}}) for step in range(20)]
    return logged([(plain, True), ([(20, {"img": {"_type": "image-file", "path": "x"}, "loss": 1})], False)])


@pytest.mark.parametrize("name", ["img.path", "deep.er", "img", "deep", "loss", "none"])
def test_a_key_may_lie_within_a_value(run, name):
    found = history_rows.sampled(run.pk, StreamKind.HISTORY, 100, history_rows.keys_of([name]))
    assert exact(found) == exact(plain_sample(run, 100, [name]))
    assert bool(found) == (name != "none")


def test_only_chosen_rows_are_put_together(run, monkeypatch):
    put_together = []

    def noted(batch):
        put_together.append(batch.row_count)
        return codec.unpack(batch)

    monkeypatch.setattr(history_rows, "unpack", noted)
    assert (
        len(history_rows.sampled(run.pk, StreamKind.HISTORY, 5, history_rows.keys_of(["loss", "deep.er"])))
        == 5
    )
    assert sum(put_together) == 5


def test_keys_read_their_columns_alone_and_texts_only_where_there_are_some(run, monkeypatch):
    read = []
    plain = SegmentIndex.read

    def noted(self, content, names=None):
        read.append(names)
        return plain(self, content, names)

    monkeypatch.setattr(SegmentIndex, "read", noted)
    monkeypatch.setattr(SegmentIndex, "others", lambda *_: 1 / 0)
    assert len(history_rows.sampled(run.pk, StreamKind.HISTORY, 100, history_rows.keys_of(["loss"]))) == 21
    assert {frozenset(names) for names in read} == {frozenset({"loss"})}


def test_blocks_pass_through_while_they_are_read(run):
    """A budget can end a read between two blocks."""

    def one(parts) -> Iterator[row_blocks.Block]:
        yield next(iter(parts))
        raise TimeoutError

    meter = Mock(through=one)
    for read in reads(run, meter):
        with pytest.raises(TimeoutError):
            read()


def test_rows_are_weighed_before_they_are_put_together(run, monkeypatch):
    """A budget can end a read before its rows fill the memory."""
    monkeypatch.setattr(history_rows, "unpack", lambda _: pytest.fail("put together"))
    meter = Mock(through=iter, count_read=Mock(side_effect=MemoryError))
    for read in reads(run, meter):
        with pytest.raises(MemoryError):
            read()


def test_the_weight_of_rows_is_about_that_of_their_json(run):
    meter = Mock(through=iter)
    rows = history_rows.sampled(run.pk, StreamKind.HISTORY, 100, meter=meter)
    weighed = sum(call.args[0] for call in meter.count_read.call_args_list)
    assert len(json.dumps(rows)) < weighed < 10 * len(json.dumps(rows))


def reads(run, meter):
    return (
        lambda: history_rows.sampled(run.pk, StreamKind.HISTORY, 5, meter=meter),
        lambda: history_rows.between(run.pk, 0, 100, meter=meter),
    )
