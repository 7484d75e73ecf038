"""History as Parquet files: what the SDK's `scan_history` and `download_history_exports` read of ended runs.

The SDK keeps a file it has downloaded for ever, by the run's id and the file's number, so a number's rows never change:
each time a run ends, a file of its new rows is added. And the SDK's reader answers a missing key with null, drops no
row that lacks a wanted key, and in some releases fails on nested columns. So only a history whose rows all have the
same keys, each with values of one plain type, has such files; a scan reads any other live, where it comes back as it
was logged, and a download gets one file of it, with a column for each key: integers or doubles, null where a row lacks
the key, JSON for the rest (`metrics.downloads.formats`).
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from django.core.cache import cache
from django.utils import timezone

from metrics.downloads.formats import DownloadFormat, pieces_of
from metrics.models import Export, Stream, StreamKind
from metrics.store import row_blocks
from metrics.store.codec import SEPARATOR, Batch, Mode
from runs.models import Run
from storage import filesystem
from storage.models import Blob
from storage.services import UNUSED_FOR, store_blob

ROWS_PER_GROUP = 65536
_STEP = "_step"
_NUMBERS = (pa.int64(), pa.float64())
_TYPES = {bool: pa.bool_(), str: pa.string()}
"""Of what lies beside the columns of numbers. A number there is one that no double holds, and is not plain."""


class NotPlainError(Exception):
    """Parquet, as the SDK reads it, would not give the rows back as they were logged."""


def _type_of(value: Any) -> pa.DataType:
    kind = type(value)
    if kind not in _TYPES or (kind is str and not _is_text(value)):
        raise NotPlainError
    return _TYPES[kind]


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # lone surrogates
        return False
    return True


class _Columns:
    """The type of each key, found in one pass over the batches."""

    def __init__(self, batches: Iterable[tuple[int, Batch]]) -> None:
        self.types: dict[str, pa.DataType] = {}
        self.counts: Counter[str] = Counter()
        row_count = 0
        for _, batch in batches:
            row_count += batch.row_count
            self._add(batch)
        if self.types.get(_STEP) != pa.int64() or set(self.counts.values()) != {row_count}:
            raise NotPlainError

    def _see(self, key: str, kind: pa.DataType, count: int) -> None:
        known = self.types.setdefault(key, kind)
        self.counts[key] += count
        if known != kind:
            if known not in _NUMBERS or kind not in _NUMBERS:
                raise NotPlainError
            self.types[key] = pa.float64()

    def _add(self, batch: Batch) -> None:
        for group in batch.groups:
            for key, mode in zip(group.keys, group.modes, strict=True):
                if SEPARATOR in key:
                    raise NotPlainError
                self._see(key, pa.int64() if mode == Mode.INT else pa.float64(), group.values.shape[1])
        for _, path, value in batch.other:
            if len(path) > 1:
                raise NotPlainError
            self._see(path[0], _type_of(value), 1)

    @property
    def schema(self) -> pa.Schema:
        return pa.schema(sorted(self.types.items()))


def _numbers(batch: Batch, key: str, kind: pa.DataType) -> pa.Array:
    values = np.zeros(batch.row_count, np.int64 if kind == pa.int64() else np.float64)
    for _, rows, found in batch.columns(frozenset({key})):
        values[rows] = found
    return pa.array(values, kind)


def _table(batch: Batch, schema: pa.Schema) -> pa.Table:
    others: dict[str, dict[int, Any]] = {}
    for row, path, value in batch.other:
        others.setdefault(path[0], {})[row] = value
    arrays = []
    for field in schema:
        if field.type in _NUMBERS:
            arrays.append(_numbers(batch, field.name, field.type))
        else:
            column = others[field.name]
            arrays.append(pa.array([column[row] for row in range(batch.row_count)], field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


class _Sink:
    """What pyarrow asks of a file."""

    closed = False

    def __init__(self, incoming: filesystem.Incoming) -> None:
        self._incoming = incoming

    def write(self, data: pa.Buffer) -> int:
        self._incoming.write(bytes(data))
        return len(data)

    def flush(self) -> None:
        """`Incoming.finish` flushes."""


def _build(export: Export, schema: pa.Schema) -> Blob:
    tables = []
    for row0, batch in row_blocks.batches(export.stream.run_id, StreamKind.HISTORY, row_from=export.row_from):
        if row0 >= export.row_to:
            break
        skipped = max(0, export.row_from - row0)
        tables.append(_table(batch, schema).slice(skipped, export.row_to - row0 - skipped))
    table = pa.concat_tables(tables).sort_by(_STEP)
    with filesystem.Incoming() as incoming:
        pq.write_table(table, _Sink(incoming), row_group_size=ROWS_PER_GROUP, compression="zstd")
        return store_blob(incoming.finish())


def _stored_blob(pk: int) -> Blob | None:
    """Return the blob if the sweep has left it, and keep it for longer."""
    if not Blob.objects.filter(pk=pk).update(seen_at=timezone.now()):
        return None
    return Blob.objects.get(pk=pk)


def _blob_keys(stream: Stream) -> list[int]:
    exports = list(Export.objects.select_related("stream").filter(stream=stream).order_by("row_from"))
    end = exports[-1].row_to if exports else 0
    if end < stream.next_row:
        added, _ = Export.objects.get_or_create(
            stream=stream, row_from=end, defaults={"row_to": stream.next_row}
        )
        exports.append(added)
    schema = _Columns(row_blocks.batches(stream.run_id, StreamKind.HISTORY)).schema
    return [_build(export, schema).pk for export in exports]


def _plain_blob_keys(stream: Stream) -> list[int]:
    try:
        return _blob_keys(stream)
    except NotPlainError:
        return []


def _full_blob_keys(run: Run, *, revealed: bool) -> list[int]:
    with filesystem.Incoming() as incoming:
        for piece in pieces_of(run.pk, StreamKind.HISTORY, DownloadFormat.PARQUET, revealed=revealed):
            incoming.write(piece)
        return [store_blob(incoming.finish()).pk]


def _cached_blobs(key: str, make: Callable[[], list[int]]) -> list[Blob]:
    """Return the blobs made under a key; they are made again when one was swept."""
    keys = cache.get(key)
    blobs = [_stored_blob(pk) for pk in keys or ()]
    if keys is None or None in blobs:
        keys = make()
        cache.set(key, keys, UNUSED_FOR.total_seconds())
        blobs = [_stored_blob(pk) for pk in keys]
    return [blob for blob in blobs if blob is not None]


def _stream_of(run: Run) -> Stream | None:
    return Stream.objects.filter(run=run, kind=StreamKind.HISTORY, next_row__gt=0).first()


def history_files(run: Run) -> list[Blob]:
    """Return the files that together are an ended run's history; none when it has to be read live.

    They are made when asked for, and swept when nobody has asked for UNUSED_FOR. A rewound run has none: the SDK may
    hold files of what was cut off.
    """
    stream = _stream_of(run)
    if stream is None or run.is_active or run.is_rewound:
        return []
    key = f"metrics.downloads.sdk_parquet:{stream.pk}:{stream.next_row}"
    return _cached_blobs(key, lambda: _plain_blob_keys(stream))


def full_files(run: Run, *, revealed: bool) -> list[Blob]:
    """Return one file of any ended run's history, secrets in texts masked unless ``revealed``; none of no rows."""
    stream = _stream_of(run)
    if stream is None:
        return []
    # a rewound run may have as many rows again, but others
    key = f"metrics.downloads.sdk_parquet.whole:{stream.pk}:{stream.next_row}:{run.updated_at.timestamp()}:{revealed}"
    return _cached_blobs(key, lambda: _full_blob_keys(run, revealed=revealed))
