"""All parameters of a sweep together: its grid, samples of it, and its points in the unit cube."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sweeps.space.dimension import Dimension
from sweeps.space.distributions import Distribution

Args = dict[str, Any]
"""Values of parameters by name, nested as the parameters are: ``{"lr": 0.1, "optimizer": {"kind": "adam"}}``."""

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its names from the outermost inwards, the name of its distribution, and this itself."""

    path: tuple[str, ...]
    kind: str
    distribution: Distribution

    @property
    def name(self) -> str:
        """The names joined by dots, for people."""
        return ".".join(self.path)

    @property
    def fixed(self) -> bool:
        """Whether there is nothing to search: a constant, or a single value."""
        return self.distribution.size() == 1


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters in the order of the document; no path is part of another."""

    parameters: tuple[Parameter, ...]

    def size(self) -> int | None:
        """Return the number of grid points, however many; None if the values of a parameter cannot be counted."""
        sizes = [parameter.distribution.size() for parameter in self.parameters]
        counted = [size for size in sizes if size is not None]
        return math.prod(counted) if len(counted) == len(sizes) else None

    def point(self, index: int) -> Args:
        """Return a grid point by its number; the last parameter changes fastest.

        Raises:
            IndexError: there is no such point.
            TypeError: the values of a parameter cannot be counted.
        """
        size = self.size()
        if size is None:
            raise TypeError("A continuous space has no grid.")
        if not 0 <= index < size:
            raise IndexError(index)
        digits = []
        for parameter in reversed(self.parameters):
            index, digit = divmod(index, parameter.distribution.size() or 1)
            digits.append(digit)
        return self._args(
            parameter.distribution.value(digit)
            for parameter, digit in zip(self.parameters, reversed(digits), strict=True)
        )

    def index_of(self, args: Args) -> int | None:
        """Return the number of a grid point, None if the arguments are no point; others than ours do not matter."""
        index = 0
        for parameter in self.parameters:
            digit = parameter.distribution.index_of(_found(args, parameter.path))
            size = parameter.distribution.size()
            if digit is None or size is None:
                return None
            index = index * size + digit
        return index

    def sample(self, rng: random.Random) -> Args:
        """Return arguments drawn from the distributions, each parameter by itself."""
        return self._args(parameter.distribution.draw(rng) for parameter in self.parameters)

    def dimensions(self) -> list[Dimension]:
        """Return the dimensions of the unit cube; parameters with a single value have none."""
        return [parameter.distribution.dimension() for parameter in self.parameters if not parameter.fixed]

    def to_args(self, point: Sequence[float]) -> Args:
        """Return the arguments at a point of the unit cube, one coordinate for each of `dimensions`."""
        coordinates = iter(point)
        return self._args(
            parameter.distribution.at(0.0 if parameter.fixed else next(coordinates))
            for parameter in self.parameters
        )

    def to_point(self, args: Args) -> tuple[float, ...] | None:
        """Return the point of the unit cube, None if the arguments lack a parameter or one is outside."""
        point = []
        for parameter in self.parameters:
            coordinate = parameter.distribution.coordinate(_found(args, parameter.path))
            if coordinate is None:
                return None
            if not parameter.fixed:
                point.append(coordinate)
        return tuple(point)

    def in_order(self, args: Args) -> Args:
        """Return arguments in the order of the document, which PostgreSQL's JSON does not keep; others come last."""
        return _with_rest(self.picked(args), args)

    def picked(self, args: Args) -> Args:
        """Return what arguments hold of the parameters, in the order of the document; missing ones are left out."""
        found: Args = {}
        for parameter in self.parameters:
            value = _found(args, parameter.path)
            if value is not _ABSENT:
                _put(found, parameter.path, value)
        return found

    def _args(self, values: Iterable[Any]) -> Args:
        args: Args = {}
        for parameter, value in zip(self.parameters, values, strict=True):
            _put(args, parameter.path, value)
        return args


def _put(args: Args, path: Sequence[str], value: Any) -> None:
    *outer, name = path
    for step in outer:
        args = args.setdefault(step, {})
    args[name] = value


def _with_rest(ordered: Args, args: Args) -> Args:
    """Add what the ordered ones lack, at every level."""
    for name, value in args.items():
        there = ordered.setdefault(name, value)
        if isinstance(there, dict) and isinstance(value, dict) and there is not value:
            _with_rest(there, value)
    return ordered


def _found(args: Args, path: Sequence[str]) -> Any:
    value: Any = args
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return _ABSENT
        value = value[name]
    return value
