"""From all points of a key to as many as a chart draws: deterministic, and exact with fewer points than buckets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.store.codec import Floats

Ints = npt.NDArray[np.int64]


@dataclass(slots=True)
class Points:
    """Points, or blocks of neighbouring points already reduced; arrays of one length, ``x`` rising.

    ``low``, ``high`` and ``total`` are over the ``finite`` values (inf, -inf and 0 where there are none).
    """

    x: Floats
    """Where a point lies, or the last of a block."""
    low: Floats
    high: Floats
    total: Floats
    finite: Ints
    last: Floats
    count: Ints

    @classmethod
    def of(cls, x: Floats, y: Floats) -> "Points":
        """Return single points."""
        known = np.isfinite(y)
        count = np.ones(y.size, np.int64)
        if known.all():
            return cls(x, y, y, y, count, y, count)
        low, high = np.where(known, y, np.inf), np.where(known, y, -np.inf)
        return cls(x, low, high, np.where(known, y, 0.0), known.astype(np.int64), y, count)

    @classmethod
    def joined(cls, parts: "Sequence[Points]") -> "Points":
        """Return all points, one part after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def reduced(self, starts: Ints) -> "Points":
        """Return one point for each stretch that begins at ``starts`` and ends before the next."""
        ends = np.r_[starts[1:], self.x.size]
        return Points(
            x=self.x[ends - 1],
            low=np.minimum.reduceat(self.low, starts),
            high=np.maximum.reduceat(self.high, starts),
            total=np.add.reduceat(self.total, starts),
            finite=np.add.reduceat(self.finite, starts),
            last=self.last[ends - 1],
            count=np.add.reduceat(self.count, starts),
        )


@dataclass(slots=True)
class Series:
    """Buckets in order of x; arrays of one length. mean, min and max are over finite values where there are any."""

    x: Floats
    mean: Floats
    min: Floats
    max: Floats
    last: Floats
    count: Ints
    at: Ints
    """Which of the given points is each bucket's last."""

    @classmethod
    def of(cls, points: Points, at: Ints) -> "Series":
        """Return buckets from reduced points."""
        empty = points.finite == 0  # nothing finite in the bucket: show what is there
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = points.total / points.finite
        return cls(
            x=points.x,
            mean=np.where(empty, points.last, mean),
            min=np.where(empty, points.last, points.low),
            max=np.where(empty, points.last, points.high),
            last=points.last,
            count=points.count,
            at=at,
        )


def in_order(x: Floats) -> Ints | None:
    """Return the places of the finite x, in their order; None when that is all of them, as they are."""
    known = np.isfinite(x)
    if known.all():
        return None if (x[1:] >= x[:-1]).all() else np.argsort(x, kind="stable")
    places = np.flatnonzero(known)
    return places[np.argsort(x[places], kind="stable")]  # of points with equal x, the later stays later


def bucket_starts(x: Floats, buckets: int) -> Ints:
    """Return where buckets of equal width between the first and last x begin; only buckets that hold a point."""
    width = (x[-1] - x[0]) / buckets
    if width == 0:
        return np.zeros(1, np.int64)
    edges = np.searchsorted(x, x[0] + width * np.arange(1, buckets), side="left")
    return np.unique(np.r_[0, edges[edges < x.size]])


def sample_blocks(points: Points, buckets: int) -> Series:
    """Put blocks of points whose x rises into at most ``buckets``; a block belongs where its last point lies."""
    if points.x.size <= buckets:
        return Series.of(points, np.arange(points.x.size))
    starts = bucket_starts(points.x, buckets)
    ends = np.r_[starts[1:], points.x.size]
    return Series.of(points.reduced(starts), ends - 1)


def sample(x: Floats, y: Floats, buckets: int) -> Series:
    """Put points into at most ``buckets`` of equal width between the smallest and largest x.

    Args:
        x: Where each point lies, in any order, repeated or not; points whose x is not finite are left out.
        y: Their values; NaN and infinities among them.
        buckets: At least 1.

    Returns:
        One entry per bucket that holds a point; with at most ``buckets`` points, the points themselves by x.
    """
    order = in_order(x)
    if order is not None:
        x, y = x[order], y[order]
    found = sample_blocks(Points.of(x, y), buckets)
    if order is not None:
        found.at = order[found.at]
    return found
