"""Comma and tab separated values, with the names of the columns in the first line."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import Column, ColumnKind, unique_names
from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.tables.sources import TableSource, check_column_count, check_size, lines_of, sample_of

_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?|[+-]?(?:nan|inf)",
    re.IGNORECASE,
)
"""No leading zeros: those are of post codes and ids, which are texts."""


class CsvTable(TableSource):
    """Rows of a CSV file. Where all of the first SAMPLE_ROWS values of a column are numbers, it is one of numbers."""

    row_count: int | None = None

    def __init__(self, content: Path, *, delimiter: str = "") -> None:
        check_size(content)
        self._content = content
        self._delimiter = delimiter or _delimiter_of(content)
        records = self._records()
        head = next(records, [])
        sample = sample_of(records)
        width = max(map(len, [head, *sample]))
        check_column_count(width)
        names = unique_names(head + [""] * (width - len(head)))
        self.columns = tuple(
            Column(name, _kind_of([row[place] for row in sample if len(row) > place]))
            for place, name in enumerate(names)
        )

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on; an empty cell is null."""
        return self._read(range(len(self.columns)), start)

    def parts_of_rows(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Yield what is in some columns; of others no numbers are made."""
        return self._read(places, 0)

    def _read(self, places: Sequence[int], start: int) -> Iterator[list[Any]]:
        wanted = [(place, self.columns[place].kind) for place in places]
        for record in islice(self._records(), start + 1, None):
            width = len(record)
            yield [_value(record[place], kind) if place < width else None for place, kind in wanted]

    def _records(self) -> Iterator[list[str]]:
        """Yield what is in the lines, without empty ones."""
        try:
            yield from filter(None, csv.reader(lines_of(self._content), delimiter=self._delimiter))
        except csv.Error:
            text = _("A cell has more than %(most)s characters, or a quote is not closed.")
            raise UnreadablePreview(text % {"most": csv.field_size_limit()}) from None


def _delimiter_of(content: Path) -> str:
    """Return a semicolon where the first line has more of them than commas, as spreadsheets of some languages write."""
    head = next(lines_of(content), "")
    return ";" if head.count(";") > head.count(",") else ","


def _kind_of(texts: list[str]) -> ColumnKind:
    given = [text for text in texts if text]
    is_number = bool(given) and all(_NUMBER.fullmatch(text) for text in given)
    return ColumnKind.NUMBER if is_number else ColumnKind.TEXT


def _value(text: str, kind: ColumnKind) -> Any:
    if not text:
        return None
    if kind is not ColumnKind.NUMBER or not _NUMBER.fullmatch(text):
        return text
    try:
        return int(text)
    except ValueError:
        return float(text)
