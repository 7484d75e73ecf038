"""A run's history or system metrics as a file, whole and exact: CSV, JSON lines, Parquet (RUN-43).

JSON has no word for NaN and infinities: they are the texts "NaN", "Infinity", "-Infinity" in it, as everywhere in REST.
Rows are read block by block and sent while the next one is read. `metrics.exports` is another matter: what the SDK
reads of ended runs.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from common.spreadsheets import csv_text
from common.streaming import in_thread
from common.strict import strict_json
from metrics import store
from metrics.codec import SEPARATOR, Batch, Mode, unpack
from metrics.exports import CONTENT_TYPE, Buffer
from metrics.models import Kind
from metrics.tally import shown_key
from runs.secrets import mask_tree

FIRST = ("_step", "_timestamp", "_runtime")
_INT64 = 2**63

Batches = Callable[[], Iterator[Batch]]
"""Reads the rows, from the first on, each time it is called."""


class Format(StrEnum):
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


def _type_of(value: Any) -> pa.DataType:
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and -_INT64 <= value < _INT64:
        return pa.int64()
    if isinstance(value, float):
        return pa.float64()
    return pa.string()  # objects and greater integers as their JSON


def _joined(known: pa.DataType | None, kind: pa.DataType) -> pa.DataType:
    if known is None or known == kind:
        return kind
    return pa.float64() if {known, kind} == {pa.int64(), pa.float64()} else pa.string()


def schema_of(rows: Batches) -> dict[str, pa.DataType]:
    """Return each key's type, by its shown name: step and times first, then by name. One pass over the blocks."""
    types: dict[str, pa.DataType] = {}
    for batch in rows():
        for group in batch.groups:
            for key, mode in zip(group.keys, group.modes, strict=True):
                name = shown_key(key)
                types[name] = _joined(types.get(name), pa.int64() if mode == Mode.INT else pa.float64())
        for _, path, value in batch.other:
            if value is not None:
                name = ".".join(path)
                types[name] = _joined(types.get(name), _type_of(value))
    names = [name for name in FIRST if name in types] + sorted(types.keys() - {*FIRST})
    return {name: types[name] for name in names}


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
        yield "".join(f"{store.line_of(row, is_strict=True)}\n" for row in unpack(batch)).encode(
            errors="replace"
        )


def _as(kind: pa.DataType) -> Callable[[Any], Any]:
    if kind != pa.string():
        return lambda value: value
    return lambda value: None if value is None else _text(value).encode(errors="replace").decode()


def _array(flat: list[dict[str, Any]], name: str, kind: pa.DataType) -> pa.Array:
    convert = _as(kind)
    values = [convert(row.get(name)) for row in flat]
    if kind == pa.float64():  # an int in a column of floats
        missing = np.array([value is None for value in values])
        return pa.array(
            np.array([0.0 if value is None else float(value) for value in values]), kind, mask=missing
        )
    return pa.array(values, kind)


def _table(batch: Batch, schema: pa.Schema) -> pa.Table:
    flat = [flat_row(row) for row in unpack(batch)]
    return pa.Table.from_arrays([_array(flat, field.name, field.type) for field in schema], schema=schema)


def _parquet(rows: Batches) -> Iterator[bytes]:
    schema = pa.schema(list(schema_of(rows).items()))
    buffer = Buffer()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as writer:
        for batch in rows():
            writer.write_table(_table(batch, schema))
            yield buffer.take()
    yield buffer.take()


_WRITERS = {Format.CSV: _csv, Format.JSONL: _jsonl, Format.PARQUET: _parquet}


def _batches(run_id: int, kind: Kind, *, revealed: bool) -> Iterator[Batch]:
    for _, batch in store.batches(run_id, kind):
        if not revealed:
            batch.other = [(row, path, mask_tree(value, tuple(path))[0]) for row, path, value in batch.other]
        yield batch


def pieces_of(run_id: int, kind: Kind, form: Format, *, revealed: bool) -> Iterator[bytes]:
    """Yield a run's rows as a file, in pieces, secrets in texts masked unless ``revealed``.

    The caller has the run from a visible query.
    """
    return _WRITERS[form](partial(_batches, run_id, kind, revealed=revealed))


def download(run_id: int, kind: Kind, form: Format, *, revealed: bool) -> AsyncIterator[bytes]:
    """Return the pieces for an answer, each made while the one before is sent."""
    return in_thread(pieces_of(run_id, kind, form, revealed=revealed))
