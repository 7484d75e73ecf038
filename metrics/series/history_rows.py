"""Rows that the SDK reads: a sample of them, or those of some steps, whole or some keys of them.

Which rows are wanted is settled by columns; only those rows are put together, exactly as they arrived.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import numpy as np

from metrics.models import StreamKind
from metrics.store import reads, row_blocks
from metrics.store.batches import Flags, pick, weight
from metrics.store.codec import SEPARATOR, Batch, Floats, Rows, row_numbers, unpack
from metrics.store.fetching import Needed, ahead
from metrics.store.row_blocks import Block

Row = dict[str, Any]
T = TypeVar("T")

_MISSING = object()


class Meter(Protocol):
    """Counts what a read costs; each method may raise to end it."""

    def through(self, parts: Iterable[T]) -> Iterator[T]:
        """Pass blocks on while they are read."""

    def count_read(self, size: int) -> None:
        """Count the bytes of rows before they are put together."""


class _Unmetered:
    def through(self, parts: Iterable[T]) -> Iterator[T]:
        return iter(parts)

    def count_read(self, size: int) -> None: ...


UNMETERED = _Unmetered()
"""For reads that are bounded by their caller."""


def _below(node: Any, path: Sequence[str]) -> Any:
    for part in path:
        if not isinstance(node, dict) or part not in node:
            return _MISSING
        node = node[part]
    return node


@dataclass(frozen=True, slots=True)
class HistoryKey:
    """A key by the name that the SDK has for it: literally one of a row, else nested by dots."""

    name: str
    path: list[str] = field(compare=False)
    """Where it is nested."""

    @classmethod
    def named(cls, name: str) -> "HistoryKey":
        """Return a key by its name."""
        return cls(name, name.split("."))

    def of(self, row: Mapping[str, Any]) -> Any:
        """Return its value in a row that has it."""
        return row[self.name] if self.name in row else _below(row, self.path)

    def concerns(self, shown: str) -> bool:
        """Say whether what is shown under a name may be its value, a part of that, or what it is a part of."""
        return shown == self.name or shown.startswith(f"{self.name}.") or self.name.startswith(f"{shown}.")

    def holds(self, path: Sequence[str]) -> bool:
        """Say whether what lies at a path of a row is its value or a part of that."""
        return path[0] == self.name or path[: len(self.path)] == self.path

    def is_within(self, path: Sequence[str], value: Any) -> bool:
        """Say whether a value that is no number, at a path, has it inside."""
        inside = self.path[len(path) :]
        return self.path[: len(path)] == path and _below(value, inside) is not _MISSING


@lru_cache(maxsize=4096)
def _is_among(key: HistoryKey, columns: tuple[str, ...]) -> bool:
    return any(key.holds(column.split(SEPARATOR)) for column in columns)


def _having(batch: Batch, key: HistoryKey) -> Flags:
    """Return which rows have a key."""
    found = np.zeros(batch.row_count, np.bool_)
    for group in batch.groups:
        if _is_among(key, group.keys):
            found[row_numbers(group, batch.row_count)] = True
    for row, path, value in batch.other:
        if not found[row] and (key.holds(path) or key.is_within(path, value)):
            found[row] = True
    return found


def _read(block: Block, keys: Sequence[HistoryKey] | None) -> Batch:
    """Return a block's rows with what keys are made of, perhaps more."""
    if keys is None:
        return block.batch()
    return block.narrowed(lambda shown: any(key.concerns(shown) for key in keys))


def _fetched(blocks: Iterable[Block], keys: Sequence[HistoryKey] | None) -> Iterator[Block]:
    """Pass blocks on; what of the keys lies in a bucket is fetched for several at once."""
    names = keys or []

    def needed(block: Block) -> list[Needed]:
        return block.needed_narrowed(lambda shown: any(key.concerns(shown) for key in names))

    return ahead(blocks, needed)


def _rows_of(block: Block, keys: Sequence[HistoryKey] | None) -> Rows:
    """Return the numbers of the rows that have all keys, or of those that have any, counted from the block's first."""
    if not keys:
        return block.filled()
    found = np.ones(block.row_to - block.row0, np.bool_)
    batch = _read(block, keys)
    for key in keys:
        found &= _having(batch, key)
    return np.flatnonzero(found)


def _x_of(block: Block, name: str) -> Floats:
    """Return a column by row, NaN where a row has none."""
    x = np.full(block.row_to - block.row0, np.nan)
    for _, rows, values in block.batch({name}).columns(frozenset({name})):
        x[rows] = values
    return x


def _selected_rows(block: Block, rows: Rows, keys: Sequence[HistoryKey] | None, meter: Meter) -> list[Row]:
    """Put some of a block's rows together."""
    if not rows.size:
        return []
    batch = pick(_read(block, keys), rows)
    meter.count_read(weight(batch))
    found = unpack(batch)
    return found if keys is None else [{key.name: key.of(row) for key in keys} for row in found]


def keys_of(names: Iterable[str]) -> list[HistoryKey]:
    """Return keys by their names, each once."""
    return [HistoryKey.named(name) for name in dict.fromkeys(names)]


def evenly(total: int, count: int) -> list[int]:
    """Return at most ``count`` places of ``total``, evenly chosen, first and last among them; of one, the last."""
    if total <= count:
        return list(range(total))
    if count == 1:
        return [total - 1]
    return [round(number * (total - 1) / (count - 1)) for number in range(count)]


def sampled(
    run_id: int,
    kind: StreamKind,
    count: int,
    keys: Sequence[HistoryKey] | None = None,
    meter: Meter = UNMETERED,
) -> list[Row]:
    """Return at most ``count`` rows, evenly chosen, in the order they arrived.

    Args:
        run_id: The run.
        kind: History or system metrics.
        count: At least 1.
        keys: What is wanted of rows; those that lack one are no candidates. None: all of every row.
        meter: Counts what it costs.
    """
    found = [
        (block, _rows_of(block, keys))
        for block in meter.through(_fetched(row_blocks.blocks(run_id, kind), keys))
    ]
    places = np.array(evenly(sum(rows.size for _, rows in found), count), np.int64)
    answer: list[Row] = []
    before = 0
    for block, rows in meter.through(found):
        start, stop = np.searchsorted(places, (before, before + rows.size))
        answer += _selected_rows(block, rows[places[start:stop] - before], keys, meter)
        before += rows.size
    return answer


def between(
    run_id: int, low: float, high: float, keys: Sequence[HistoryKey] | None = None, meter: Meter = UNMETERED
) -> list[Row]:
    """Return the history's rows of a range of steps, both ends included, by step, then in the order they arrived.

    Args:
        run_id: The run.
        low: The first step, or -inf.
        high: The last step, or inf.
        keys: What is wanted of rows; those that lack one are left out. None: all of every row.
        meter: Counts what it costs.
    """
    answer: list[Row] = []
    steps: list[Floats] = [np.array([])]
    blocks = row_blocks.blocks(run_id, StreamKind.HISTORY, x_from=low, x_to=high)
    for block in meter.through(_fetched(blocks, keys)):
        x = _x_of(block, reads.X_OF[StreamKind.HISTORY])
        rows = np.flatnonzero((x >= low) & (x <= high))
        if keys and rows.size:
            rows = np.intersect1d(rows, _rows_of(block, keys), assume_unique=True)
        answer += _selected_rows(block, rows, keys, meter)
        steps.append(x[rows])
    return [answer[place] for place in np.argsort(np.concatenate(steps), kind="stable")]
