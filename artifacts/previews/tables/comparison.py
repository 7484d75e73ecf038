"""What became of the rows of a table."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from artifacts.previews.cells import Cell, Column, cell_of, identity
from artifacts.previews.tables.joining import hold_rows
from artifacts.previews.tables.pages import NumberedRow, scan
from artifacts.previews.tables.request import place_of
from artifacts.previews.tables.sources import TableSource

MOST_CHANGES = 200
"""Changed rows that are returned; all are counted."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that was added (nothing before), removed (nothing after) or changed."""

    key: Cell
    """What is in the key column; without one the number of the row, from 0."""
    before: list[Cell] | None
    """In the order of the columns that both tables have."""
    after: list[Cell] | None
    changed: list[str]
    """Names of the columns whose cells differ, where there is a row before and after."""


@dataclass(slots=True)
class TableComparison:
    """What became of the rows of a table. Columns that only one has are named, and not compared."""

    columns: tuple[Column, ...]
    """Those that both have, in the order of the later table."""
    added_columns: list[str]
    removed_columns: list[str]
    added_count: int = 0
    removed_count: int = 0
    changed_count: int = 0
    unchanged_count: int = 0
    changes: list[RowChange] = field(default_factory=list)
    """The first MOST_CHANGES."""


_RowPair = tuple[NumberedRow | None, NumberedRow | None]


def compare_tables(before: TableSource, after: TableSource, key: str = "") -> TableComparison:
    """Compare rows that have the same value in the key column, else those of the same number.

    Of several rows with the same key the first is compared with the first, and so on.

    Raises:
        Invalid: a table has no such column, or is over a limit.
        UnreadablePreview: a file is damaged.
    """
    old_names, new_names = ({column.name for column in table.columns} for table in (before, after))
    found = TableComparison(
        columns=tuple(column for column in after.columns if column.name in old_names),
        added_columns=[column.name for column in after.columns if column.name not in old_names],
        removed_columns=[column.name for column in before.columns if column.name not in new_names],
    )
    old_places, new_places = (
        [place_of(table.columns, column.name) for column in found.columns] for table in (before, after)
    )
    pairs = _paired_by_key(before, after, key) if key else zip_longest(scan(before), scan(after))
    for pair in pairs:
        old = [pair[0][1][place] for place in old_places] if pair[0] else None
        new = [pair[1][1][place] for place in new_places] if pair[1] else None
        changed = _changed(found.columns, old, new)
        if _count(found, old, new, changed) and len(found.changes) < MOST_CHANGES:
            shown = _key_of_pair(before, after, pair, key)
            found.changes.append(RowChange(shown, _cells(old), _cells(new), changed))
    return found


def _paired_by_key(before: TableSource, after: TableSource, key: str) -> Iterator[_RowPair]:
    """Pair the rows; the later table is in memory meanwhile; rows without a partner come last."""
    place = place_of(before.columns, key)
    held = hold_rows(after, place_of(after.columns, key))
    for rows in held.values():
        rows.reverse()
    for numbered in scan(before):
        partners = held.get(identity(numbered[1][place]))
        yield numbered, partners.pop() if partners else None
    for numbered in sorted(chain.from_iterable(held.values()), key=lambda one: one[0]):
        yield None, numbered


def _changed(columns: tuple[Column, ...], old: list[Any] | None, new: list[Any] | None) -> list[str]:
    if old is None or new is None:
        return []
    cells = zip(columns, old, new, strict=True)
    return [column.name for column, was, now in cells if identity(was) != identity(now)]


def _count(found: TableComparison, old: list[Any] | None, new: list[Any] | None, changed: list[str]) -> bool:
    """Count a pair, and say whether something changed."""
    if old is None:
        found.added_count += 1
    elif new is None:
        found.removed_count += 1
    elif changed:
        found.changed_count += 1
    else:
        found.unchanged_count += 1
        return False
    return True


def _key_of_pair(before: TableSource, after: TableSource, pair: _RowPair, key: str) -> Cell:
    table, numbered = (after, pair[1]) if pair[1] else (before, pair[0])
    if numbered is None:
        return None
    return cell_of(numbered[1][place_of(table.columns, key)]) if key else numbered[0]


def _cells(row: list[Any] | None) -> list[Cell] | None:
    return None if row is None else [cell_of(value) for value in row]
