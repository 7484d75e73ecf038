"""What changed from one version to another: files, metadata, rows of a table."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import chain, islice, zip_longest
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import Cell, Column, cell_of, identity
from artifacts.previews.tables.joining import hold_rows
from artifacts.previews.tables.pages import NumberedRow, scan
from artifacts.previews.tables.request import place_of
from artifacts.previews.tables.sources import TableSource
from runs.config.flatten import flatten
from runs.table.comparison import ComparisonSection, compare_flat

MOST_CHANGES = 200
"""Changed rows that are returned; all are counted."""
MOST_LINES = 2000
"""Of a text that is compared line by line; the time grows with their square."""
_LINES_AROUND = 3


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file of a version, as its manifest has it."""

    path: str
    digest: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file before and after: with other content, or under another path."""

    before: ComparedFile
    after: ComparedFile


@dataclass(frozen=True, slots=True)
class FileComparison:
    """What became of the files; each list is sorted by path."""

    added: list[ComparedFile]
    removed: list[ComparedFile]
    changed: list[FilePair]
    renamed: list[FilePair]
    """Of a file that was there once or several times, as many as came under another path."""
    unchanged_count: int


def compare_files(before: Iterable[ComparedFile], after: Iterable[ComparedFile]) -> FileComparison:
    """Return which files were added, removed, changed and renamed."""
    old, new = ({file.path: file for file in files} for files in (before, after))
    both = sorted(old.keys() & new.keys())
    changed = [FilePair(old[path], new[path]) for path in both if old[path].digest != new[path].digest]
    gone = [old[path] for path in sorted(old.keys() - new.keys())]
    come = [new[path] for path in sorted(new.keys() - old.keys())]
    renamed = list(_renamed(gone, come))
    moved = {path for pair in renamed for path in (pair.before.path, pair.after.path)}
    return FileComparison(
        added=[file for file in come if file.path not in moved],
        removed=[file for file in gone if file.path not in moved],
        changed=changed,
        renamed=renamed,
        unchanged_count=len(both) - len(changed),
    )


def _renamed(gone: list[ComparedFile], come: list[ComparedFile]) -> Iterator[FilePair]:
    """Pair files of the same content, in the order of their paths."""
    by_digest: dict[str, list[ComparedFile]] = defaultdict(list)
    for file in reversed(come):
        by_digest[file.digest].append(file)
    for file in gone:
        if waiting := by_digest.get(file.digest):
            yield FilePair(file, waiting.pop())


def compare_metadata(
    before: dict[str, Any], after: dict[str, Any], *, with_equal: bool = False
) -> ComparisonSection:
    """Return the metadata of two versions key by key, secrets masked."""
    return compare_flat(_("Metadata"), [flatten(before), flatten(after)], with_equal=with_equal)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line in what changed in a text."""

    kind: str
    """``added``, ``removed``, ``same``, or ``gap`` where lines are left out."""
    text: str


def compare_texts(before: str, after: str) -> list[TextLine]:
    """Return the lines that changed with some around them; none if a text has more than MOST_LINES."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        return []
    kinds = {"+": "added", "-": "removed", " ": "same", "@": "gap"}
    lines = islice(unified_diff(old, new, n=_LINES_AROUND, lineterm=""), 2, None)  # without names of files
    return [TextLine(kinds[line[0]], line if line[0] == "@" else line[1:]) for line in lines]


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
    """Pair the rows; the later table is held meanwhile, and what nothing was paired with comes last."""
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
