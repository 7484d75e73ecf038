"""What counts as a number, and the multiples of one that lie within bounds."""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self


def as_number(value: Any) -> int | float | None:
    """Return a number that fits a float as it is, None for anything else; true and false are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -sys.float_info.max <= value <= sys.float_info.max else None


@dataclass(frozen=True, slots=True)
class Multiples:
    """The multiples of ``q`` from the ``first`` to the ``last`` factor, both included; None is no bound.

    ``whole``: values are ints (``q`` is a whole number), else floats.
    """

    q: Fraction
    first: int | None
    last: int | None
    whole: bool

    @classmethod
    def within(cls, q: float, low: float, high: float) -> Self:
        """Return the multiples of ``q`` within bounds, which may be infinite; 0.1 means a tenth, as written."""
        step = Fraction(repr(q))
        return cls(
            step,
            math.ceil(Fraction(repr(low)) / step) if math.isfinite(low) else None,
            math.floor(Fraction(repr(high)) / step) if math.isfinite(high) else None,
            isinstance(q, int),
        )

    def count(self) -> int | None:
        """Return how many there are, None if they have no end; not above 0 if bounds leave none."""
        return None if self.first is None or self.last is None else self.last - self.first + 1

    def value(self, factor: int) -> int | float:
        """Return one multiple; a float is the one nearest to the exact product."""
        exact = self.q * factor
        return int(exact) if self.whole else float(exact)

    def nearest(self, x: float) -> int | float:
        """Return the multiple next to a finite number; an end for what lies beyond."""
        return self.value(self._clamped(round(Fraction(x) / self.q)))

    def factor_of(self, value: Any) -> int | None:
        """Return the factor of a multiple within bounds, allowing for the last digits of a sum of floats."""
        number = as_number(value)
        if number is None:
            return None
        exact = Fraction(number) / self.q
        factor = self._clamped(round(exact))
        allowed = max(abs(factor) * Fraction(1, 10**12), Fraction(1, 10**9))
        return factor if abs(exact - factor) <= allowed else None

    def _clamped(self, factor: int) -> int:
        if self.first is not None:
            factor = max(factor, self.first)
        return factor if self.last is None else min(factor, self.last)
