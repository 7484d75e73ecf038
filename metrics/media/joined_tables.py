"""Tables of several runs side by side, joined by a column that all have (RUN-26)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import Column
from artifacts.previews.tables.joining import MOST_HELD, JoinedTable
from artifacts.previews.tables.pages import TableRow
from artifacts.previews.tables.sources import TableSource
from common.errors import Invalid

MOST_JOINED = 8
"""All tables but one are held in memory meanwhile."""


class _Named(TableSource):
    """A table whose columns, but the one that joins, say whose they are."""

    def __init__(self, label: str, source: TableSource, key: str) -> None:
        self._source = source
        self.row_count = source.row_count
        self.columns = tuple(
            column if column.name == key else Column(f"{column.name} · {label}", column.kind)
            for column in source.columns
        )

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on."""
        return self._source.rows(start)

    def parts_of_rows(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Yield what is in some columns."""
        return self._source.parts_of_rows(places)


@dataclass(slots=True)
class Joined:
    """The joined table, and whose its columns are: that of the key first, then those of each table in turn."""

    source: TableSource
    owners: list[str] = field(default_factory=list)
    """The label of each column's table; "" of the key."""
    names: list[str] = field(default_factory=list)
    """What each column is called in its table."""

    def parts(self, rows: Sequence[TableRow], label: str) -> list[TableRow]:
        """Return of rows what is in the columns of one table."""
        places = [place for place, owner in enumerate(self.owners) if owner == label]
        return [TableRow(row.number, [row.cells[place] for place in places]) for row in rows]


def join_tables(tables: Sequence[tuple[str, TableSource]], key: str) -> Joined:
    """Join tables by a column, one after the other; rows without a partner stay.

    Args:
        tables: Each with whose it is, which differ; at least two.
        key: A column that all of them have.

    Raises:
        Invalid: a table has no such column, or they are over a limit.
    """
    if len(tables) > MOST_JOINED:
        raise Invalid(
            _("At most %(most)s tables can be joined; these are %(count)s. Hide some of the runs.")
            % {"most": MOST_JOINED, "count": len(tables)}
        )
    if sum(source.row_count or 0 for _label, source in tables) > MOST_HELD:
        raise Invalid(
            _("Only tables with up to %(most)s rows in total can be joined.") % {"most": f"{MOST_HELD:,}"}
        )
    (label, first), *others = tables
    joined: TableSource = _Named(label, first, key)
    for label, source in others:
        joined = JoinedTable(joined, _Named(label, source, key), key, key)
    named = list(chain.from_iterable(_columns_of(label, source, key) for label, source in tables))
    return Joined(
        joined,
        owners=["", *(owner for owner, _name in named)],
        names=[key, *(name for _owner, name in named)],
    )


def _columns_of(label: str, source: TableSource, key: str) -> list[tuple[str, str]]:
    return [(label, column.name) for column in source.columns if column.name != key]
