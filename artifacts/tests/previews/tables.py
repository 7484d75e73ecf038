"""Files of tables as programs write them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from artifacts.previews.cells import Column, ColumnKind
from artifacts.previews.tables.sources import TableSource


def wandb_table(
    folder: Path,
    columns: list[Any],
    data: Sequence[Sequence[Any]],
    types: dict[str, Any] | None = None,
    name: str = "t",
) -> Path:
    """Write a table as `wandb.Artifact.add` does: keys sorted, NaN as a bare word."""
    said = {"_type": "table", "columns": columns, "data": data, "ncols": len(columns), "nrows": len(data)}
    if types is not None:
        type_map = {
            name: {"wb_type": kind} if isinstance(kind, str) else kind for name, kind in types.items()
        }
        said["column_types"] = {"params": {"type_map": type_map}, "wb_type": "typedDict"}
    path = folder / f"{name}.table.json"
    path.write_text(json.dumps(said | {"log_mode": "IMMUTABLE"}, sort_keys=True))
    return path


def written(folder: Path, content: str | bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class ListedTable(TableSource):
    """Rows in memory, as a source."""

    def __init__(
        self, columns: list[str], rows: Sequence[Sequence[Any]], row_count: int | None = None
    ) -> None:
        self.columns = tuple(Column(name, ColumnKind.ANY) for name in columns)
        self.row_count = row_count
        self._rows = rows

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        return iter([list(row) for row in self._rows[start:]])
