"""Parquet, read row group by row group, with few rows of it in memory."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.utils.translation import gettext as _

from artifacts.previews.cells import Column, ColumnKind, unique_names
from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tables.digits import known_digits
from artifacts.previews.tables.sources import TableSource, check_column_count

_BATCH_BYTES = 16 * MIB
_MOST_BATCH_ROWS = 1024
_BUFFER_BYTES = MIB
"""Of each column, instead of its whole part of a row group."""
_FOOTER_BYTES = 64 * MIB
_COLUMN_BYTES = 512 * MIB
_KINDS = (
    (pa.types.is_boolean, ColumnKind.BOOLEAN),
    (pa.types.is_integer, ColumnKind.NUMBER),
    (pa.types.is_floating, ColumnKind.NUMBER),
    (pa.types.is_decimal, ColumnKind.NUMBER),
    (pa.types.is_temporal, ColumnKind.TIME),
    (pa.types.is_string, ColumnKind.TEXT),
    (pa.types.is_large_string, ColumnKind.TEXT),
    (pa.types.is_nested, ColumnKind.OBJECT),
)


class ParquetTable(TableSource):
    """Rows of a Parquet file; only the row groups that are asked for are read."""

    def __init__(self, content: Path) -> None:
        self._content = content
        with _opened(content) as file:
            check_column_count(len(file.schema_arrow.names))
            self.row_count: int | None = file.metadata.num_rows
            names = unique_names(file.schema_arrow.names)
            self.columns = tuple(
                Column(name, _kind_of(kind))
                for name, kind in zip(names, file.schema_arrow.types, strict=True)
            )

    def rows(self, start: int = 0) -> Iterator[list[Any]]:
        """Yield rows from number ``start`` on."""
        for number, batch in self._batches(start):
            yield from _rows_of(batch.slice(max(0, start - number)))

    def parts_of_rows(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Yield what is in some columns; the others are not read."""
        for _number, batch in self._batches(0, places):
            yield from _rows_of(batch)

    def pick(self, numbers: Collection[int]) -> dict[int, list[Any]]:
        """Return the rows of these numbers; others are decoded, but no values made of them."""
        found: dict[int, list[Any]] = {}
        waiting = sorted(set(numbers), reverse=True)
        for number, batch in self._batches(min(numbers, default=0)):
            while waiting and waiting[-1] < number + batch.num_rows:
                wanted = waiting.pop()
                found[wanted] = next(_rows_of(batch.slice(wanted - number, 1)))
            if not waiting:
                break
        return found

    def _batches(self, start: int, places: Sequence[int] | None = None) -> Iterator[tuple[int, Any]]:
        """Yield batches with the number of their first row, from the one on that has row ``start``."""
        with _opened(self._content) as file:
            names = None if places is None else [file.schema_arrow.names[place] for place in places]
            number = 0
            for group_number in range(file.num_row_groups):
                group = file.metadata.row_group(group_number)
                if number + group.num_rows <= start:
                    number += group.num_rows
                    continue
                for batch in file.iter_batches(
                    _batch_rows(group), row_groups=[group_number], columns=names, use_threads=False
                ):
                    if start < number + batch.num_rows:
                        yield number, batch if names is None else batch.select(names)
                    number += batch.num_rows


@contextmanager
def _opened(content: Path) -> Iterator[Any]:
    """Open a file that is there; whatever fails while it is read is an `UnreadablePreview`."""
    content.stat()
    try:
        with pq.ParquetFile(
            content, buffer_size=_BUFFER_BYTES, pre_buffer=False, thrift_string_size_limit=_FOOTER_BYTES
        ) as file:
            yield file
    except MemoryError:  # also Arrow's, which is one of its exceptions besides
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError):
        raise UnreadablePreview(_("This is not a Parquet file, or it is damaged.")) from None


def _batch_rows(group: Any) -> int:
    """Return how many rows of a group are read at once.

    Raises:
        UnreadablePreview: a column of it is so large that a page of it may fill the memory.
    """
    largest = max(
        (group.column(place).total_uncompressed_size for place in range(group.num_columns)), default=0
    )
    if largest > _COLUMN_BYTES:
        text = _("A row group has a column of %(size)s MiB; at most %(most)s MiB are supported.")
        raise UnreadablePreview(text % {"size": largest // MIB, "most": _COLUMN_BYTES // MIB})
    row_bytes = group.total_byte_size // max(1, group.num_rows)
    return int(max(1, min(_MOST_BATCH_ROWS, _BATCH_BYTES // max(1, row_bytes))))


def _rows_of(batch: Any) -> Iterator[list[Any]]:
    return map(list, zip(*[_values(column) for column in batch.columns], strict=True))


def _kind_of(kind: Any) -> ColumnKind:
    if pa.types.is_dictionary(kind):
        return _kind_of(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return ColumnKind.LIST
    return next((found for is_it, found in _KINDS if is_it(kind)), ColumnKind.ANY)


def _values(column: Any) -> list[Any]:
    kind = column.type
    if pa.types.is_timestamp(kind):  # Python's own times end at microseconds and at the year 9999
        zone = "+00:00" if kind.tz else ""
        texts = column.cast(pa.timestamp(kind.unit)).cast(pa.string()).to_pylist()
        return [text and known_digits(f"{text.replace(' ', 'T')}{zone}") for text in texts]
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return list(column.cast(pa.string()).to_pylist())
    return [_plain(value) for value in column.to_pylist()]


def _plain(value: Any) -> Any:
    """Return a value as JSON has them; bytes are only counted."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return {"_type": "bytes", "size": len(value)}
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else str(value)
