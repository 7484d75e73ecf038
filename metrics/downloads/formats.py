"""A run's history or system metrics as a file, whole and exact: CSV, JSON lines, Parquet (RUN-43).

JSON has no word for NaN and infinities: they are the texts "NaN", "Infinity", "-Infinity" in it, as everywhere in REST.
Rows are read block by block and sent while the next one is read. `metrics.downloads.sdk_parquet` is another matter:
what the SDK reads of ended runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from enum import Enum, StrEnum, auto
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from common.formats.csv_safety import csv_text
from common.formats.strict_json import strict_json
from common.server.lazy_import import LazyModule
from common.web.streaming import in_thread
from metrics.models import StreamKind
from metrics.store import reads, row_blocks
from metrics.store.batches import slices_of, without_empty
from metrics.store.codec import SEPARATOR, Batch, Mode, unpack
from metrics.store.key_stats import shown_key
from runs.secrets.masking import mask_tree

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:  # half a second and 50 MB
    pa, pq = LazyModule("pyarrow"), LazyModule("pyarrow.parquet")

CONTENT_TYPE = "application/vnd.apache.parquet"
FIRST = ("_step", "_timestamp", "_runtime")
_INT64 = 2**63
_ROWS_OF_TEXT = 500
_ROWS_OF_PARQUET = 16_384
"""Of a row group."""

Batches = Callable[[], Iterator[Batch]]
"""Reads the rows, from the first on, each time it is called."""


class DownloadFormat(StrEnum):
    """What a download is written in."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"

    @property
    def content_type(self) -> str:
        """Its media type."""
        return {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson", "parquet": CONTENT_TYPE}[
            self.value
        ]


class _Is(Enum):
    """What values of a key are."""

    BOOL = auto()
    INT = auto()
    VAST = auto()
    """An integer that no double holds."""
    FLOAT = auto()
    TEXT = auto()
    """A text, or what is written as JSON."""


def _kind_of(value: Any) -> _Is:
    """Return what a value is that lies beside the columns of numbers."""
    if isinstance(value, bool):
        return _Is.BOOL
    return _Is.VAST if isinstance(value, int) and -_INT64 <= value < _INT64 else _Is.TEXT


def _type_of(kinds: set[_Is]) -> pa.DataType:
    """Return the type that holds all of a key's values exactly."""
    if kinds == {_Is.BOOL}:
        return pa.bool_()
    if kinds <= {_Is.INT, _Is.VAST}:
        return pa.int64()
    return pa.float64() if kinds <= {_Is.INT, _Is.FLOAT} else pa.string()


def schema_of(rows: Batches) -> dict[str, pa.DataType]:
    """Return each key's type, by its shown name: step and times first, then by name. One pass over the blocks."""
    kinds: dict[str, set[_Is]] = {}
    for batch in rows():
        for group in batch.groups:
            for key, mode in zip(group.keys, group.modes, strict=True):
                kinds.setdefault(shown_key(key), set()).add(_Is.INT if mode == Mode.INT else _Is.FLOAT)
        for _, path, value in batch.other:
            for name, leaf in flat_row({".".join(path): value}).items():
                if leaf is not None:
                    kinds.setdefault(name, set()).add(
                        _Is.FLOAT if isinstance(leaf, float) else _kind_of(leaf)
                    )
    names = [name for name in FIRST if name in kinds] + sorted(kinds.keys() - {*FIRST})
    return {name: _type_of(kinds[name]) for name in names}


def flat_row(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return a row with nested values by dotted name; media and lists stay whole."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        name = f"{before}{key.replace(SEPARATOR, '.')}"
        if isinstance(value, dict) and value and "_type" not in value:
            flat |= flat_row(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def _text(value: Any) -> str:
    """Write a value of a column of texts: strings as they are, all else as JSON."""
    return value if isinstance(value, str) else strict_json(value)


def _csv(rows: Batches) -> Iterator[bytes]:
    names = list(schema_of(rows))
    yield csv_text([names]).encode(errors="replace")
    for batch in rows():
        flat = map(flat_row, unpack(batch))
        yield csv_text([row.get(name) for name in names] for row in flat).encode(errors="replace")


def _jsonl(rows: Batches) -> Iterator[bytes]:
    for batch in rows():
        yield "".join(f"{reads.json_line(row, is_strict=True)}\n" for row in unpack(batch)).encode(
            errors="replace"
        )


def _encodable(text: str) -> str:
    """Return a text that Arrow takes: no lone surrogates."""
    return text.encode(errors="replace").decode()


def _as(kind: pa.DataType) -> Callable[[Any], Any]:
    if kind != pa.string():
        return lambda value: value
    return lambda value: None if value is None else _encodable(_text(value))


def _array(flat: list[dict[str, Any]], name: str, kind: pa.DataType) -> pa.Array:
    convert = _as(kind)
    values = [convert(row.get(name)) for row in flat]
    if kind == pa.float64():  # an int in a column of floats
        missing = np.array([value is None for value in values])
        return pa.array(
            np.array([0.0 if value is None else float(value) for value in values]), kind, mask=missing
        )
    return pa.array(values, kind)


class Buffer:
    """As a file for pyarrow, of which somebody takes what was written, piece by piece."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: pa.Buffer) -> int:
        """Append."""
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing lies between."""

    def take(self) -> bytes:
        """Return what came since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _parquet(rows: Batches) -> Iterator[bytes]:
    types = schema_of(rows)
    schema = pa.schema([(_encodable(name), kind) for name, kind in types.items()])
    buffer = Buffer()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as writer:
        for batch in rows():
            flat = list(map(flat_row, unpack(batch)))
            arrays = [_array(flat, name, kind) for name, kind in types.items()]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield buffer.take()
    yield buffer.take()


_WRITERS = {DownloadFormat.CSV: _csv, DownloadFormat.JSONL: _jsonl, DownloadFormat.PARQUET: _parquet}


def _batches(run_id: int, kind: StreamKind, rows: int, *, revealed: bool) -> Iterator[Batch]:
    """Yield so many rows at once: as Python's objects, and as text, they take many times what they are stored in."""
    for _, whole in row_blocks.batches(run_id, kind):
        for batch in slices_of(without_empty(whole), rows):
            if not revealed:
                batch.other = [
                    (row, path, mask_tree(value, tuple(path))[0]) for row, path, value in batch.other
                ]
            yield batch


def pieces_of(run_id: int, kind: StreamKind, form: DownloadFormat, *, revealed: bool) -> Iterator[bytes]:
    """Yield a run's rows as a file, in pieces, secrets in texts masked unless ``revealed``.

    The caller has the run from a visible query.
    """
    rows = _ROWS_OF_PARQUET if form is DownloadFormat.PARQUET else _ROWS_OF_TEXT
    return _WRITERS[form](partial(_batches, run_id, kind, rows, revealed=revealed))


def download(run_id: int, kind: StreamKind, form: DownloadFormat, *, revealed: bool) -> AsyncIterator[bytes]:
    """Return the pieces for an answer, each made while the one before is sent.

    The first is made here, so that a bucket that is down is an error, not an answer that breaks off.
    """
    pieces = pieces_of(run_id, kind, form, revealed=revealed)
    return in_thread(chain(list(islice(pieces, 1)), pieces))
