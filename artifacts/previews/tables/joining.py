"""Tables that are made of others: parts one after the other, tables of several runs, and two joined by a column."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import Column, ColumnKind, Identity, identity, unique_names
from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tables.pages import NumberedRow, scan
from artifacts.previews.tables.request import place_of
from artifacts.previews.tables.sources import TableSource, check_column_count
from common.errors import Invalid
from common.formats.strict_json import size_of

MOST_HELD = 100_000
HELD_CHARACTERS = 32 * MIB
"""A join or comparison by key keeps one of the tables in memory; as Python's objects it takes ten times as much."""
MOST_PAIRS = 1_000_000
"""Rows of a joined table: two of 100,000 rows with one value in their columns have ten thousand million pairs."""


class PartitionedTable(TableSource):
    """Tables with the same columns, one after the other."""

    def __init__(self, parts: Sequence[TableSource]) -> None:
        if not parts:
            raise UnreadablePreview(_("The table has no parts."))
        self._parts = parts
        self.columns = parts[0].columns
        names = [column.name for column in self.columns]
        for number, part in enumerate(parts, start=1):
            if [column.name for column in part.columns] != names:
                text = _("Part %(number)s of the table has different columns than the first.")
                raise UnreadablePreview(text % {"number": number})
        counts = [part.row_count for part in parts if part.row_count is not None]
        self.row_count = sum(counts) if len(counts) == len(parts) else None

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on; parts before it are passed over where their length is known."""
        for part in self._parts:
            count = part.row_count
            if count is not None and count <= start:
                start -= count
            elif count is not None:
                yield from part.rows(start)
                start = 0
            else:
                for row in part.rows():
                    if start:
                        start -= 1
                    else:
                        yield row

    def parts_of_rows(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Yield what is in some columns, as each part reads them best."""
        return chain.from_iterable(part.parts_of_rows(places) for part in self._parts)

    def pick(self, numbers: Collection[int]) -> dict[int, list[Any]]:
        """Return the rows of these numbers; parts that have none of them are not read where their length is known."""
        if self.row_count is None:
            return super().pick(numbers)
        found: dict[int, list[Any]] = {}
        before = 0
        for part in self._parts:
            count = part.row_count or 0
            own = [number - before for number in numbers if before <= number < before + count]
            if own:
                found |= {number + before: row for number, row in part.pick(own).items()}
            before += count
        return (
            found if len(found) == len(set(numbers)) else super().pick(numbers)
        )  # a file may be wrong about itself


class _Labelled(TableSource):
    """A table under the columns of several; the first says whose it is."""

    def __init__(self, label: str, source: TableSource, columns: tuple[Column, ...]) -> None:
        self._label, self._source = label, source
        self.columns = columns
        self.row_count = source.row_count
        places = {column.name: place for place, column in enumerate(source.columns)}
        self._places = [None, *(places.get(column.name) for column in columns[1:])]

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on; null stands where the table has no such column."""
        return map(self._row, self._source.rows(start))

    def pick(self, numbers: Collection[int]) -> dict[int, list[Any]]:
        """Return the rows of these numbers."""
        return {number: self._row(row) for number, row in self._source.pick(numbers).items()}

    def _row(self, row: list[Any]) -> list[Any]:
        return [self._label, *(None if place is None else row[place] for place in self._places[1:])]

    def parts_of_rows(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Yield what is in some columns, of which the table reads its own."""
        own = [found for place in places if (found := self._places[place]) is not None]
        for row in self._source.parts_of_rows(own):
            cells = iter(row)
            yield [
                self._label if place == 0 else None if self._places[place] is None else next(cells)
                for place in places
            ]


def stack_tables(tables: Sequence[tuple[str, TableSource]], name: str) -> PartitionedTable:
    """Put tables one after the other that may have different columns.

    Args:
        tables: Each with whose it is; at least one.
        name: Of the first column, which says whose each row is; it gets a number if a table has such a column.
    """
    kinds: dict[str, ColumnKind] = {}
    for _label, source in tables:
        for column in source.columns:
            kind = kinds.setdefault(column.name, column.kind)
            kinds[column.name] = kind if kind is column.kind else ColumnKind.ANY
    *_others, own = unique_names([*kinds, name])
    columns = (Column(own, ColumnKind.TEXT), *(Column(each, kind) for each, kind in kinds.items()))
    check_column_count(len(columns))
    return PartitionedTable([_Labelled(label, source, columns) for label, source in tables])


def hold_rows(source: TableSource, place: int) -> dict[Identity, list[NumberedRow]]:
    """Return all rows by what is in a column, in their order.

    Raises:
        Invalid: there are more than MOST_HELD, or they have more than HELD_CHARACTERS.
    """
    held: dict[Identity, list[NumberedRow]] = {}
    size = 0
    for number, row in scan(source):
        size += size_of(row)
        if number == MOST_HELD or size > HELD_CHARACTERS:
            text = _(
                "Only tables of up to %(most)s rows and %(size)s MiB can be joined or compared by a column."
            )
            raise Invalid(text % {"most": f"{MOST_HELD:,}", "size": HELD_CHARACTERS // MIB})
        held.setdefault(identity(row[place]), []).append((number, row))
    return held


class JoinedTable(TableSource):
    """Two tables side by side: the column that joins them, then the others of the left one, then of the right one.

    Null joins nothing. An outer join has rows of the left table without a partner where they come, and those of the
    right one at the end.
    """

    row_count: int | None = None

    def __init__(
        self, left: TableSource, right: TableSource, left_key: str, right_key: str, *, is_outer: bool = True
    ) -> None:
        self._left, self._right, self._is_outer = left, right, is_outer
        self._left_place = place_of(left.columns, left_key)
        self._right_place = place_of(right.columns, right_key)
        key = left.columns[self._left_place]
        columns = [
            key,
            *_without(left.columns, self._left_place),
            *_without(right.columns, self._right_place),
        ]
        check_column_count(len(columns))
        names = unique_names(column.name for column in columns)
        self.columns = tuple(Column(name, column.kind) for name, column in zip(names, columns, strict=True))

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on; the right table is held meanwhile."""
        for number, row in enumerate(self._all_rows()):
            if number >= start:
                yield row

    def _require_few_pairs(self, held: Mapping[Identity, Sequence[NumberedRow]]) -> None:
        """Count the pairs before any is made; raises Invalid where they are too many."""
        pairs = 0
        for (key,) in self._left.parts_of_rows([self._left_place]):
            pairs += len(held.get(identity(key), ())) if key is not None else 0
            if pairs > MOST_PAIRS:
                text = _("Joined by %(name)s, these tables have more than %(most)s pairs of rows.")
                raise Invalid(text % {"name": self.columns[0].name, "most": f"{MOST_PAIRS:,}"})

    def _all_rows(self) -> Iterator[list[Any]]:
        held = hold_rows(self._right, self._right_place)
        self._require_few_pairs(held)
        found: set[Identity] = set()
        nothing = [None] * (len(self._right.columns) - 1)
        for _number, row in scan(self._left):
            key = row[self._left_place]
            known = identity(key)
            partners = held.get(known, []) if key is not None else []
            start = [key, *_without(row, self._left_place)]
            for _place, partner in partners:
                yield [*start, *_without(partner, self._right_place)]
            if partners:
                found.add(known)
            elif self._is_outer:
                yield [*start, *nothing]
        if self._is_outer:
            before = [None] * (len(self._left.columns) - 1)
            alone = chain.from_iterable(rows for known, rows in held.items() if known not in found)
            for _place, row in sorted(alone, key=lambda numbered: numbered[0]):
                yield [row[self._right_place], *before, *_without(row, self._right_place)]


def _without(items: Sequence[Any], place: int) -> list[Any]:
    return [*items[:place], *items[place + 1 :]]
