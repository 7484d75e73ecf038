"""What every kind of table is read through, and limits that all share."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from django.utils.translation import gettext as _

from artifacts.previews.cells import Column
from artifacts.previews.errors import MIB, UnreadablePreview
from common.formats.strict_json import size_of

TABLE_BYTES = 256 * MIB
"""Larger files of text are not read: to come to their end takes half a minute."""
VALUE_CHARACTERS = 16 * MIB
"""Of one line or one row, which has to be in memory whole."""
MOST_COLUMNS = 1000
SAMPLE_ROWS = 1000
_SAMPLE_CHARACTERS = 4 * MIB
"""So many rows, or fewer of long ones, say which columns there are and what is in them, where the file does not."""


Row = TypeVar("Row")


class TableSource(Protocol):
    """A table in a file. Reading begins anew each time, so memory holds a row or a batch, never the table."""

    columns: tuple[Column, ...]
    row_count: int | None
    """None if only reading to the end would tell."""

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on, each with a plain JSON value for each column.

        Raises:
            UnreadablePreview: here the file is damaged or over a limit.
        """

    def parts_of_rows(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Yield of all rows what is in some columns: less work, where a file is kept by columns."""
        return ([row[place] for place in places] for row in self.rows())

    def pick(self, numbers: Collection[int]) -> dict[int, list[Any]]:
        """Return the rows of these numbers."""
        wanted = set(numbers)
        return dict(islice((one for one in enumerate(self.rows()) if one[0] in wanted), len(wanted)))


def check_size(content: Path) -> None:
    """Let a file of text pass that is small enough to be read.

    Raises:
        UnreadablePreview: it has more than TABLE_BYTES.
    """
    if content.stat().st_size > TABLE_BYTES:
        text = _("The table is too large to show; the limit is %(most)s MiB.")
        raise UnreadablePreview(text % {"most": TABLE_BYTES // MIB})


def check_column_count(count: int) -> None:
    """Let a table pass that has few enough columns.

    Raises:
        UnreadablePreview: it has more than MOST_COLUMNS.
    """
    if count > MOST_COLUMNS:
        text = _("The table has %(count)s columns; at most %(most)s can be shown.")
        raise UnreadablePreview(text % {"count": count, "most": MOST_COLUMNS})


def sample_of(rows: Iterator[Row]) -> list[Row]:
    """Return the first rows, in which columns and their kinds are looked for."""
    sample: list[Row] = []
    size = 0
    for row in rows:
        sample.append(row)
        size += size_of(row)
        if len(sample) == SAMPLE_ROWS or size > _SAMPLE_CHARACTERS:
            break
    return sample


def lines_of(content: Path) -> Iterator[str]:
    """Yield the lines of a text file, whatever ends them, with what ends them.

    Raises:
        UnreadablePreview: a line is longer than VALUE_CHARACTERS.
    """
    with content.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        while line := file.readline(VALUE_CHARACTERS + 1):
            if len(line) > VALUE_CHARACTERS:
                text = _("A line has more than %(most)s million characters.")
                raise UnreadablePreview(text % {"most": VALUE_CHARACTERS // MIB})
            yield line
