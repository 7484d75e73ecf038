"""Opens a file as a table, by how it is previewed."""

from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext as _

from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.kinds import PreviewKind
from artifacts.previews.tables.csv_tables import CsvTable
from artifacts.previews.tables.objects import ObjectTable
from artifacts.previews.tables.sources import TableSource
from artifacts.previews.tables.wandb_tables import WandbTable


def _open_parquet(content: Path) -> TableSource:
    from artifacts.previews.tables.parquet_tables import ParquetTable  # pyarrow: half a second and 50 MB

    return ParquetTable(content)


_READERS: dict[PreviewKind, Callable[[Path], TableSource]] = {
    PreviewKind.CSV: CsvTable,
    PreviewKind.TSV: lambda content: CsvTable(content, delimiter="\t"),
    PreviewKind.JSON: lambda content: ObjectTable(content, is_lines=False),
    PreviewKind.JSON_LINES: lambda content: ObjectTable(content, is_lines=True),
    PreviewKind.PARQUET: _open_parquet,
    PreviewKind.TABLE: WandbTable,
}
TABLE_KINDS = frozenset(_READERS)
"""Kinds of files that are tables by themselves, or may be, as JSON; joined tables and those in parts name others."""

ALL_TABLE_KINDS = TABLE_KINDS | {PreviewKind.JOINED_TABLE, PreviewKind.PARTITIONED_TABLE}


def open_table(content: Path, kind: PreviewKind) -> TableSource:
    """Return the table in a file.

    Raises:
        UnreadablePreview: it is none, is damaged or over a limit.
        FileNotFoundError: there is no such content.
    """
    if kind not in _READERS:
        raise UnreadablePreview(_("This file is not a table."))
    return _READERS[kind](content)
