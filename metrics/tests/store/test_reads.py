"""Reads of the store and what charts draw of them (MET-2, MET-4)."""

import numpy as np
import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from metrics.ingest.post import Post, PostedRows
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.series import selectors
from metrics.store import compaction, pyramid, reads, row_blocks
from metrics.store.downsampling import sample
from metrics.store.segments import SegmentIndex
from metrics.tests.ingest.test_ingest import history, post, send
from runs.ingest.posts import RunPost
from tests.factories import RunFactory


@pytest.fixture
def run(db):
    made = RunFactory()
    rows = [{**row, **({"val": row["_step"] * 2} if row["_step"] % 5 == 0 else {})} for row in history(0, 40)]
    rows[7]["loss"] = float("nan")
    rows[8]["nested"] = {"a": 3, "b": {"c": 0.5}}
    rows[9]["img"] = {"_type": "image-file", "path": "media/x.png"}
    send(post(made, history=(0, rows[:15])))
    send(post(made, history=(15, rows[15:])))
    return made


def test_columns_join_batches_by_row(run):
    found = reads.columns(row_blocks.blocks(run.pk, StreamKind.HISTORY), ["val", "nested.b.c", "none"])
    assert found["val"].rows.tolist() == [0, 5, 10, 15, 20, 25, 30, 35]
    assert found["val"].values.tolist() == [0, 10, 20, 30, 40, 50, 60, 70]
    assert found["nested.b.c"].values.tolist() == [0.5]
    assert found["none"].rows.size == 0


def test_a_reader_follows_by_row(run):
    assert [number for number, _ in reads.scan(run.pk, StreamKind.HISTORY, row_from=37)] == [
        37,
        38,
        39,
    ]  # MET-4
    assert reads.columns(row_blocks.blocks(run.pk, StreamKind.HISTORY, row_from=37), ["_step"])[
        "_step"
    ].values.tolist() == [
        37,
        38,
        39,
    ]


def test_describe_counts_every_key(run):
    stats = reads.key_stats([run.pk], StreamKind.HISTORY)[run.pk]
    assert (stats["loss"].type, stats["loss"].count, stats["loss"].max) == ("number", 40, 1.0)
    assert (stats["val"].count, stats["val"].min, stats["val"].max, stats["val"].last) == (8, 0, 70, 70)
    assert stats["img"].type == "image-file"
    assert stats["nested.a"].last == 3


def test_few_points_are_exact_and_many_are_bucketed(run):
    exact = selectors.series(run.pk, StreamKind.HISTORY, ["val"], buckets=100)["val"]
    assert exact["x"] == [0, 5, 10, 15, 20, 25, 30, 35]
    assert exact["mean"] == exact["min"] == exact["max"] == exact["last"]
    bucketed = selectors.series(run.pk, StreamKind.HISTORY, ["val"], buckets=4)["val"]
    assert bucketed["count"] == [2, 2, 2, 2]
    assert bucketed["mean"] == [5, 25, 45, 65]
    assert (bucketed["min"][0], bucketed["max"][0]) == (0, 10)


def test_a_point_on_an_edge_begins_the_next_bucket():
    """MET-2: buckets are of equal width and hold their beginning; the last one holds its end, too."""
    found = sample(np.arange(9.0), np.arange(9.0), buckets=4)
    assert found.count.tolist() == [2, 2, 2, 3]
    assert found.min.tolist() == [0, 2, 4, 6]
    assert found.x.tolist() == [1, 3, 5, 8]


def test_non_finite_values_travel_by_name(run):
    found = selectors.series(run.pk, StreamKind.HISTORY, ["loss"], buckets=100)["loss"]
    assert found["last"][7] == "NaN"


def test_any_key_may_be_the_x_axis(run):
    found = selectors.series(run.pk, StreamKind.HISTORY, ["val"], x="_runtime", buckets=100)["val"]
    assert found["x"] == [0, 5, 10, 15, 20, 25, 30, 35]
    assert (
        selectors.series(run.pk, StreamKind.HISTORY, ["loss"], x="val", buckets=100)["loss"]["x"]
        == found["mean"]
    )


points = st.lists(
    st.tuples(st.floats(-1e6, 1e6), st.floats(allow_nan=True, allow_infinity=True, width=32)),
    min_size=1,
    max_size=80,
)


@given(points, st.integers(1, 20))
def test_sampling_agrees_with_counting_by_hand(chosen, buckets):
    """MET-2: every point is in one bucket; min, max, mean over finite values; the same answer every time."""
    x, y = (np.array(column, float) for column in zip(*chosen, strict=True))
    found = sample(x, y, buckets)
    again = sample(x, y, buckets)
    assert np.array_equal(found.mean, again.mean, equal_nan=True)
    assert int(found.count.sum()) == len(chosen)
    assert len(found.x) <= max(buckets, min(len(chosen), buckets))
    assert (np.diff(found.x) >= 0).all()
    finite = y[np.isfinite(y)]
    if finite.size:
        shown = np.isfinite(found.min)
        assert found.min[shown].min() == finite.min()
        assert found.max[np.isfinite(found.max)].max() == finite.max()


def test_the_last_value_of_a_bucket_is_the_last_by_x():
    found = sample(np.array([3.0, 1.0, 2.0, 0.0]), np.array([30.0, 10.0, 20.0, 0.0]), 2)
    assert found.last.tolist() == [10.0, 30.0]


def test_all_points_at_one_x_are_one_bucket():
    found = sample(np.ones(5), np.arange(5.0), 2)
    assert (found.count.tolist(), found.mean.tolist(), found.last.tolist()) == ([5], [2.0], [4.0])


@pytest.fixture
def long_run(db):
    """Give 40,000 points in four segments and a tail: a walk with holes of NaN, and a key of every 10th row."""
    made = RunFactory()
    source = np.random.default_rng(7)
    walk = np.cumsum(source.normal(size=40_000))
    walk[::97] = np.nan
    walk[5000:5100] = np.nan
    walk = walk.tolist()
    for start in range(0, 40_000, 4000):
        rows = [
            {"_step": step, "_timestamp": 10.0 + step / 2, "_runtime": step / 2, "walk": walk[step],
             **({"rare": step, "deep": {"er": step}} if step % 10 == 0 else {})}
            for step in range(start, start + 4000)
        ]  # fmt: skip
        write_group([Post(run_id=made.pk, history=PostedRows.of(start, rows), run=RunPost(run_id=made.pk))])
        if start == 32_000:
            compaction.pack_stream(Stream.objects.get(run=made, kind=StreamKind.HISTORY).pk)
    return made


@pytest.mark.parametrize("key", ["walk", "rare", "deep.er"])
@pytest.mark.parametrize("x", ["_step", "_runtime", "_timestamp"])
def test_a_long_chart_reads_blocks_and_agrees_with_all_points(long_run, key, x):
    """The same points in the same order; an edge lies at most one block off."""
    buckets = 10
    [coarse] = reads.coarse(
        list(row_blocks.blocks(long_run.pk, StreamKind.HISTORY)), [key], x, buckets
    ).values()
    assert coarse[key].x.size < 40_000 / 8
    found = selectors.series(long_run.pk, StreamKind.HISTORY, [key], x=x, buckets=buckets)[key]
    every = selectors.series(long_run.pk, StreamKind.HISTORY, [key], x=x, buckets=buckets, exact=True)[key]
    assert sum(found["count"]) == sum(every["count"])
    assert (min(found["min"]), max(found["max"])) == (min(every["min"]), max(every["max"]))
    assert found["last"][-1] == every["last"][-1]
    assert (
        found["timestamp"][-1] == every["timestamp"][-1] == 10.0 + (39_990 if key != "walk" else 39_999) / 2
    )
    most = pyramid.level_for(sum(every["count"]), buckets)
    assert most == (512 if key == "walk" else 64)
    assert np.allclose(found["count"], every["count"], atol=most)
    assert np.allclose(found["mean"], every["mean"], atol=np.ptp(every["mean"]) / 20)


def test_a_segment_too_short_for_a_level_gives_the_next_finer(long_run):
    index = next(iter(row_blocks.blocks(long_run.pk, StreamKind.HISTORY))).index
    assert index is not None
    fine, middle, coarse = (index.block_ranges("rare", size, pyramid.AXES) for size in pyramid.LEVELS)
    assert fine != middle == coarse
    assert index.block_ranges("walk", 4096, pyramid.AXES) != index.block_ranges("walk", 512, pyramid.AXES)


def test_a_chart_over_another_key_or_steps_that_go_back_reads_all_points(long_run):
    assert selectors.series(long_run.pk, StreamKind.HISTORY, ["walk"], x="rare", buckets=5)["walk"]["count"]
    parts = list(row_blocks.blocks(long_run.pk, StreamKind.HISTORY))
    assert reads.coarse(parts, ["walk"], "_step", 1000) == {}  # too few points for blocks
    back = [{"_step": step, "_timestamp": 9e9 + step, "_runtime": 0.0, "walk": 1.0} for step in range(100)]
    write_group(
        [Post(run_id=long_run.pk, history=PostedRows.of(40_000, back), run=RunPost(run_id=long_run.pk))]
    )
    parts = list(row_blocks.blocks(long_run.pk, StreamKind.HISTORY))
    assert reads.coarse(parts, ["walk"], "_step", 15) == {}
    assert reads.coarse(parts, ["walk"], "_timestamp", 15) != {}
    assert (
        sum(selectors.series(long_run.pk, StreamKind.HISTORY, ["walk"], buckets=15)["walk"]["count"])
        == 40_100
    )


def test_lists_of_keys_and_the_last_row_read_no_column(long_run, monkeypatch):
    monkeypatch.setattr(SegmentIndex, "read", lambda *_: 1 / 0)
    stats = reads.key_stats([long_run.pk], StreamKind.HISTORY)[long_run.pk]
    assert (stats["walk"].count, stats["rare"].count, stats["rare"].max) == (40_000, 4000, 39_990)


@pytest.fixture
def three_runs(run, long_run):
    other = RunFactory()
    send(post(other, history=(0, history(0, 30))))
    return [run.pk, long_run.pk, other.pk]


def series_of(run_ids, keys, *, buckets):
    """Return what `selectors.series` would of each run, without the times, by one walk over the blocks of all."""
    request = selectors._SeriesRequest(keys, "_step", buckets, (), exact=False)
    walk = row_blocks.blocks_of(run_ids, StreamKind.HISTORY)
    return {run_id: selectors._series_by_key(parts, request) for run_id, parts in walk}


def test_charts_of_several_runs_are_those_of_each(three_runs, django_assert_num_queries):
    alone = {
        run_id: selectors.series(run_id, StreamKind.HISTORY, ["loss", "walk"], buckets=20)
        for run_id in three_runs
    }
    with django_assert_num_queries(4):  # streams, segments, tails, and whether a worker came between
        found = series_of([*three_runs, 0], ["loss", "walk"], buckets=20)
    times = {"runtime", "timestamp"}
    assert found == {
        run_id: {
            key: {name: values for name, values in drawn.items() if name not in times}
            for key, drawn in charts.items()
        }
        for run_id, charts in alone.items()
    }


def test_charts_of_several_runs_miss_nothing_that_is_packed_meanwhile(three_runs, monkeypatch):
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 10)

    def pack_before_the_tails_are_read(execute, sql, params, many, context):
        if "metrics_tail" in sql and sql.startswith("SELECT") and not packed:
            packed.append(sql)
            for stream in Stream.objects.filter(run_id=three_runs[2], kind=StreamKind.HISTORY):
                compaction.pack_stream(stream.pk)
        return execute(sql, params, many, context)

    packed: list[str] = []
    with connection.execute_wrapper(pack_before_the_tails_are_read):
        found = series_of(three_runs, ["loss"], buckets=100)
    assert packed
    assert found[three_runs[2]]["loss"]["x"] == list(range(30))
