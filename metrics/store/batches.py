"""Batches cut and joined, by columns."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from common.formats.strict_json import size_of
from metrics.store.codec import Batch, Floats, Group, Mode, Rows, row_numbers

Flags = npt.NDArray[np.bool_]

_SIZE_OF_ROW = 64
_SIZE_OF_NUMBER = 32


def weight(batch: Batch) -> int:
    """Return about how many bytes its rows take once they are put together, without doing so."""
    numbers = sum(
        sum(len(key) + _SIZE_OF_NUMBER for key in group.keys) * int(group.values.shape[1])
        for group in batch.groups
    )
    return batch.row_count * _SIZE_OF_ROW + numbers + sum(size_of(value) for _, _, value in batch.other)


def cut(batch: Batch, start: int, stop: int) -> Batch:
    """Return the rows from ``start`` to before ``stop``, renumbered from 0."""
    if start <= 0 and stop >= batch.row_count:
        return batch
    start, stop = max(0, start), min(stop, batch.row_count)
    groups = []
    for group in batch.groups:
        rows = row_numbers(group, batch.row_count)
        low, high = np.searchsorted(rows, (start, stop))
        if low == high:
            continue
        is_dense = high - low == stop - start
        int_rows = {
            column: [at - int(low) for at in listed if low <= at < high]
            for column, listed in group.int_rows.items()
        }
        kept = None if is_dense else rows[low:high] - start
        groups.append(Group(group.keys, kept, group.values[:, low:high], group.modes, int_rows))
    other = [(row - start, path, value) for row, path, value in batch.other if start <= row < stop]
    return Batch(stop - start, groups, other)


def slices_of(batch: Batch, rows: int) -> Iterator[Batch]:
    """Yield a batch in slices of so many rows, each renumbered from 0."""
    if batch.row_count <= rows:
        yield batch
        return
    other: dict[int, list[tuple[int, list[str], Any]]] = defaultdict(list)
    for row, path, value in batch.other:
        other[row // rows].append((row % rows, path, value))
    numbers = Batch(batch.row_count, batch.groups, [])
    for number, start in enumerate(range(0, batch.row_count, rows)):
        part = cut(numbers, start, start + rows)
        part.other = other.get(number, [])
        yield part


def filled_rows(batch: Batch) -> Rows:
    """Return the numbers of the rows that have anything; one that stands for a line that was set aside is empty."""
    if any(group.rows is None for group in batch.groups):
        return np.arange(batch.row_count)
    parts = [row_numbers(group, batch.row_count) for group in batch.groups]
    return np.unique(np.concatenate([*parts, np.array([row for row, _, _ in batch.other], np.int64)]))


def without_empty(batch: Batch) -> Batch:
    """Return the rows that have anything, renumbered from 0."""
    rows = filled_rows(batch)
    return batch if rows.size == batch.row_count else pick(batch, rows)


def pick(batch: Batch, numbers: Rows) -> Batch:
    """Return the rows of these numbers, which rise, renumbered from 0."""
    groups = []
    for group in batch.groups:
        rows = row_numbers(group, batch.row_count)
        found = np.isin(numbers, rows, assume_unique=True)
        places = np.searchsorted(rows, numbers[found])
        if not places.size:
            continue
        int_rows = {
            column: np.flatnonzero(np.isin(places, listed)).tolist()
            for column, listed in group.int_rows.items()
        }
        kept = None if found.all() else np.flatnonzero(found)
        groups.append(Group(group.keys, kept, group.values[:, places], group.modes, int_rows))
    place_of = {number: place for place, number in enumerate(numbers.tolist())}
    other = [(place_of[row], path, value) for row, path, value in batch.other if row in place_of]
    return Batch(numbers.size, groups, other)


def _are_whole(values: Floats) -> Flags:
    return np.asarray(np.isfinite(values) & (values == np.floor(values)))


def _int_flags(group: Group, column: int) -> Flags:
    """Return which values were written as integers."""
    values, mode = group.values[column], group.modes[column]
    if mode == Mode.WHOLE_AS_INT:
        return _are_whole(values)
    flags = np.full(values.size, mode == Mode.INT)
    if mode == Mode.LISTED:
        flags[group.int_rows.get(column, [])] = True
    return flags


def _mode_of(values: Floats, ints: Flags) -> tuple[Mode, list[int]]:
    if not ints.any():
        return Mode.FLOAT, []
    if ints.all():
        return Mode.INT, []
    if np.array_equal(ints, _are_whole(values)):
        return Mode.WHOLE_AS_INT, []
    return Mode.LISTED, np.flatnonzero(ints).tolist()


class _Column:
    """One key's pieces, put into the order of rows."""

    def __init__(self) -> None:
        self._rows: list[Rows] = []
        self._values: list[Floats] = []
        self._ints: list[Flags] = []

    def add(self, rows: Rows, values: Floats, ints: Flags) -> None:
        """Add what one group holds; groups of one batch take turns in its rows."""
        self._rows.append(rows)
        self._values.append(values)
        self._ints.append(ints)

    def joined(self) -> tuple[Rows, Floats, Flags]:
        """Return rows, rising, values, and which of them were integers."""
        rows, values, ints = (
            np.concatenate(self._rows),
            np.concatenate(self._values),
            np.concatenate(self._ints),
        )
        if (np.diff(rows) < 0).any():
            order = np.argsort(rows)
            return rows[order], values[order], ints[order]
        return rows, values, ints


def _grouped(row_count: int, columns: dict[str, _Column]) -> list[Group]:
    """Put keys that the same rows have into one group."""
    members: dict[bytes, tuple[Rows, dict[str, tuple[Floats, Flags]]]] = {}
    for key, column in columns.items():
        rows, values, ints = column.joined()
        members.setdefault(rows.tobytes(), (rows, {}))[1][key] = values, ints
    groups = []
    for rows, found in members.values():
        modes = [_mode_of(values, ints) for values, ints in found.values()]
        groups.append(
            Group(
                keys=tuple(found),
                rows=None if rows.size == row_count else rows,
                values=np.array([values for values, _ in found.values()]),
                modes=bytes(mode for mode, _ in modes),
                int_rows={position: listed for position, (_, listed) in enumerate(modes) if listed},
            )
        )
    return groups


def join(batches: Sequence[Batch]) -> Batch:
    """Return one batch of all rows, in order."""
    if len(batches) == 1:
        return batches[0]
    columns: dict[str, _Column] = {}
    other: list[tuple[int, list[str], Any]] = []
    row0 = 0
    for batch in batches:
        for group in batch.groups:
            rows = row_numbers(group, batch.row_count) + row0
            for position, key in enumerate(group.keys):
                column = columns.setdefault(key, _Column())
                column.add(rows, group.values[position], _int_flags(group, position))
        other += [(row + row0, path, value) for row, path, value in batch.other]
        row0 += batch.row_count
    return Batch(row0, _grouped(row0, columns), other)
