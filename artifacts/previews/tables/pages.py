"""Pages of rows and of groups. Sorting, filtering and grouping read the table once or twice, and hold little of it."""

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import (
    Cell,
    Column,
    ColumnKind,
    Identity,
    cell_of,
    identity,
    is_finite_number,
    sort_key,
    text_of,
)
from artifacts.previews.tables.request import MAX_TEXT, TableRequest, place_of
from artifacts.previews.tables.sources import TableSource
from common.errors import Invalid
from common.formats.lenient_json import clean_text

MOST_SCANNED = 1_000_000
"""Rows that are looked at for one page: of CSV some five seconds."""
MOST_SORTED = 100_000
"""Place of the last row that can be come to in a sorted table: keys of so many are held."""
MOST_GROUPS = 10_000
_MOST_SUMMARIES = 500_000
_OF_NUMBERS = frozenset("0123456789.+-e" + "nan" + "infinity")
"""Letters of numbers in JSON as Python writes it: those of `e`, `NaN` and `Infinity`, too."""
COUNT = ""
"""Among what groups are sorted by: how many rows they have."""

NumberedRow = tuple[int, list[Any]]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row as pages show it."""

    number: int
    """Its place in the file, from 0."""
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class TablePage:
    """Some rows of a table."""

    columns: tuple[Column, ...]
    rows: list[TableRow]
    total: int | None
    """How many rows meet the request; None if only reading to the end would tell."""
    has_more: bool


def read_page(source: TableSource, request: TableRequest) -> TablePage:
    """Return the rows that a request asks for.

    Raises:
        Invalid: no such column, or over a limit.
        UnreadablePreview: the file is damaged.
    """
    request.check()
    if not (request.sort or request.filters or request.search):
        return _read_plain(source, request)
    find = _sorted_numbers if request.sort else _filtered_numbers
    numbers, total = find(source, request)
    rows = source.pick(numbers)
    found = _shown([(number, rows[number]) for number in numbers])
    return TablePage(source.columns, found, total, total > request.offset + len(found))


def _shown(rows: Sequence[NumberedRow]) -> list[TableRow]:
    return [TableRow(number, [cell_of(value) for value in row]) for number, row in rows]


def _read_plain(source: TableSource, request: TableRequest) -> TablePage:
    """Read on from the offset, no further than the page goes."""
    rows = list(enumerate(islice(source.rows(request.offset), request.limit + 1), start=request.offset))
    has_more = len(rows) > request.limit
    total = source.row_count
    if not has_more and (rows or request.offset == 0):
        total = request.offset + len(rows)
    return TablePage(source.columns, _shown(rows[: request.limit]), total, has_more)


def scan(source: TableSource) -> Iterator[NumberedRow]:
    """Yield all rows with their numbers.

    Raises:
        Invalid: there are more than MOST_SCANNED.
    """
    return _counted(source.rows())


def _counted(rows: Iterator[list[Any]]) -> Iterator[NumberedRow]:
    for number, row in enumerate(rows):
        if number == MOST_SCANNED:
            text = _(
                "Only tables of up to %(most)s rows can be sorted, filtered, grouped, joined and compared."
            )
            raise Invalid(text % {"most": f"{MOST_SCANNED:,}"})
        yield number, row


def _matching(source: TableSource, request: TableRequest, names: Sequence[str]) -> Iterator[NumberedRow]:
    """Yield of rows that meet filters and search what is in the named columns."""
    places = [place_of(source.columns, name) for name in (*names, *(one.column for one in request.filters))]
    if request.search:
        places += range(len(source.columns))
    count = len(names)
    after_filters = count + len(request.filters)
    conditions = list(enumerate(request.filters, start=count))
    has_text = _finder(request.search)
    for number, row in _counted(source.parts_of_rows(places)):
        if conditions and not all(one.matches(row[place]) for place, one in conditions):
            continue
        if not request.search or has_text(row[after_filters:]):
            yield number, row[:count]


def _finder(search: str) -> Callable[[Sequence[Any]], bool]:
    """Return what says whether a text is in some cell, whatever its case; numbers are written out only if it can be."""
    wanted = search.casefold()
    passed_over = () if _OF_NUMBERS.issuperset(wanted) else (int, float)

    def has_text(cells: Sequence[Any]) -> bool:
        for cell in cells:
            if type(cell) in passed_over:
                continue
            if wanted in (cell if isinstance(cell, str) else text_of(cell)).casefold():
                return True
        return False

    return has_text


def matching_rows(source: TableSource, request: TableRequest) -> Iterator[list[Any]]:
    """Return all rows that meet filters and search, whole, as they are and in the order of the file.

    Raises:
        Invalid: no such column, or over a limit; while rows are read, that there are more than MOST_SCANNED.
    """
    request.check()
    names = [column.name for column in source.columns]
    for one in request.filters:
        place_of(source.columns, one.column)
    return (row for _number, row in _matching(source, request, names))


def _filtered_numbers(source: TableSource, request: TableRequest) -> tuple[list[int], int]:
    """Return the numbers of the rows of the page, and how many rows there are on all pages."""
    found: list[int] = []
    total = 0
    for number, _row in _matching(source, request, ()):
        if request.offset <= total < request.offset + request.limit:
            found.append(number)
        total += 1
    return found, total


def _sorted_numbers(source: TableSource, request: TableRequest) -> tuple[list[int], int]:
    """As `_filtered_numbers`; of rows only keys are held."""
    last = request.offset + request.limit
    if last > MOST_SORTED:
        text = _("Only the first %(most)s rows of a sorted table can be shown; filter it to see others.")
        raise Invalid(text % {"most": f"{MOST_SORTED:,}"})
    falls = [falling for _name, falling in request.sort]
    total = 0

    def keys() -> Iterator[tuple[Any, int]]:
        nonlocal total
        for number, row in _matching(source, request, [name for name, _falling in request.sort]):
            total += 1
            yield [_ordered(sort_key(value), falling=falls[at]) for at, value in enumerate(row)], number

    numbers = [number for _key, number in heapq.nsmallest(last, keys())]
    return numbers[request.offset :], total


class _Falling:
    """A key that comes before what is less."""

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: "_Falling") -> bool:
        return bool(other.key < self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Falling) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]  # it is only compared


def _ordered(key: Any, *, falling: bool) -> tuple[bool, Any]:
    """Return what sorts null last, whether the rest rises or falls."""
    if key is None:
        return True, 0
    return False, _Falling(key) if falling else key


@dataclass(slots=True)
class NumberSummary:
    """The finite numbers that a group has in a column."""

    count: int = 0
    mean: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def add(self, value: float) -> None:
        """Count a number in."""
        self.count += 1
        self.mean += (value - self.mean) / self.count
        self.low, self.high = min(self.low, value), max(self.high, value)


@dataclass(slots=True)
class TableGroup:
    """Rows that have the same value in one column."""

    cell: Cell
    """The value as pages show it."""
    text: str
    """The value for a `CellFilter` that finds the rows: EQUAL, or EMPTY where the cell is None."""
    key: tuple[int, Any] | None
    """What the value is sorted by."""
    count: int = 0
    numbers: dict[str, NumberSummary] = field(default_factory=dict)
    """Of each column that has numbers."""


@dataclass(frozen=True, slots=True)
class GroupsPage:
    """Some groups of a table."""

    groups: list[TableGroup]
    columns: tuple[Column, ...]
    """Those that some group has numbers in."""
    total: int
    """How many groups there are."""


def read_groups(source: TableSource, request: TableRequest, group_by: str) -> GroupsPage:
    """Group the rows that meet a request; groups are sorted by their value, their COUNT, or a mean.

    Raises:
        Invalid: no such column, or over a limit.
        UnreadablePreview: the file is damaged.
    """
    request.check()
    groups = _grouped(source, request, group_by)
    order = request.sort or ((group_by, False),)
    keys = [(_key_of_groups(source, name, group_by), falling) for name, falling in order]
    groups.sort(key=lambda group: tuple(_ordered(key(group), falling=falling) for key, falling in keys))
    columns = tuple(
        column for column in source.columns if any(column.name in group.numbers for group in groups)
    )
    return GroupsPage(groups[request.offset : request.offset + request.limit], columns, len(groups))


def _key_of_groups(source: TableSource, name: str, group_by: str) -> Callable[[TableGroup], Any]:
    if name == COUNT:
        return lambda group: group.count
    if name == group_by:
        return lambda group: group.key
    place_of(source.columns, name)
    return lambda group: group.numbers[name].mean if name in group.numbers else None


def _grouped(source: TableSource, request: TableRequest, group_by: str) -> list[TableGroup]:
    groups: dict[Identity, TableGroup] = {}
    names = [
        column.name
        for column in source.columns
        if column.name != group_by and column.kind in {ColumnKind.NUMBER, ColumnKind.ANY}
    ]
    most = min(MOST_GROUPS, _MOST_SUMMARIES // max(1, len(names)))
    for _number, (value, *others) in _matching(source, request, [group_by, *names]):
        known = identity(value)
        group = groups.get(known)
        if group is None:
            text = clean_text(text_of(value)[:MAX_TEXT])
            group = groups[known] = TableGroup(cell_of(value), text, sort_key(value))
        if len(groups) > most:
            refusal = _("%(name)s has more than %(most)s different values; filter the table to group it.")
            raise Invalid(refusal % {"name": group_by, "most": f"{most:,}"})
        group.count += 1
        for name, other in zip(names, others, strict=True):
            if is_finite_number(other):
                group.numbers.setdefault(name, NumberSummary()).add(other)
    return list(groups.values())
