"""Lines smoothed over all their points, before they are reduced to what a chart draws (RUN-27).

The browser has the same formulas (``assets/ts/charts/smooth.ts``) for what it holds: short lines, groups, live points.
"""

import math
from dataclasses import dataclass

import numpy as np

from common.errors import Invalid
from metrics.store.codec import Floats

MAX_POINTS = 2_000_000
"""Of one request, read for smoothing: 0.3 s on the reference machine. Lines beyond are smoothed as they are drawn."""
_VIEWPORT = 1000
"""How many parts of the width the time-weighted average counts in."""
_SPAN = 300.0
"""Exponents of one stretch: e to this is a number yet."""
_MOST = {"ema": 0.9999, "time": 0.9999, "gaussian": 200.0, "average": 2000.0}


@dataclass(frozen=True, slots=True)
class Smoothing:
    """``ema`` and ``time`` have a weight below 1, ``gaussian`` a deviation and ``average`` a width in points."""

    kind: str
    amount: float

    @classmethod
    def of(cls, text: str) -> "Smoothing | None":
        """Read ``ema:0.9``; nothing gives None.

        Raises:
            Invalid: another kind, or an impossible amount.
        """
        if not text:
            return None
        kind, _, number = text.partition(":")
        try:
            amount = float(number)
        except ValueError:
            amount = math.nan
        if kind not in _MOST or not 0 < amount < math.inf:
            raise Invalid(
                f"smooth must be one of {', '.join(_MOST)} with an amount, such as ema:0.9, not {text[:40]!r}."
            )
        return cls(kind, min(amount, _MOST[kind]))


def smoothed(x: Floats, y: Floats, how: Smoothing) -> Floats:
    """Return the smoothed line; points that are not finite stay as they are, and change no other.

    Args:
        x: Rising.
        y: One for each x.
        how: The kind and amount.
    """
    known = np.isfinite(y)
    if not known.any():
        return y
    shown = y.astype(float)
    values = shown[known]
    if how.kind == "ema":
        shown[known] = _decayed(values, np.arange(values.size, dtype=float), -math.log(how.amount))
    elif how.kind == "time":
        width = float(x[-1] - x[0]) or 1.0
        weight = min(math.sqrt(how.amount), 0.999)
        shown[known] = _decayed(values, (x[known] - x[0]) / width * _VIEWPORT, -math.log(weight))
    else:
        shown[known] = _windowed(np.where(known, y, 0.0), known.astype(float), _kernel(how))[known]
    return shown


def _decayed(values: Floats, places: Floats, rate: float) -> Floats:
    """Return at each value the mean of it and those before, which weigh e^(-rate · distance): a debiased average."""
    shown = np.empty_like(values)
    above = below = 0.0
    before, start = places[0], 0
    while start < values.size:
        first = places[start]
        stop = int(np.searchsorted(places, first + _SPAN / rate, side="right"))
        grown = np.exp(rate * (places[start:stop] - first))
        kept = math.exp(-rate * (first - before))
        sums = above * kept + np.cumsum(values[start:stop] * grown)
        weights = below * kept + np.cumsum(grown)
        shown[start:stop] = sums / weights
        above, below, before = sums[-1] / grown[-1], weights[-1] / grown[-1], places[stop - 1]
        start = stop
    return shown


def _kernel(how: Smoothing) -> Floats:
    if how.kind == "average":
        return np.ones(2 * int(how.amount // 2) + 1)
    half = math.ceil(how.amount * 3)
    distance = np.arange(-half, half + 1)
    return np.exp(-(distance**2) / (2 * how.amount**2))


def _windowed(values: Floats, known: Floats, kernel: Floats) -> Floats:
    """Return each point's mean with those on both sides, weighed by the kernel, whose middle is the point."""
    half = kernel.size // 2

    def summed(column: Floats) -> Floats:
        return np.convolve(column, kernel)[half : half + column.size]

    with np.errstate(invalid="ignore", divide="ignore"):
        return summed(values) / summed(known)
