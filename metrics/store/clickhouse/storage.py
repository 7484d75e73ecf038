"""Segments in ClickHouse: each part of a content is a row, and the numbers of each key are another.

Parts are what charts read, byte for byte what lies in a file or a bucket otherwise; so a segment is moved, compared,
swept and billed as anywhere. The numbers are there for questions over many runs. A push is a few blocks of rows, all
of one segment, and nobody looks for them before it is named: one that was cut off is swept, and never gone on with.
"""

import struct
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice, pairwise

import numpy as np
from django.utils import timezone

from metrics.models import SegmentStore
from metrics.store import segments
from metrics.store.clickhouse.servers import WRITE_S, cluster_servers
from metrics.store.clickhouse.tables import NUMBERS, PARTS, tables_of
from metrics.store.codec import Floats, row_numbers
from metrics.store.key_stats import shown_key
from storage.backends.base import StorageUnavailable

_NAMES_AT_ONCE = 10_000
_NAMES = (
    f"SELECT DISTINCT segment FROM {PARTS} WHERE start = 0 AND written_at < {{before:UInt32}}"  # noqa: S608 - names of ours
    " AND segment > {last:String} ORDER BY segment LIMIT {limit:UInt32} FORMAT TabSeparated"
)
_DELETED_AT_ONCE = 500
_START = struct.Struct("<Q")
_PART_HEAD = struct.Struct("<QI")
_NUMBERS_HEAD = struct.Struct("<QQ")
_STATS = struct.Struct("<Idddd")
_WRITTEN_AT = struct.Struct("<I")


class ClickHouseSegmentStorage:
    """Rows of two tables. Made where the settings may be asked; then any thread can use it."""

    store: SegmentStore = SegmentStore.CLICKHOUSE
    bucket_id: int | None = None

    def __init__(self) -> None:
        self._servers = cluster_servers()
        self._tables = tables_of(self._servers)

    def put(self, name: str, content: bytes, *, is_fresh: bool = True) -> None:
        """Insert the parts, the numbers, and the last part, which is the footer: what has that has all of it."""
        now, index = int(timezone.now().timestamp()), _index_of(content)
        *parts, footer = _parts_rows(name, index, content, now)
        self._insert(PARTS, f"{name} parts", parts)
        self._insert(NUMBERS, f"{name} numbers", _numbers_rows(name, index, content, now) if index else [])
        self._insert(PARTS, f"{name} footer", [footer])

    def _insert(self, table: str, token: str, rows: Sequence[bytes]) -> None:
        """Insert rows as one block; by its token one that arrives again is known."""
        if rows:
            self._servers.write(
                f"INSERT INTO {table} FORMAT RowBinary", b"".join(rows),
                insert_deduplication_token=token, distributed_foreground_insert=1, async_insert=0,
            )  # fmt: skip

    def read(self, name: str, start: int, length: int) -> bytes:
        """Read the parts that lie there."""
        found: dict[int, bytes] = {}
        rows = self._rows_of(
            name,
            "SELECT start, content FROM {table} WHERE segment = {name:String}"
            " AND start < {stop:UInt64} AND start + size > {start:UInt64}",
            start=start,
            stop=start + length,
        )
        end = 0
        while end < len(rows):
            (at,) = _START.unpack_from(rows, end)
            size, begin = _read_varint(rows, end + _START.size)
            end = begin + size
            found[at] = rows[begin:end]
        first = min(found)
        content = b"".join(found[at] for at in sorted(found))[start - first : start - first + length]
        if len(content) != length:
            raise StorageUnavailable("ClickHouse gives less of a segment than was stored in it.")
        return content

    def read_stored(self, name: str, start: int, length: int) -> bytes:
        """Read the parts that lie there."""
        return self.read(name, start, length)

    def size(self, name: str) -> int:
        """Return where the last part ends."""
        rows = self._rows_of(
            name, "SELECT max(start + size) FROM {table} WHERE segment = {name:String} HAVING count() > 0"
        )
        return int.from_bytes(rows[:8], "little")

    def _rows_of(self, name: str, statement: str, **parameters: int) -> bytes:
        """Return rows about one segment, of the shard where it should lie; where shards were added since, of any.

        Raises:
            FileNotFoundError: there are none.
        """
        statement = f"{statement.replace('{table}', PARTS)} FORMAT RowBinary"
        for is_pruned in (True, False) if self._tables.cluster else (False,):
            rows = self._servers.read(
                statement, {"name": name, **parameters}, optimize_skip_unused_shards=int(is_pruned)
            )
            if rows:
                return rows
        raise FileNotFoundError(name)

    def delete(self, names: Collection[str]) -> None:
        """Delete their rows on every shard: parts last, by which what is left of a cut-off deletion is found."""
        left = iter(names)
        while some := list(islice(left, _DELETED_AT_ONCE)):
            listed = f"[{','.join(map(repr, some))}]"
            for table in (NUMBERS, PARTS):
                statement = (
                    f"DELETE FROM {self._tables.local(table)} WHERE segment IN {{names:Array(String)}}"  # noqa: S608
                )
                self._servers.on_each(statement, {"names": listed})

    def names(self, older_than: datetime) -> Iterator[str]:
        """Yield names by pages."""
        last = ""
        while True:
            given = {"before": int(older_than.timestamp()), "last": last, "limit": _NAMES_AT_ONCE}
            rows = self._servers.read(_NAMES, given, timeout_s=WRITE_S).decode().split()
            if not rows:
                return
            yield from rows
            last = rows[-1]


def _index_of(content: bytes) -> segments.SegmentIndex | None:
    """Return the index of a content; None where it is no segment: whoever reads it hears that."""
    try:
        return segments.SegmentIndex(segments.index_in(segments.Content(content).read, len(content)))
    except ValueError:
        return None


def _parts_rows(
    name: str, index: segments.SegmentIndex | None, content: bytes, written_at: int
) -> list[bytes]:
    """Return the rows of a content, cut where its parts begin, as RowBinary."""
    starts = sorted({0, *(index.starts() if index else ()), len(content)})
    head, tail = _text(name.encode()), _WRITTEN_AT.pack(written_at)
    return [
        head + _PART_HEAD.pack(start, stop - start) + _text(content[start:stop]) + tail
        for start, stop in pairwise(starts)
    ]


def _numbers_rows(name: str, index: segments.SegmentIndex, content: bytes, written_at: int) -> list[bytes]:
    """Return a row for each numeric column of a segment, as RowBinary."""
    about, found = index.about, list[bytes]()
    batch = index.read(segments.Content(content))
    place, segment = _NUMBERS_HEAD.pack(about.stream_id, about.row0), _text(name.encode())
    for group in batch.groups:
        listed = b"\0" if group.rows is None else _array(row_numbers(group, batch.row_count).astype("<u4"))
        for key, values in zip(group.keys, group.values, strict=True):
            found += [
                _text(shown_key(key).encode(errors="replace")), place, segment, listed, _array(values.astype("<f8")),
                _STATS.pack(*_stats(values)), _WRITTEN_AT.pack(written_at),
            ]  # fmt: skip
    return found


def _stats(values: Floats) -> tuple[int, float, float, float, float]:
    """Return how many numbers are finite, their smallest, largest and sum, and the last number."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0, np.nan, np.nan, 0.0, float(values[-1])
    return finite.size, float(finite.min()), float(finite.max()), float(finite.sum()), float(values[-1])


def _text(content: bytes) -> bytes:
    return _varint(len(content)) + content


def _array(values: "np.ndarray[tuple[int], np.dtype[np.generic]]") -> bytes:
    return _varint(values.size) + values.tobytes()


def _varint(number: int) -> bytes:
    """Encode as LEB128."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _read_varint(rows: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins there, and where the next thing does."""
    number = shift = 0
    while True:
        byte = rows[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
