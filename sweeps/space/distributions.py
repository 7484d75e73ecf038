"""How the values of one parameter are spread."""

import random
from dataclasses import dataclass
from typing import Any, Protocol

from sweeps.space.curves import Curve
from sweeps.space.dimension import Dimension
from sweeps.space.numbers import Multiples, as_number

_MOST_STEPS = 2**53
"""With more equally spaced values than a float can tell apart, a number is as good as continuous."""


class Distribution(Protocol):
    """The values of one parameter: by number in a grid, by chance, and in the unit cube."""

    def size(self) -> int | None:
        """Return how many values there are, None if they cannot be counted."""

    def value(self, index: int) -> Any:
        """Return a value by its number, of those that can be counted."""

    def index_of(self, value: Any) -> int | None:
        """Return the number of a value, None if it is none of them."""

    def draw(self, rng: random.Random) -> Any:
        """Return a value by chance."""

    def dimension(self) -> Dimension:
        """Return what an optimiser has to know."""

    def at(self, coordinate: float) -> Any:
        """Return the value at a coordinate: the index of an option, a position from 0 to 1 of a number."""

    def coordinate(self, value: Any) -> float | None:
        """Return the coordinate of a value, None if it is outside."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Equally spaced numbers, each as likely as the others; at least one."""

    multiples: Multiples
    first: int
    count: int

    @classmethod
    def of(cls, multiples: Multiples) -> "Steps":
        """Return the multiples, which have two ends."""
        if multiples.first is None:
            raise ValueError("Steps have a first one.")
        return cls(multiples, multiples.first, multiples.count() or 0)

    def size(self) -> int | None:
        """Return how many numbers there are."""
        return self.count

    def value(self, index: int) -> int | float:
        """Return the number at an index, ascending."""
        return self.multiples.value(self.first + index)

    def index_of(self, value: Any) -> int | None:
        """Return the index of a number, None if it is none of them."""
        factor = self.multiples.factor_of(value)
        return None if factor is None else factor - self.first

    def draw(self, rng: random.Random) -> int | float:
        """Return one of the numbers by chance."""
        return self.value(rng.randrange(self.count))

    def dimension(self) -> Dimension:
        """Return the number of steps, if it is of use."""
        return Dimension(steps=self.count if self.count <= _MOST_STEPS else None)

    def at(self, coordinate: float) -> int | float:
        """Return the number in whose n-th part of the unit a coordinate lies."""
        numerator, denominator = coordinate.as_integer_ratio()
        return self.value(min(max(numerator * self.count // denominator, 0), self.count - 1))

    def coordinate(self, value: Any) -> float | None:
        """Return the middle of a number's part of the unit."""
        index = self.index_of(value)
        return None if index is None else (2 * index + 1) / (2 * self.count)


@dataclass(frozen=True, slots=True)
class Continuous:
    """Any real number of a curve."""

    curve: Curve

    def size(self) -> int | None:
        """Return None: there is no counting them."""
        return None

    def value(self, index: int) -> float:
        """Refuse: there is no counting them."""
        raise TypeError("A continuous distribution has no grid.")

    def index_of(self, value: Any) -> int | None:
        """Return None: there is no counting them."""
        return None

    def draw(self, rng: random.Random) -> float:
        """Return a number by chance."""
        return self.curve.quantile(rng.random())

    def dimension(self) -> Dimension:
        """Return a continuous dimension."""
        return Dimension()

    def at(self, coordinate: float) -> float:
        """Return the quantile."""
        return self.curve.quantile(min(max(coordinate, 0.0), 1.0))

    def coordinate(self, value: Any) -> float | None:
        """Return the share of values below a number, None if it is none or out of bounds."""
        number = as_number(value)
        if number is None or not self.curve.low <= number <= self.curve.high:
            return None
        return self.curve.cumulative(float(number))


@dataclass(frozen=True, slots=True)
class Quantised:
    """The numbers of a curve, each rounded to the nearest multiple within its bounds."""

    curve: Curve
    multiples: Multiples

    def size(self) -> int | None:
        """Return how many multiples lie within the bounds, None if the curve has no end."""
        return self.multiples.count()

    def value(self, index: int) -> int | float:
        """Return the multiple at an index, ascending."""
        if self.multiples.first is None or self.multiples.last is None:
            raise TypeError("A distribution without bounds has no grid.")
        return self.multiples.value(self.multiples.first + index)

    def index_of(self, value: Any) -> int | None:
        """Return the index of a multiple, None if it is none, or there is no first one."""
        factor = self.multiples.factor_of(value)
        return None if factor is None or self.size() is None else factor - (self.multiples.first or 0)

    def draw(self, rng: random.Random) -> int | float:
        """Return a multiple by chance."""
        return self.at(rng.random())

    def dimension(self) -> Dimension:
        """Return a continuous dimension: multiples are not equally spaced in the unit."""
        return Dimension()

    def at(self, coordinate: float) -> int | float:
        """Return the multiple nearest to the quantile."""
        return self.multiples.nearest(self.curve.quantile(min(max(coordinate, 0.0), 1.0)))

    def coordinate(self, value: Any) -> float | None:
        """Return the share of the curve below a multiple, None if the value is none of them."""
        if self.multiples.factor_of(value) is None:
            return None
        return self.curve.cumulative(min(max(float(value), self.curve.low), self.curve.high))
