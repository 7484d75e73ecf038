"""Rows of a table as a CSV file, written whole before it is sent: a client that reads slowly occupies no decoder."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import text_of
from artifacts.previews.tables.pages import matching_rows
from artifacts.previews.tables.request import TableRequest
from artifacts.previews.tables.sources import TableSource
from common.errors import Invalid
from common.formats.csv_safety import csv_text

_ROWS_AT_ONCE = 500


def write_csv(source: TableSource, request: TableRequest, target: Path) -> None:
    """Write all rows that meet a request, in the order of the file; of media what they are called.

    Raises:
        Invalid: no such column, or over a limit.
        UnreadablePreview: a file is damaged.
    """
    rows = matching_rows(source, request)
    try:
        with target.open("wb") as file:
            for piece in _pieces([column.name for column in source.columns], rows):
                file.write(piece)
    except OSError as error:
        raise Invalid(_("The file is too large to write: filter the table to get less of it.")) from error


def _pieces(head: Sequence[str], rows: Iterator[list[Any]]) -> Iterator[bytes]:
    yield csv_text([head]).encode()
    while some := list(islice(rows, _ROWS_AT_ONCE)):
        yield csv_text([_plain(value) for value in row] for row in some).encode()


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else text_of(value)
