"""What was logged under each key: counted once per block of rows, joined when asked."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics.store.codec import SEPARATOR, Batch, Floats


@dataclass(frozen=True, slots=True)
class KeyStats:
    """What was logged under one key."""

    type: str
    """"number", "string", "boolean", "null", "object", a media type such as "image-file", "media" for a
    list of several, or "mixed"."""
    count: int
    last: Any
    min: float | None = None
    max: float | None = None
    types: tuple[str, ...] = ()
    """All of them, where ``type`` is "mixed"."""


def shown_key(column: str) -> str:
    """Return what pages and the SDK call a column: nested keys joined by dots."""
    return column.replace(SEPARATOR, ".")


def type_of(value: Any) -> str:
    """Return a value's type, as `KeyStats` names it."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if value is None:
        return "null"
    if isinstance(value, dict):
        return str(value.get("_type", "object"))
    return "string" if isinstance(value, str) else _type_of_list(value)


def _type_of_list(values: Any) -> str:
    """Return a media type for a list of media, which the SDK sends so where it has no form of its own for them."""
    if not values or not isinstance(values[0], dict):
        return "list"
    types = {str(value["_type"]) if isinstance(value, dict) and "_type" in value else "" for value in values}
    if "" in types:
        return "list"
    return types.pop() if len(types) == 1 else "media"


class _KeyCounter:
    """Counts one key."""

    __slots__ = ("count", "last", "last_row", "max", "min", "types")

    def __init__(self) -> None:
        self.count, self.last_row = 0, -1
        self.last: Any = None
        self.min, self.max = math.inf, -math.inf
        self.types: set[str] = set()

    def add_numbers(self, count: int, last_row: int, last: float, low: float, high: float) -> None:
        self.types.add("number")
        self.count += count
        self.min, self.max = min(self.min, low), max(self.max, high)
        if last_row > self.last_row:
            self.last_row, self.last = last_row, last

    def add_other(self, row: int, value: Any) -> None:
        self.types.add(type_of(value))
        self.count += 1
        if row >= self.last_row:
            self.last_row, self.last = row, value

    def join(self, other: "_KeyCounter") -> None:
        self.types |= other.types
        self.count += other.count
        self.min, self.max = min(self.min, other.min), max(self.max, other.max)
        if other.last_row >= self.last_row:
            self.last_row, self.last = other.last_row, other.last

    def stats(self) -> KeyStats:
        types = tuple(sorted(self.types))
        kind = types[0] if len(types) == 1 else "mixed"
        bounded = self.min <= self.max
        low, high = (self.min, self.max) if bounded else (None, None)
        return KeyStats(kind, self.count, self.last, low, high, types)


def _bounds(values: Floats) -> tuple[list[float], list[float]]:
    """Return the smallest and largest finite number of each row of a matrix; infinities, the wrong way, for none."""
    finite = np.isfinite(values)
    if finite.all():
        return values.min(axis=1).tolist(), values.max(axis=1).tolist()
    return (
        np.where(finite, values, np.inf).min(axis=1).tolist(),
        np.where(finite, values, -np.inf).max(axis=1).tolist(),
    )


class KeyStatsBuilder:
    """Counts all keys of some rows."""

    def __init__(self) -> None:
        self._by_key: dict[str, _KeyCounter] = {}

    def _of(self, key: str) -> _KeyCounter:
        counter = self._by_key.get(key)
        if counter is None:
            counter = self._by_key[key] = _KeyCounter()
        return counter

    def add(self, row0: int, batch: Batch) -> None:
        """Count a batch's rows."""
        for group in batch.groups:
            count = group.values.shape[1]
            last_row = row0 + (batch.row_count - 1 if group.rows is None else int(group.rows[-1]))
            lasts = group.values[:, -1].tolist()
            for column, last, low, high in zip(group.keys, lasts, *_bounds(group.values), strict=True):
                self._of(shown_key(column)).add_numbers(count, last_row, last, low, high)
        columns = {key for group in batch.groups for key in group.keys}
        for number, path, value in batch.other:
            counter = self._of(".".join(path))
            counter.add_other(row0 + number, value)
            if type(value) is int and SEPARATOR.join(path) in columns:  # a large integer is a number, too
                counter.count -= 1

    def join(self, others: "KeyStatsBuilder") -> None:
        """Count what another has counted, which gives its counts away."""
        for key, counter in others._by_key.items():
            known = self._by_key.setdefault(key, counter)
            if known is not counter:
                known.join(counter)

    def names(self) -> list[str]:
        """Return the keys' shown names, in order."""
        return sorted(self._by_key)

    def stats(self, names: Iterable[str] | None = None) -> dict[str, KeyStats]:
        """Return what was logged under each key, or under these, by its shown name."""
        return {name: self._by_key[name].stats() for name in (self.names() if names is None else names)}

    def last_numbers(self) -> dict[str, tuple[int, float]]:
        """Return, per key that ends in a number, the row that has it, and the number."""
        return {
            key: (counter.last_row, float(counter.last))
            for key, counter in self._by_key.items()
            if isinstance(counter.last, int | float)
        }

    def dump(self) -> dict[str, Any]:
        """Return what `load` takes, as JSON can hold it."""
        return {
            key: [
                sorted(counter.types),
                counter.count,
                counter.last_row,
                counter.last,
                counter.min,
                counter.max,
            ]
            for key, counter in self._by_key.items()
        }

    @classmethod
    def load(cls, dumped: dict[str, Any]) -> "KeyStatsBuilder":
        """Return what was dumped."""
        builder = cls()
        for key, (types, count, last_row, last, low, high) in dumped.items():
            counter = builder._of(key)
            counter.types, counter.count, counter.last_row, counter.last = set(types), count, last_row, last
            counter.min, counter.max = low, high
        return builder
