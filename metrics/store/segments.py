"""Immutable, packed rows: the cold part of the store.

A segment's content is the columns' bytes one after another, then a footer: the index (zstd JSON), its length and a
mark. The index also lies in the segment's database row, so that a chart reads only the columns it draws; a lost row can
be made again from the footer. Per key the index keeps what lists of keys show, so that they read no column at all, and
per group of keys that the same rows have it keeps where the row numbers lie.
"""

import json
import struct
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
import zstandard

from metrics.store import pyramid
from metrics.store.batches import cut
from metrics.store.codec import Batch, Group, Mode, Rows, unpack
from metrics.store.column_codec import decode, encode
from metrics.store.downsampling import Points
from metrics.store.key_stats import KeyStatsBuilder, shown_key

VERSION = 1
_FOOTER = struct.Struct("<I4s")
_MARK = b"RYS1"

T = TypeVar("T")


class PartReader(Protocol):
    """A segment's content, of which parts are read."""

    def part(self, start: int, length: int, unpack: Callable[[bytes], T]) -> T:
        """Return what ``unpack`` makes of the bytes there; it may be shared, so nobody changes it."""


class Content:
    """A segment's content in memory, of which parts are read."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, start: int, length: int) -> bytes:
        """Return a part."""
        return self._content[start : start + length]

    def part(self, start: int, length: int, unpack: Callable[[bytes], T]) -> T:
        """Return a part unpacked."""
        return unpack(self.read(start, length))


class _ByteWriter:
    """Collects bytes and says where they lie."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def put(self, content: bytes) -> list[int]:
        """Return [start, length]."""
        self.parts.append(content)
        self.size += len(content)
        return [self.size - len(content), len(content)]


def _rows_to_bytes(rows: Any) -> bytes:
    steps = np.diff(np.asarray(rows, np.int64), prepend=0).astype(np.uint32)
    return zstandard.compress(steps.tobytes(), 3)


def _rows_from_bytes(content: bytes) -> Any:
    return np.cumsum(np.frombuffer(zstandard.decompress(content), np.uint32), dtype=np.int64)


def _other_from_bytes(content: bytes) -> Any:
    return json.loads(zstandard.decompress(content))


def _put_group(out: _ByteWriter, group: Group, levels: dict[int, dict[str, bytes]]) -> dict[str, Any]:
    placed: dict[str, list[int]] = {}
    for position, key in enumerate(group.keys):
        codec, content = encode(group.values[position], whole=group.modes[position] == Mode.INT)
        placed[key] = [int(codec), *out.put(content), group.modes[position]]
    return {
        "count": group.values.shape[1],
        "rows": None if group.rows is None else out.put(_rows_to_bytes(group.rows)),
        "columns": placed,
        "ints": {group.keys[position]: listed for position, listed in group.int_rows.items()},
        "levels": {
            size: {name: out.put(blocks) for name, blocks in found.items()} for size, found in levels.items()
        },
    }


@dataclass(frozen=True, slots=True)
class SegmentPosition:
    """Where a segment belongs."""

    stream_id: int
    row0: int
    x0: float
    x1: float


def write(batch: Batch, about: SegmentPosition) -> tuple[bytes, bytes]:
    """Return (content, index) of the segment that holds a batch."""
    out = _ByteWriter()
    axes = pyramid.axes_of(batch)
    builder = KeyStatsBuilder()
    builder.add(about.row0, batch)
    body = {
        "version": VERSION,
        "about": [about.stream_id, about.row0, about.x0, about.x1],
        "row_count": batch.row_count,
        "groups": [_put_group(out, group, pyramid.levels_of(group, batch, axes)) for group in batch.groups],
        "other": out.put(zstandard.compress(json.dumps(batch.other).encode(), 3)) if batch.other else None,
        "tallies": builder.dump(),
        "last": unpack_last(batch),
    }
    index = zstandard.compress(json.dumps(body, separators=(",", ":")).encode(), 9)
    out.put(index + _FOOTER.pack(len(index), _MARK))
    return b"".join(out.parts), index


def unpack_last(batch: Batch) -> dict[str, Any]:
    """Return the last row as it arrived."""
    return unpack(cut(batch, batch.row_count - 1, batch.row_count))[0]


def index_in(read: Callable[[int, int], bytes], size: int) -> bytes:
    """Return the index out of the footer of a content of ``size`` bytes, of which ``read`` gives (start, length).

    Raises:
        ValueError: cut off, or no segment.
    """
    if size < _FOOTER.size:
        raise ValueError("too short for a segment")
    length, mark = _FOOTER.unpack(read(size - _FOOTER.size, _FOOTER.size))
    if mark != _MARK or length + _FOOTER.size > size:
        raise ValueError("no segment, or cut off")
    return read(size - _FOOTER.size - length, length)


class SegmentIndex:
    """What a segment holds, without its columns."""

    __slots__ = ("body", "columns", "packed_bytes")

    def __init__(self, packed: bytes) -> None:
        self.packed_bytes = len(packed)
        self.body: dict[str, Any] = json.loads(zstandard.decompress(packed))
        self.columns: dict[str, list[str]] = {}
        """The numeric columns of each shown name."""
        for group in self.body["groups"]:
            for name in group["columns"]:
                self.columns.setdefault(shown_key(name), []).append(name)

    @property
    def about(self) -> SegmentPosition:
        return SegmentPosition(*self.body["about"])

    @property
    def row_count(self) -> int:
        return int(self.body["row_count"])

    @property
    def last(self) -> dict[str, Any]:
        """The last row."""
        return dict(self.body["last"])

    def key_stats(self) -> KeyStatsBuilder:
        """Return what was logged under each key."""
        return KeyStatsBuilder.load(self.body["tallies"])

    def ranges(self, names: Collection[str] | None = None) -> list[tuple[int, int]]:
        """Return where lies what `read` reads of the content: start and length of each part."""
        found: list[tuple[int, int]] = []
        for group in self.body["groups"]:
            placed = [place for key, place in group["columns"].items() if names is None or key in names]
            if placed and group["rows"]:
                found.append(tuple(group["rows"]))
            found += [(start, length) for _codec, start, length, _mode in placed]
        return found + (self.ranges_of_others() if names is None else [])

    def starts(self) -> Iterator[int]:
        """Yield where each part of the content begins, and the footer, in no order."""
        for group in self.body["groups"]:
            yield from (start for _codec, start, _length, _mode in group["columns"].values())
            levels = group["levels"].values()
            yield from (start for blocks in levels for start, _length in blocks.values())
            yield from (group["rows"] or [])[:1]
        yield from (self.body["other"] or [])[:1]

    def ranges_of_others(self) -> list[tuple[int, int]]:
        """Return where lies what `others` reads."""
        return [tuple(self.body["other"])] if self.body["other"] else []

    def read(self, content: PartReader, names: Collection[str] | None = None) -> Batch:
        """Return the rows; with ``names`` only those numeric columns, and nothing that is no number."""
        groups = []
        for group in self.body["groups"]:
            keys = [key for key in group["columns"] if names is None or key in names]
            if keys:
                groups.append(self._group(group, keys, content))
        return Batch(self.row_count, groups, self.others(content) if names is None else [])

    def others(self, content: PartReader) -> list[tuple[int, list[str], Any]]:
        """Return (row, path, value) of all that is no number."""
        if not self.body["other"]:
            return []
        start, length = self.body["other"]
        return [(row, path, value) for row, path, value in content.part(start, length, _other_from_bytes)]

    def filled_rows(self, content: PartReader) -> Rows:
        """Return the numbers of the rows that are not empty; columns are not read."""
        places = [group["rows"] for group in self.body["groups"]]
        if None in places:
            return np.arange(self.row_count)
        parts = [content.part(start, length, _rows_from_bytes) for start, length in places]
        others = np.array([row for row, _, _ in self.others(content)], np.int64)
        return np.unique(np.concatenate([*parts, others]))

    def _groups_of(self, key: str) -> list[tuple[str, dict[str, Any]]]:
        names = self.columns.get(key, [])
        return [(name, group) for name in names for group in self.body["groups"] if name in group["columns"]]

    def count(self, key: str) -> int:
        """Return how many numbers a key (by its shown name) has."""
        return sum(group["count"] for _, group in self._groups_of(key))

    def has_others(self, is_wanted: Callable[[str], bool]) -> bool:
        """Say whether anything that is no number was logged under one of the shown names wanted."""
        return any(
            is_wanted(key) and stats[1] > self.count(key) for key, stats in self.body["tallies"].items()
        )

    def block_ranges(self, key: str, size: int, axes: Collection[str]) -> dict[str, tuple[int, int]] | None:
        """Return where the blocks of a key and of axes at its rows lie, of this size or smaller; None: none."""
        found = self._groups_of(key)
        if len(found) != 1:  # a nested key and a literal one with dots
            return None
        [(name, group)] = found
        sizes = (str(one) for one in reversed(pyramid.LEVELS) if one <= size)
        level: dict[str, list[int]] = next(
            (group["levels"][one] for one in sizes if one in group["levels"]), {}
        )
        if name not in level or any(axis not in level for axis in axes):
            return None
        places = {axis: level[axis] for axis in axes} | {key: level[name]}
        return {shown: (start, length) for shown, (start, length) in places.items()}

    def blocks(
        self, content: PartReader, key: str, size: int, axes: Collection[str]
    ) -> dict[str, Points] | None:
        """Return the blocks of a key and of axes at its rows, of this size or smaller; None when it has none."""
        places = self.block_ranges(key, size, axes)
        if places is None:
            return None
        return {
            shown: content.part(start, length, pyramid.unpacked) for shown, (start, length) in places.items()
        }

    @staticmethod
    def _group(group: dict[str, Any], keys: list[str], content: PartReader) -> Group:
        placed = [group["columns"][key] for key in keys]
        start, length = group["rows"] or (0, 0)
        return Group(
            keys=tuple(keys),
            rows=content.part(start, length, _rows_from_bytes) if length else None,
            values=np.array(
                [content.part(start, length, partial(decode, codec)) for codec, start, length, _ in placed]
            ),
            modes=bytes(mode for *_, mode in placed),
            int_rows={
                position: group["ints"][key] for position, key in enumerate(keys) if key in group["ints"]
            },
        )
