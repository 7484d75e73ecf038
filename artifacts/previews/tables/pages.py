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
from artifacts.previews.tables.request import MAX_TEXT, TableRequest, contains, place_of
from artifacts.previews.tables.sources import TableSource
from common.errors import Invalid

MOST_SCANNED = 2_000_000
"""Rows that are looked at for one page: some ten seconds."""
MOST_SORTED = 100_000
"""Place of the last row that can be come to in a sorted table: keys of so many are held."""
MOST_GROUPS = 10_000
_MOST_SUMMARIES = 500_000
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
    if request.sort:
        found, total = _sorted_rows(source, request)
    else:
        found, total = _filtered_rows(source, request)
    return TablePage(source.columns, _shown(found), total, total > request.offset + len(found))


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
    for number, row in enumerate(source.rows()):
        if number == MOST_SCANNED:
            text = _(
                "Only tables of up to %(most)s rows can be sorted, filtered, grouped, joined and compared."
            )
            raise Invalid(text % {"most": f"{MOST_SCANNED:,}"})
        yield number, row


def _matching(source: TableSource, request: TableRequest) -> Iterator[NumberedRow]:
    """Yield the rows that meet filters and search."""
    conditions = [(place_of(source.columns, one.column), one) for one in request.filters]
    for number, row in scan(source):
        if all(one.matches(row[place]) for place, one in conditions) and (
            not request.search or any(contains(cell, request.search) for cell in row)
        ):
            yield number, row


def _filtered_rows(source: TableSource, request: TableRequest) -> tuple[list[NumberedRow], int]:
    """Return the rows of the page, and how many there are on all pages."""
    found: list[NumberedRow] = []
    total = 0
    for numbered in _matching(source, request):
        if request.offset <= total < request.offset + request.limit:
            found.append(numbered)
        total += 1
    return found, total


def _sorted_rows(source: TableSource, request: TableRequest) -> tuple[list[NumberedRow], int]:
    """As `_filtered_rows`. Of all rows only keys are held, and those of the page are read again."""
    last = request.offset + request.limit
    if last > MOST_SORTED:
        text = _("Of a sorted table only the first %(most)s rows can be shown; filter it to see others.")
        raise Invalid(text % {"most": f"{MOST_SORTED:,}"})
    key = _key_of_rows([(place_of(source.columns, name), falling) for name, falling in request.sort])
    total = 0

    def keys() -> Iterator[tuple[Any, int]]:
        nonlocal total
        for number, row in _matching(source, request):
            total += 1
            yield key(row), number

    numbers = [number for _key, number in heapq.nsmallest(last, keys())][request.offset :]
    wanted = set(numbers)
    rows = dict(islice((one for one in scan(source) if one[0] in wanted), len(wanted)))
    return [(number, rows[number]) for number in numbers], total


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


def _key_of_rows(order: Sequence[tuple[int, bool]]) -> Callable[[Sequence[Any]], Any]:
    return lambda row: tuple(_ordered(sort_key(row[place]), falling=falling) for place, falling in order)


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
    at = place_of(source.columns, group_by)
    names = [
        (place, column.name)
        for place, column in enumerate(source.columns)
        if place != at and column.kind in {ColumnKind.NUMBER, ColumnKind.ANY}
    ]
    most = min(MOST_GROUPS, _MOST_SUMMARIES // max(1, len(names)))
    for _place, row in _matching(source, request):
        known = identity(value := row[at])
        group = groups.get(known)
        if group is None:
            text = text_of(value)[:MAX_TEXT]
            group = groups[known] = TableGroup(cell_of(value), text, sort_key(value))
        if len(groups) > most:
            refusal = _("%(name)s has more than %(most)s different values; filter the table to group it.")
            raise Invalid(refusal % {"name": group_by, "most": f"{most:,}"})
        group.count += 1
        for place, name in names:
            if is_finite_number(number := row[place]):
                group.numbers.setdefault(name, NumberSummary()).add(number)
    return list(groups.values())
