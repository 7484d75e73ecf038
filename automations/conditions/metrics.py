"""When a metric meets a condition: the one implementation, for posts as they come and for what is stored.

A condition looks at the values of one metric of one run in the order of their rows, and says of each whether it, with
those before it, meets the condition. NaN is no value: it is left out before. Results do not depend on how a series is
cut, as long as `need` values come before the first that is asked about: sums are made in one order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_ROUNDED = 1e-9
"""Numbers whose deviation is more than this of their mean are not all equal."""
_AT_ONCE = 1_000_000
"""Numbers that windows of one call hold at most: 8 MB."""


class Aggregate(StrEnum):
    """What is made of the values of a window."""

    MIN = "MIN"
    MAX = "MAX"
    AVERAGE = "AVERAGE"


class ChangeKind(StrEnum):
    """How a change is measured."""

    ABSOLUTE = "ABSOLUTE"
    RELATIVE = "RELATIVE"


class Direction(StrEnum):
    """Which way a metric goes."""

    INCREASE = "INCREASE"
    DECREASE = "DECREASE"
    ANY = "ANY"


COMPARISONS: dict[str, Callable[[Values, float], Flags]] = {
    "$gt": np.greater,
    "$gte": np.greater_equal,
    "$lt": np.less,
    "$lte": np.less_equal,
    "$eq": np.equal,
    "$ne": np.not_equal,
}
SIGNS = {"$gt": ">", "$gte": "≥", "$lt": "<", "$lte": "≤", "$eq": "=", "$ne": "≠"}


def _reduced(windows: Values, aggregate: Aggregate | None) -> Values:
    """Return one number for each window, the last axis; rows are copied so that each sum has one order."""
    if aggregate is None:
        return windows[..., -1]
    if aggregate is Aggregate.MIN:
        return np.asarray(windows.min(axis=-1))
    if aggregate is Aggregate.MAX:
        return np.asarray(windows.max(axis=-1))
    with np.errstate(invalid="ignore", over="ignore"):  # of both infinities
        return np.asarray(np.ascontiguousarray(windows).sum(axis=-1) / windows.shape[-1])


def _windows(values: Values, size: int) -> Values:
    return np.asarray(np.lib.stride_tricks.sliding_window_view(values, size, axis=-1))


@dataclass(frozen=True, slots=True)
class Threshold:
    """The last value, or the least, greatest or mean of the last ``window``, against a number."""

    metric: str
    aggregate: Aggregate | None
    window: int
    comparison: str
    threshold: float

    @property
    def need(self) -> int:
        """How many values it looks at, the last one among them."""
        return self.window if self.aggregate else 1

    @property
    def shape(self) -> tuple[Any, ...]:
        """What conditions have in common that are tried together."""
        return Threshold, self.aggregate, self.need, self.comparison

    @property
    def limit(self) -> float:
        """The number that is compared."""
        return self.threshold

    def measured(self, values: Values) -> Values:
        """Return what is compared at each value that has enough before it; the last axis is the series."""
        return _reduced(_windows(values, self.need), self.aggregate)

    def holds(self, measured: Values, limits: Values | float) -> Flags:
        """Say which of what was measured meets the condition."""
        return np.asarray(COMPARISONS[self.comparison](measured, limits))  # type: ignore[arg-type] # or many limits


@dataclass(frozen=True, slots=True)
class Change:
    """The last ``window`` values against the ``prior`` ones before them; without an aggregate, the last two values."""

    metric: str
    aggregate: Aggregate | None
    window: int
    prior: int
    amount: float
    kind: ChangeKind
    direction: Direction

    @property
    def _sizes(self) -> tuple[int, int]:
        return (self.window, self.prior) if self.aggregate else (1, 1)

    @property
    def need(self) -> int:
        """How many values it looks at, the last one among them."""
        return sum(self._sizes)

    @property
    def shape(self) -> tuple[Any, ...]:
        """What conditions have in common that are tried together."""
        return Change, self.aggregate, self._sizes, self.kind, self.direction

    @property
    def limit(self) -> float:
        """The number that is compared."""
        return self.amount

    def measured(self, values: Values) -> Values:
        """Return the change at each value; relative ones as a share, infinite where there was nothing before."""
        window, prior = self._sizes
        now = _reduced(_windows(values, window)[..., prior:, :], self.aggregate)
        before = _reduced(_windows(values, prior)[..., : now.shape[-1], :], self.aggregate)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            change = now - before
            return change / np.abs(before) if self.kind is ChangeKind.RELATIVE else change

    def holds(self, measured: Values, limits: Values | float) -> Flags:
        """Say which of what was measured meets the condition."""
        return _is_beyond(measured, limits, self.direction)


@dataclass(frozen=True, slots=True)
class ZScore:
    """How many standard deviations the last value lies from the mean of the ``window`` values before it."""

    metric: str
    window: int
    threshold: float
    direction: Direction

    @property
    def need(self) -> int:
        """How many values it looks at, the last one among them."""
        return self.window + 1

    @property
    def shape(self) -> tuple[Any, ...]:
        """What conditions have in common that are tried together."""
        return ZScore, self.window, self.direction

    @property
    def limit(self) -> float:
        """The number that is compared."""
        return self.threshold

    def measured(self, values: Values) -> Values:
        """Return the score at each value: infinite where all before were equal and this one is not."""
        windows = np.ascontiguousarray(_windows(values, self.window)[..., :-1, :])
        last = values[..., self.window :]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = windows.sum(axis=-1) / self.window
            off = windows - mean[..., np.newaxis]
            spread = np.sqrt(np.square(off, out=off).sum(axis=-1) / self.window)
            score = np.asarray((last - mean) / spread)
            few = np.nonzero(~(spread > np.abs(mean) * _ROUNDED))  # a mean of equal numbers is off by a bit
            first = windows[(*few, 0)]
            steady = (windows[few] == first[:, np.newaxis]).all(axis=-1)
            moved = last[few] - first
            score[few] = np.where(
                steady, np.where(moved == 0, np.nan, np.copysign(np.inf, moved)), score[few]
            )
        return score

    def holds(self, measured: Values, limits: Values | float) -> Flags:
        """Say which of what was measured meets the condition."""
        return _is_beyond(measured, limits, self.direction)

    def may_hold(self, values: Values, limits: Values) -> Flags:
        """Say of which series (the first axis) a value may meet the condition, by sums that are cheap and rounded."""
        count = self.window
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            off = values - values.mean(axis=-1, keepdims=True)
            sums, squares = np.cumsum(off, axis=-1), np.cumsum(off * off, axis=-1)
            total, square = sums[..., count - 1 : -1].copy(), squares[..., count - 1 : -1].copy()
            total[..., 1:] -= sums[..., : -count - 1]
            square[..., 1:] -= squares[..., : -count - 1]
            variance = square / count - np.square(total / count)
            distance = np.square(off[..., count:] - total / count)
            slack = squares[..., -1:] * _ROUNDED
            return np.asarray(~(distance + slack < limits * limits * (variance - slack)).all(axis=-1))


MetricTest = Threshold | Change | ZScore


def _is_beyond(measured: Values, limits: Values | float, direction: Direction) -> Flags:
    """Compare as the SDK says that a server does: the limit itself counts."""
    with np.errstate(invalid="ignore"):
        if direction is Direction.INCREASE:
            return np.asarray(measured >= limits)
        if direction is Direction.DECREASE:
            return np.asarray(measured <= -np.asarray(limits))
        return np.asarray(np.abs(measured) >= limits)


@dataclass(frozen=True, slots=True)
class Hits:
    """Where a series meets a condition."""

    positions: npt.NDArray[np.int64]
    """Of the values that meet it, among those given."""
    measured: Values
    """What was compared there."""


def hits(test: MetricTest, values: Values, first: int = 0) -> Hits:
    """Return where, from the value ``first`` on, the values meet a condition.

    Args:
        test: The condition.
        values: The metric's values in order, without NaN; those before ``first`` are only looked back at.
        first: The first value that is asked about.
    """
    positions, found = [], []
    need = test.need
    start = max(first, need - 1)
    step = max(1, _AT_ONCE // need)
    for begin in range(start, values.size, step):
        measured = test.measured(values[begin - need + 1 : begin + step])
        met = np.flatnonzero(test.holds(measured, test.limit))
        positions.append(met + begin)
        found.append(measured[met])
    if not positions:
        return Hits(np.array([], np.int64), np.array([], np.float64))
    return Hits(np.concatenate(positions), np.concatenate(found))
