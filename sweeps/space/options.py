"""Values that have no order: a constant, and one of several."""

import copy
import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from sweeps.space.dimension import Dimension


def identity(value: Any) -> Hashable:
    """Return what two JSON values share if and only if they are equal: 1 is 1.0, but not true."""
    if isinstance(value, list | tuple):
        return "list", tuple(map(identity, value))
    if isinstance(value, dict):
        return "dict", frozenset((key, identity(item)) for key, item in value.items())
    return isinstance(value, bool), value


def distinct(values: Iterable[Any]) -> list[int]:
    """Return the positions of values, each that equals an earlier one left out."""
    seen: dict[Hashable, int] = {}
    for position, value in enumerate(values):
        seen.setdefault(identity(value), position)
    return list(seen.values())


@dataclass(frozen=True, slots=True)
class Options:
    """One of some distinct JSON values; ``weights``, one each and above 0, say how often each is drawn."""

    values: Sequence[Any]
    weights: Sequence[float] | None = None
    _positions: dict[Hashable, int] = field(init=False, repr=False, compare=False)
    _cumulative: list[float] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positions = {identity(value): position for position, value in enumerate(self.values)}
        object.__setattr__(self, "_positions", positions)
        object.__setattr__(self, "_cumulative", list(accumulate(self.weights)) if self.weights else None)

    def size(self) -> int | None:
        """Return how many there are."""
        return len(self.values)

    def value(self, index: int) -> Any:
        """Return an option, which the caller may change."""
        return copy.deepcopy(self.values[index])

    def index_of(self, value: Any) -> int | None:
        """Return the position of a value, None if it is no option."""
        try:
            return self._positions.get(identity(value))
        except TypeError:  # what cannot be hashed is no JSON
            return None

    def draw(self, rng: random.Random) -> Any:
        """Return one option by chance."""
        if self._cumulative is None:
            return self.value(rng.randrange(len(self.values)))
        return self.value(rng.choices(range(len(self.values)), cum_weights=self._cumulative)[0])

    def dimension(self) -> Dimension:
        """Return the number of options."""
        return Dimension(choices=len(self.values))

    def at(self, coordinate: float) -> Any:
        """Return the option whose index is nearest to a coordinate."""
        return self.value(min(max(round(coordinate), 0), len(self.values) - 1))

    def coordinate(self, value: Any) -> float | None:
        """Return the index of an option."""
        index = self.index_of(value)
        return None if index is None else float(index)
