"""How the numbers of a key are distributed, over all points of many runs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from common.errors import Invalid
from metrics.aggregates.numbers_query import ask
from metrics.aggregates.sources import sources
from metrics.models import StreamKind
from metrics.store.codec import Floats

MAX_POINTS = 20_000_000
"""That are read here."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Finite numbers in bins of equal width; there are none where nothing is finite."""

    runs: int
    """That have the key."""
    points: int
    """With those that are not finite."""
    finite: int
    mean: float
    edges: list[float]
    """One more than counts, rising."""
    counts: list[int]


@dataclass(slots=True)
class _Totals:
    """What bins are laid by."""

    streams: set[int] = field(default_factory=set)
    """That have the key, of those that are read here."""
    runs_there: int = 0
    """That have the key in ClickHouse alone."""
    points: int = 0
    finite: int = 0
    total: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    @property
    def runs(self) -> int:
        """How many have the key."""
        return len(self.streams) + self.runs_there

    def add(self, points: int, finite: int, total: float, low: float, high: float) -> None:
        """Count some points."""
        self.points, self.finite, self.total = self.points + points, self.finite + finite, self.total + total
        if finite:
            self.low, self.high = min(self.low, low), max(self.high, high)


def distribution_of(run_ids: Iterable[int], key: str, *, bins: int) -> Distribution:
    """Return how the numbers of a key are distributed.

    Raises:
        Invalid: too much lies outside ClickHouse.
        StorageUnavailable: ClickHouse does not answer.
    """
    names: list[str] = []
    values: list[Floats] = []
    totals = _Totals()
    for source in sources(run_ids, StreamKind.HISTORY):
        names += source.names
        for _run_id, stream_id, block in source.blocks:
            for _shown, _rows, found in block.numbers(lambda shown: shown == key):
                totals.streams.add(stream_id)
                values.append(_counted(found, totals))
    _add_totals_there(names, key, totals)
    if not totals.finite:
        return Distribution(totals.runs, totals.points, 0, math.nan, [], [])
    edges = _edges(totals.low, totals.high, bins)
    counts = _counts_there(names, key, edges)
    for some in values:
        counts += np.bincount(_bin_of(some, edges), minlength=counts.size)
    return Distribution(
        totals.runs,
        totals.points,
        totals.finite,
        totals.total / totals.finite,
        edges.tolist(),
        counts.tolist(),
    )


def _counted(values: Floats, totals: _Totals) -> Floats:
    """Count points; return those that are finite.

    Raises:
        Invalid: they are too many.
    """
    finite = values[np.isfinite(values)]
    bounds = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    totals.add(values.size, finite.size, float(finite.sum()), *bounds)
    if totals.points > MAX_POINTS:
        raise Invalid(
            f"These runs have more than {MAX_POINTS} points of the key outside ClickHouse, and no more are read for one"
            " question; narrow the runs by a filter."
        )
    return finite


def _edges(low: float, high: float, bins: int) -> Floats:
    """Return the edges; one bin where all numbers are the same, or too near to each other for more."""
    edges = np.linspace(low / 2, high / 2, bins + 1) * 2  # the difference itself may be beyond a double
    edges[0], edges[-1] = low, high
    return edges if np.all(edges[1:] > edges[:-1]) else np.array([low, high])


def _bin_of(values: Floats, edges: Floats) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return the bin of each: from its lower edge to before its upper one, which the last one has, too."""
    return np.minimum(np.searchsorted(edges, values, side="right") - 1, edges.size - 2)


def _add_totals_there(names: Sequence[str], key: str, totals: _Totals) -> None:
    rows = ask(
        "SELECT uniqExactIf(stream, NOT has({here:Array(UInt64)}, stream)), sum(length(values)), sum(finite),"
        " sum(total), minIf(low, finite > 0), maxIf(high, finite > 0) FROM {numbers} WHERE {wanted}",
        names,
        key,
        here=str(sorted(totals.streams)),
    )
    for runs, points, finite, total, low, high in rows:
        totals.runs_there = int(runs)
        totals.add(int(points), int(finite), float(total), float(low), float(high))


def _counts_there(
    names: Sequence[str], key: str, edges: Floats
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Count by the same rule as `_bin_of`."""
    counts = np.zeros(edges.size - 1, np.int64)
    rows = ask(
        "SELECT indexOf({edges:Array(Float64)}, edge), points FROM"
        " (SELECT roundDown(v, {edges:Array(Float64)}) AS edge, count() AS points FROM"
        " (SELECT arrayJoin(values) AS v FROM {numbers} WHERE {wanted}) WHERE isFinite(v) GROUP BY edge)",
        names,
        key,
        edges=str(edges.tolist()),
    )
    for place, points in rows:
        counts[min(int(place), counts.size) - 1] += int(points)
    return counts
