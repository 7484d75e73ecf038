"""A table of an artifact as a page shows it: some rows, sorted, filtered and grouped as the address says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.utils.translation import gettext as _

from artifacts.models import Entry, Version
from artifacts.previews.cells import Cell, Column, MediaCell
from artifacts.previews.kinds import media_type_of
from artifacts.previews.tables.pages import GroupsPage, TableRow, read_groups, read_page
from artifacts.previews.tables.request import CellFilter, CellOperator, TableRequest
from artifacts.previews.tables.sources import TableSource
from artifacts.selectors import entries_of
from common.budgets.children import apart
from common.errors import Invalid
from common.formats.numbers import parse_int
from storage.signed_urls import tickets

ROWS = 50
ShownRow = tuple[int, list[Any]]
"""Number, and cells: a value, or a list of `ShownMedia`."""
ShowRows = Callable[[Sequence[TableRow]], list[ShownRow]]
"""Gives the media in rows their addresses."""


@dataclass(frozen=True, slots=True)
class ShownMedia:
    """A picture, a sound, a video or another file in a cell; without an address it is named only."""

    kind: str
    url: str
    caption: str
    path: str
    media_type: str = ""
    """As which browsers show or play it; "" for what they only download."""
    size_bytes: int = 0


@dataclass(slots=True)
class TableView:
    """What the template shows."""

    columns: tuple[Column, ...]
    rows: list[ShownRow] = field(default_factory=list)
    groups: GroupsPage | None = None
    total: int | None = None
    offset: int = 0
    next_offset: int | None = None
    previous_offset: int | None = None
    sort: str = ""
    is_falling: bool = False
    group: str = ""
    search: str = ""
    filter_column: str = ""
    filter_operator: str = ""
    filter_value: str = ""
    conditions: str = ""
    """More filters, as `filters_in` reads them."""
    problem: str = ""
    """Why the request could not be answered."""

    @property
    def operators(self) -> list[str]:
        """How a column can be compared."""
        return [str(operator) for operator in CellOperator]


def view_table(source: TableSource, asked: Mapping[str, Any], show: ShowRows) -> TableView:
    """Return the part of a table that a page asks for.

    Args:
        source: The table.
        asked: ``sort``, ``group``, ``find``, ``column`` with ``op`` and ``value``, ``where`` as
            `filters_in` reads it, ``offset``.
        show: Gives the media in rows their addresses.
    """
    view = _view_of(source, asked)
    try:
        _fill(view, source, show)
    except Invalid as refusal:
        view.problem = refusal.message
    return view


def _view_of(source: TableSource, asked: Mapping[str, Any]) -> TableView:
    sort = str(asked.get("sort", ""))
    return TableView(
        columns=source.columns,
        offset=parse_int(str(asked.get("offset", ""))) or 0,
        sort=sort.removeprefix("-"),
        is_falling=sort.startswith("-"),
        group=str(asked.get("group", "")),
        search=str(asked.get("find", "")).strip(),
        filter_column=str(asked.get("column", "")),
        filter_operator=str(asked.get("op", "")),
        filter_value=str(asked.get("value", "")),
        conditions=str(asked.get("where", "")),
    )


def request_of(view: TableView) -> TableRequest:
    """Return the request that a page makes; groups are sorted by "-", without a column, from the largest on.

    Raises:
        Invalid: the conditions are none.
    """
    filters = filters_in(view.conditions)
    if view.filter_column and view.filter_operator in view.operators:
        filters += (CellFilter(view.filter_column, CellOperator(view.filter_operator), view.filter_value),)
    by_count = view.group and view.is_falling
    sort = ((view.sort, view.is_falling),) if view.sort or by_count else ()
    return TableRequest(offset=view.offset, limit=ROWS, sort=sort, filters=filters, search=view.search)


def filters_in(text: str) -> tuple[CellFilter, ...]:
    """Return the filters of a JSON list of lists: column, operator, value.

    Raises:
        Invalid: it is no such list.
    """
    try:
        found = orjson.loads(text) if text else []
        return tuple(
            CellFilter(str(name), CellOperator(operator), str(value)) for name, operator, value in found
        )
    except (TypeError, ValueError):
        raise Invalid(_("Each condition must be a list of a column, an operator and a value.")) from None


def _fill(view: TableView, source: TableSource, show: Callable[[Sequence[TableRow]], list[ShownRow]]) -> None:
    request = request_of(view)
    if view.group:
        view.groups = apart(read_groups, source, request, view.group)
        view.total = view.groups.total
        more = view.offset + len(view.groups.groups) < view.groups.total
    else:
        page = apart(read_page, source, request)
        view.total, more = page.total, page.has_more
        view.rows = show(page.rows)
    view.next_offset = view.offset + ROWS if more else None
    view.previous_offset = max(0, view.offset - ROWS) if view.offset else None


def show_rows(version: Version, rows: Sequence[TableRow]) -> list[ShownRow]:
    """Return rows whose media have addresses, looked up in one query among the files of the version."""
    paths = paths_in(rows)
    found = {entry.path: entry for entry in entries_of(version, paths)} if paths else {}
    return [(row.number, [_cell(cell, found) for cell in row.cells]) for row in rows]


def paths_in(rows: Sequence[TableRow]) -> set[str]:
    """Return the paths that media in rows name."""
    return {media.path for row in rows for cell in row.cells for media in _media_in(cell) if media.path}


def _media_in(cell: Cell) -> Iterable[MediaCell]:
    if isinstance(cell, MediaCell):
        return [cell]
    return cell if isinstance(cell, list) else []


def _cell(cell: Cell, entries: Mapping[str, Entry]) -> Any:
    media = list(_media_in(cell))
    if not media:
        return cell
    return [_shown(one, entries.get(one.path)) for one in media]


def _shown(media: MediaCell, entry: Entry | None) -> ShownMedia:
    if entry is None or entry.content is None:
        return ShownMedia(media.kind, "", media.caption, media.path)
    media_type = media_type_of(entry.path)
    blob = entry.content.blob
    url = tickets.get_path(blob, name=entry.path, content_type=media_type or "application/octet-stream")
    return ShownMedia(media.kind, url, media.caption, media.path, media_type, blob.size_bytes)
