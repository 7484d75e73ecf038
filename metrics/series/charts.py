"""Series of many runs at once, as a workspace draws them: four statements for any number of runs and keys."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metrics.models import StreamKind
from metrics.series.smoothing import MAX_POINTS, Smoothing, smoothed
from metrics.store import reads, row_blocks
from metrics.store.codec import Floats
from metrics.store.columns import Column, positions_on
from metrics.store.downsampling import Ints, Points, bucket_starts, in_order, sample_blocks
from metrics.store.fetching import Needed, ahead
from metrics.store.pyramid import AXES
from metrics.store.row_blocks import Block

_LARGEST_SHORT = 2.0**24
"""Whole numbers up to here are exact in 32 bits."""
_LARGEST_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """What to draw of each run.

    ``x_from`` and ``x_to`` are in units of ``x``; the points next to the range come along, so that lines reach its
    edges. With ``since`` (run to row) only rows from there on are read, each point on its own.
    """

    kind: StreamKind
    keys: Sequence[str]
    x: str = ""
    """``_step``, ``_runtime``, ``_timestamp`` or any logged key; "" is the kind's own (step or time)."""
    buckets: int = 600
    x_from: float | None = None
    x_to: float | None = None
    since: Mapping[int, int] = field(default_factory=dict)
    smoothing: Smoothing | None = None
    """Over all points of a line, as far as `smoothing.MAX_POINTS` of a request reach."""

    @property
    def axis(self) -> str:
        """The key that x is."""
        return self.x or reads.X_OF[self.kind]

    @property
    def is_ranged(self) -> bool:
        """Whether x is bounded."""
        return self.x_from is not None or self.x_to is not None

    @property
    def is_coarse(self) -> bool:
        """Whether blocks of points will do."""
        is_whole = not self.is_ranged and not self.since and not self.smoothing
        return is_whole and self.axis in AXES


@dataclass(slots=True)
class ChartSeries:
    """One key of one run: arrays of one length, x rising. ``low`` and ``high`` are None where each point is shown."""

    x: Floats
    last: Floats
    low: Floats | None = None
    high: Floats | None = None
    smooth: Floats | None = None
    """Of all points up to each; None where nobody asked, or there are too many."""


@dataclass(frozen=True, slots=True)
class RunSeries:
    """What is drawn of one run, and the row that its next point will have."""

    run_id: int
    next_row: int
    by_key: dict[str, ChartSeries]


def series_of_runs(run_ids: Collection[int], request: ChartRequest) -> Iterator[RunSeries]:
    """Yield the series of each run that has rows."""
    left = MAX_POINTS if request.smoothing else 0
    found = row_blocks.blocks_of(run_ids, request.kind, since=request.since)
    for run_id, blocks in ahead(found, lambda one: _needed(one[1], request)):
        next_row = blocks[-1].part.row_to if blocks else request.since.get(run_id, 0)
        left -= _points_in(blocks, request) if left > 0 else 0
        own = request if left > 0 else replace(request, smoothing=None)
        yield RunSeries(run_id, next_row, _series_by_key(_in_range(blocks, own), own))


def _needed(blocks: list[Block], request: ChartRequest) -> list[Needed]:
    """Return what a run's lines are drawn from, as far as it lies in a bucket."""
    if not any(block.is_remote for block in blocks):
        return []
    buckets = request.buckets if request.is_coarse else None
    return reads.needed(_in_range(blocks, request), request.keys, request.axis, buckets)


def _points_in(blocks: list[Block], request: ChartRequest) -> int:
    """Return how many points the keys have; of blocks without an index, how many they may have."""
    return sum(
        block.part.row_to - block.row0 if block.index is None else block.index.count(key)
        for block in blocks
        for key in request.keys
    )


def _in_range(blocks: list[Block], request: ChartRequest) -> list[Block]:
    """Leave blocks out that lie wholly outside of the range; one on each side stays, for the points at its edges."""
    if request.smoothing or not request.is_ranged or request.axis != reads.X_OF[request.kind]:
        return blocks
    inside = [
        position
        for position, block in enumerate(blocks)
        if (request.x_from is None or block.part.x1 >= request.x_from)
        and (request.x_to is None or block.part.x0 <= request.x_to)
    ]
    return blocks[max(0, inside[0] - 1) : inside[-1] + 2] if inside else []


def _series_by_key(blocks: list[Block], request: ChartRequest) -> dict[str, ChartSeries]:
    reduced = reads.coarse(blocks, request.keys, request.axis, request.buckets) if request.is_coarse else {}
    left = [key for key in request.keys if key not in reduced]
    columns = reads.columns(blocks, {*left, request.axis}) if left else {}
    layouts: list[tuple[Column, _PointLayout]] = []
    found: dict[str, ChartSeries] = {}
    for key in request.keys:
        if key in reduced:
            found[key] = _from_blocks(reduced[key][key], request)
        elif columns[key].rows.size:
            found[key] = _layout_of(columns[key], columns[request.axis], request, layouts).line(
                columns[key].values, request.smoothing
            )
    return {key: line for key, line in found.items() if line.x.size}


def _from_blocks(points: Points, request: ChartRequest) -> ChartSeries:
    drawn = sample_blocks(points, request.buckets)
    return ChartSeries(drawn.x, drawn.last, drawn.min, drawn.max)


@dataclass(slots=True)
class _PointLayout:
    """Where the points of keys that the same rows have lie, and which of them are drawn as one."""

    order: Ints | None
    all_x: Floats
    x: Floats
    first: int
    """Of the points in x's order, the first drawn."""
    starts: Ints
    """Of each bucket, counted from ``first``."""
    ends: Ints

    def line(self, values: Floats, smoothing: Smoothing | None) -> ChartSeries:
        """Return a key's line."""
        whole = values if self.order is None else values[self.order]
        line = self._drawn(whole)
        if smoothing is not None and self.ends.size:
            line.smooth = smoothed(self.all_x, whole, smoothing)[self.first + self.ends - 1]
        return line

    def _drawn(self, whole: Floats) -> ChartSeries:
        y = whole[self.first : self.first + int(self.ends[-1])] if self.ends.size else whole[:0]
        if self.starts.size == y.size:
            return ChartSeries(self.x, np.ascontiguousarray(y))
        known = np.isfinite(y)
        if known.all():
            low, high = np.minimum.reduceat(y, self.starts), np.maximum.reduceat(y, self.starts)
            return ChartSeries(self.x, y[self.ends - 1], low, high)
        last = y[self.ends - 1]
        low = np.minimum.reduceat(np.where(known, y, np.inf), self.starts)
        high = np.maximum.reduceat(np.where(known, y, -np.inf), self.starts)
        is_empty = low > high
        return ChartSeries(self.x, last, np.where(is_empty, last, low), np.where(is_empty, last, high))


def _layout_of(
    column: Column, axis: Column, request: ChartRequest, known: list[tuple[Column, _PointLayout]]
) -> _PointLayout:
    """Return the layout of a key's points, found once for all keys that the same rows have."""
    for other, layout in known:
        if other.rows is column.rows or np.array_equal(other.rows, column.rows):
            return layout
    layout = _find_layout(positions_on(axis, column.rows, request.axis), request)
    known.append((column, layout))
    return layout


def _find_layout(x: Floats, request: ChartRequest) -> _PointLayout:
    order = in_order(x)
    x = x if order is None else x[order]
    all_x, first, stop = x, 0, x.size
    if request.x_from is not None:
        first = int(np.searchsorted(x, request.x_from, side="left"))
    if request.x_to is not None:
        stop = int(np.searchsorted(x, request.x_to, side="right"))
    inside = np.array([], np.int64)
    if stop > first:
        is_exact = stop - first <= request.buckets or bool(request.since)
        inside = np.arange(stop - first) if is_exact else bucket_starts(x[first:stop], request.buckets)
    before, after = int(request.is_ranged and first > 0), int(request.is_ranged and stop < x.size)
    starts = np.r_[np.zeros(before, np.int64), inside + before, np.full(after, stop - first + before)]
    starts = starts.astype(np.int64)
    first, stop = first - before, stop + after
    ends = np.r_[starts[1:], max(0, stop - first)].astype(np.int64)[: starts.size]
    return _PointLayout(order, all_x, x[first + ends - 1] if ends.size else x[:0], first, starts, ends)


def json_numbers(values: Floats, *, precise: bool = False) -> Any:
    """Return what the JSON encoder takes: an array, or a list with the names of non-finite values.

    Args:
        values: Any.
        precise: All digits; otherwise about seven, as many as a screen can show.
    """
    if not np.isfinite(values).all():
        names = {np.inf: "Infinity", -np.inf: "-Infinity"}
        return [value if np.isfinite(value) else names.get(value, "NaN") for value in values.tolist()]
    if precise or (np.abs(values) >= _LARGEST_SHORT).any():
        return np.ascontiguousarray(values)
    return values.astype(np.float32)


def json_x(x: Floats) -> Any:
    """Return x as the JSON encoder takes it, whole numbers without a point."""
    whole = x.astype(np.int64) if (np.abs(x) < _LARGEST_WHOLE).all() else None
    return whole if whole is not None and (whole == x).all() else np.ascontiguousarray(x)
