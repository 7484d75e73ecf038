"""Lists of JSON objects as tables: one list in a file, or an object on each line."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import Column, kind_of_values, unique_names
from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.tables.json_reader import JsonReader
from artifacts.previews.tables.sources import TableSource, check_column_count, check_size, lines_of, sample_of
from common.formats.lenient_json import read_lenient

_NO_OBJECT = "value"
"""The column of what is no object."""


class ObjectTable(TableSource):
    """Objects as rows. The columns are the keys of the first SAMPLE_ROWS objects."""

    row_count: int | None = None

    def __init__(self, content: Path, *, is_lines: bool) -> None:
        check_size(content)
        self._content = content
        self._is_lines = is_lines
        sample = sample_of(self._objects())
        self._keys = list(dict.fromkeys(chain.from_iterable(sample)))
        check_column_count(len(self._keys))
        self.columns = tuple(
            Column(name, kind_of_values(one.get(key) for one in sample))
            for name, key in zip(unique_names(self._keys), self._keys, strict=True)
        )

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on."""
        for one in islice(self._objects(), start, None):
            yield [one.get(key) for key in self._keys]

    def _objects(self) -> Iterator[dict[str, Any]]:
        found: Iterable[Any] = self._lines() if self._is_lines else self._items()
        return (one if isinstance(one, dict) else {_NO_OBJECT: one} for one in found)

    def _items(self) -> Iterator[Any]:
        with JsonReader(self._content) as reader:
            yield from reader.items()

    def _lines(self) -> Iterator[Any]:
        for number, line in enumerate(lines_of(self._content), start=1):
            if line.isspace():
                continue
            try:
                yield read_lenient(line)
            except ValueError:
                raise UnreadablePreview(
                    _("Line %(number)s is not valid JSON.") % {"number": number}
                ) from None
