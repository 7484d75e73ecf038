"""The files in which the SDK keeps a `wandb.Table`, the join of two and a table in parts.

Source: `Table.to_json`, `JoinedTable.to_json`, `PartitionedTable.to_json` and `_get_data_from_increments` in
wandb/sdk/data_types/table.py, and types in wandb/sdk/data_types/_dtypes.py.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from artifacts.previews.cells import Column, ColumnKind, unique_names
from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tables.digits import known_digits
from artifacts.previews.tables.json_reader import JsonReader
from artifacts.previews.tables.sources import TableSource, check_column_count, check_size
from common.formats.lenient_json import read_lenient
from common.formats.numbers import parse_int

POINTER_BYTES = MIB
"""A file that only names other tables is far smaller."""
_END_BYTES = 4096
_ROW_COUNT_AT_END = re.compile(
    rb'"nrows": ?(\d{1,12})(?:, ?"previous_increments_paths": ?\[[^{}]*\])?\s*\}\s*$'
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {
    "string": ColumnKind.TEXT, "primaryKey": ColumnKind.TEXT, "foreignKey": ColumnKind.TEXT,
    "number": ColumnKind.NUMBER, "foreignIndex": ColumnKind.NUMBER, "classId": ColumnKind.NUMBER,
    "boolean": ColumnKind.BOOLEAN, "timestamp": ColumnKind.TIME, "list": ColumnKind.LIST, "dict": ColumnKind.OBJECT,
    "typedDict": ColumnKind.OBJECT, "ndarray": ColumnKind.LIST, "table": ColumnKind.MEDIA,
}  # fmt: skip
_MEDIA = re.compile(r".+-file|wandb\.(?:Image|Audio|Video|Html|Object3D|Molecule)")


class WandbTable(TableSource):
    """A `wandb.Table` with its rows in the file, in an artifact or among the files of a run."""

    def __init__(self, content: Path) -> None:
        check_size(content)
        self._content = content
        names, types = self._read_head()
        check_column_count(len(names))
        self.columns = tuple(
            Column(name, *_kind_and_place(types.get(str(given))))
            for name, given in zip(unique_names(names), names, strict=True)
        )
        self._times = [place for place, column in enumerate(self.columns) if column.kind is ColumnKind.TIME]
        self.row_count = _row_count_at_end(content)

    def _read_head(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the names of the columns and the types of those that have one."""
        found: dict[str, Any] = {}
        has_data = False
        with JsonReader(self._content) as reader:
            for key in reader.keys():  # noqa: SIM118 - it is no dict, and what follows a key is still to be read
                if key != "data":
                    found[key] = reader.value()
                elif has_data := isinstance(found.get("columns"), list):
                    break
                else:
                    has_data = all(isinstance(row, list) for row in reader.items())
        names, types = found.get("columns"), found.get("column_types")
        if not has_data or not isinstance(names, list):
            raise UnreadablePreview(_("This is not a wandb table: it has no columns or no data."))
        return names, _types_of(types)

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on."""
        with JsonReader(self._content) as reader:
            for key in reader.keys():  # noqa: SIM118 - as above
                if key == "data":
                    yield from map(self._row, islice(reader.items(), start, None))
                    return
                reader.value()

    def _row(self, given: Any) -> list[Any]:
        if not isinstance(given, list):
            raise UnreadablePreview(_("A row of the table is not a list."))
        width = len(self.columns)
        row = given if len(given) == width else given[:width] + [None] * (width - len(given))
        for place in self._times:
            row[place] = _time(row[place])
        return row


def _types_of(types: Any) -> dict[str, Any]:
    """Return the types by column that a table's ``column_types`` has: ``{"params": {"type_map": …}}``."""
    params = types.get("params") if isinstance(types, dict) else None
    by_column = params.get("type_map") if isinstance(params, dict) else None
    return by_column if isinstance(by_column, dict) else {}


def _param(said: dict[str, Any], name: str) -> Any:
    params = said.get("params")
    return params.get(name) if isinstance(params, dict) else None


def _kind_and_place(said: Any) -> tuple[ColumnKind, str]:
    """Return the kind of ``{"wb_type": …}``, of a union that of its one type besides none; and where its values are."""
    name = said.get("wb_type") if isinstance(said, dict) else None
    if not isinstance(name, str):
        return ColumnKind.ANY, ""
    if name == "union":
        allowed = _param(said, "allowed_types")
        members = [one for one in allowed if one != {"wb_type": "none"}] if isinstance(allowed, list) else []
        return _kind_and_place(members[0]) if len(members) == 1 else (ColumnKind.ANY, "")
    place = _param(said, "serialization_path")
    path = place.get("path") if isinstance(place, dict) else None
    kind = ColumnKind.MEDIA if _MEDIA.fullmatch(name) else _KINDS.get(name, ColumnKind.ANY)
    return kind, path if isinstance(path, str) else ""


def _time(value: Any) -> Any:
    """Return milliseconds since 1970, which dates are too, as a time in UTC; anything else stays."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        return known_digits((_EPOCH + timedelta(milliseconds=value)).isoformat())
    except (OverflowError, ValueError):
        return value


def _row_count_at_end(content: Path) -> int | None:
    """Return how many rows the file says it has, where the SDK writes it: behind the rows, as its keys are sorted."""
    with content.open("rb") as file:
        file.seek(-min(_END_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
        found = _ROW_COUNT_AT_END.search(file.read())
    return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class JoinedTableFile:
    """What a joined table names."""

    left: str
    """Path of an entry of the same version."""
    right: str
    left_key: str
    right_key: str


def read_joined_table(content: Path) -> JoinedTableFile:
    """Read which tables are joined by which columns.

    Raises:
        UnreadablePreview: it is no joined table.
    """
    said = _read_pointer(content)
    keys = said.get("join_key")
    left_key, right_key = keys if isinstance(keys, list) and len(keys) == 2 else (keys, keys)
    names: tuple[Any, ...] = (said.get("table1"), said.get("table2"), left_key, right_key)
    if not all(isinstance(name, str) for name in names):
        raise UnreadablePreview(_("This is not a joined table: it does not name two tables and a column."))
    return JoinedTableFile(*names)


def read_partitioned_table(content: Path) -> str:
    """Return the folder of the same version whose files are the parts.

    Raises:
        UnreadablePreview: it is no table in parts.
    """
    folder = _read_pointer(content).get("parts_path")
    if not isinstance(folder, str):
        raise UnreadablePreview(_("This is not a partitioned table: it does not name a folder."))
    return folder


def _read_pointer(content: Path) -> dict[str, Any]:
    with content.open("rb") as file:
        text = file.read(POINTER_BYTES + 1)
    if len(text) > POINTER_BYTES:
        limit = _("The file is too large: a table that refers to others can have at most %(most)s MiB.")
        raise UnreadablePreview(limit % {"most": POINTER_BYTES // MIB})
    try:
        said = read_lenient(text)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise UnreadablePreview(_("This is not valid JSON, or it is truncated."))
    return said


def in_increment_order(paths: Sequence[str]) -> list[str]:
    """Sort the files of an incremental table, ``0-1712000000000.key.table.json`` and so on, as they were logged."""
    return sorted(paths, key=_increment)


def _increment(path: str) -> tuple[int, int, str]:
    number, _dash, moment = path.partition(".")[0].partition("-")
    return parse_int(number) or 0, parse_int(moment) or 0, path
