"""Tables of files of runs: secrets in them are masked before anything is looked for."""

from collections.abc import Iterator
from typing import Any

from artifacts.previews.tables.sources import TableSource
from runs.secrets.masking import mask_tree


class MaskedTable(TableSource):
    """A table whose cells are masked as they are read."""

    def __init__(self, source: TableSource) -> None:
        self._source = source
        self.columns, self.row_count = source.columns, source.row_count
        self._paths = [(column.name,) for column in source.columns]

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on."""
        for row in self._source.rows(start):
            yield [mask_tree(cell, path)[0] for cell, path in zip(row, self._paths, strict=True)]
