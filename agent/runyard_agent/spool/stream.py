"""One stream of a spool: numbered records in segment files, and in memory while the disk takes none."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Callable, NamedTuple

from runyard_agent.spool.records import encode, scan

Compact = Callable[[list[bytes]], list[int]]
"""Returns the indexes of the payloads that are still needed."""

_NUMBER_DIGITS = 16
_FULL_DISK_PAUSE_S = 1.0
"""A disk that took nothing is tried again after this long."""


class Batch(NamedTuple):
    """Records in a row."""

    first: int
    """Number of the first; more than was asked for where records are missing."""
    payloads: list[bytes]

    @property
    def end(self) -> int:
        """Number of the record after the last."""
        return self.first + len(self.payloads)


class Segment:
    """A file of records; only the newest one of a stream grows."""

    def __init__(self, path: Path, first: int, size: int) -> None:
        self.path, self.first, self.size = path, first, size


class _Place(NamedTuple):
    """Where a record begins."""

    segment: Segment
    position: int


class _View(NamedTuple):
    """A stream at a moment, from some number on."""

    end: int
    segments: list[tuple[Segment, int]]
    """With their sizes."""
    memory: list[tuple[int, bytes]]
    place: _Place | None
    """Where the number is, if that is known."""


class Stream:
    """Appends, reads, acknowledges and drops. The spool's lock is held around all but ``read``.

    Args:
        segment_bytes: a file that reached this size is followed by a new one.
        on_damage: told of each stretch of a file that holds no record.
        compact: what need not be kept when a new file is begun.

    Raises:
        OSError: what is there can't be read.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        segment_bytes: int,
        on_damage: Callable[[Path], None],
        compact: Compact | None = None,
    ) -> None:
        self.name, self.acknowledged = name, 0
        self.next = 0
        """Number of the next record."""
        self.memory: deque[tuple[int, bytes]] = deque()
        self.memory_bytes = 0
        self._folder, self._segment_bytes, self._compact = folder, segment_bytes, compact
        self._on_damage = on_damage
        self._damaged: set[tuple[Path, int]] = set()
        self._places: dict[int, _Place | None] = {}
        self._file: int | None = None
        self._error, self._not_before = OSError(), 0.0
        self.segments = [_found(path) for path in sorted(folder.glob(f"{name}.{'[0-9]' * _NUMBER_DIGITS}"))]
        if self.segments:
            self._recover()
        self.size = sum(segment.size for segment in self.segments)
        """Bytes on disk."""

    def append(self, payload: bytes) -> OSError | None:
        """Add a record; return why it is in memory, if it is."""
        number, self.next = self.next, self.next + 1
        error = self.flush()
        if error is None:
            error = self._write(number, payload)
        if error:
            self.memory.append((number, payload))
            self.memory_bytes += len(payload)
        return error

    def flush(self) -> OSError | None:
        """Write what is in memory; return why some of it is still there."""
        if self.memory and time.monotonic() < self._not_before:
            return self._error
        while self.memory:
            number, payload = self.memory[0]
            error = self._write(number, payload)
            if error:
                return error
            self.forget_one()
        return None

    def forget_one(self) -> None:
        """Take the oldest record out of the memory."""
        _, payload = self.memory.popleft()
        self.memory_bytes -= len(payload)

    def drop(self) -> int:
        """Remove the oldest segment, sent or not; return how many records were not."""
        oldest = self.segments.pop(0)
        self.size -= oldest.size
        if not self.segments:
            self._close_file()
        after = self.segments[0].first if self.segments else self._end_on_disk()
        with contextlib.suppress(OSError):
            oldest.path.unlink()
        return max(after - max(oldest.first, self.acknowledged), 0)

    def acknowledge(self, number: int, *, keep: bool) -> None:
        """Take all before a number as sent; remove the files that hold nothing else, unless they are kept."""
        self.acknowledged = number
        while not keep and len(self.segments) > 1 and self.segments[1].first <= number:
            self.drop()

    def read(self, number: int, max_bytes: int, lock: contextlib.AbstractContextManager[object]) -> Batch:
        """Return the records from a number on, at least one if there is one, and not much over a size.

        The files are read without the lock; what is dropped meanwhile is missing in the answer.
        """
        while True:
            with lock:
                view = self._view(number)
                if self._compact:  # its files are not only removed but written anew
                    return self._collect(number, max_bytes, view)
            try:
                return self._collect(number, max_bytes, view)
            except FileNotFoundError:
                continue

    def close(self) -> None:
        """Leave the file that grows."""
        self._close_file()

    def handle(self) -> int | None:
        """Return a descriptor of the file that grows, which the caller closes; None where there is none."""
        return None if self._file is None else os.dup(self._file)

    def _collect(self, number: int, max_bytes: int, view: _View) -> Batch:
        first, payloads, size, last = None, [], 0, None
        for found, payload, place in self._each(number, view):
            if first is None:
                first = found
            elif found != first + len(payloads) or size + len(payload) > max_bytes:
                break
            payloads.append(payload)
            size, last = size + len(payload), place
        if first is None:
            return Batch(max(number, view.end), [])
        self._places = {number: view.place, first + len(payloads): last}
        return Batch(first, payloads)

    def _each(self, number: int, view: _View) -> Iterator[tuple[int, bytes, _Place | None]]:
        """Yield number, payload and where the record after it is to be looked for; no number twice."""
        for segment, size in view.segments:
            start = view.place.position if view.place and view.place.segment is segment else 0
            with segment.path.open("rb") as file:
                for record in scan(file, start, size, partial(self._note_damage, segment.path)):
                    if record.number >= number:
                        number = record.number + 1
                        yield record.number, record.payload, _Place(segment, record.end)
        for found, payload in view.memory:
            if found >= number:
                yield found, payload, None

    def _view(self, number: int) -> _View:
        """Return what may hold a number and those after it."""
        begin = 0
        for index, segment in enumerate(self.segments):
            if segment.first <= number:
                begin = index
        segments = [(segment, segment.size) for segment in self.segments[begin:]]
        return _View(self.next, segments, list(self.memory), self._places.get(number))

    def _write(self, number: int, payload: bytes) -> OSError | None:
        data = encode(number, payload)
        try:
            file = self._file_for(number)
            written = os.write(file, data)
            if written != len(data):
                os.write(file, data[written:])  # says what is wrong, unless room was made just now
        except OSError as error:
            self._cut()
            self._error, self._not_before = error, time.monotonic() + _FULL_DISK_PAUSE_S
            return error
        self.segments[-1].size += len(data)
        self.size += len(data)
        return None

    def _cut(self) -> None:
        """Remove half a record; the room that truncating needs is always there."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.segments[-1].size)

    def _file_for(self, number: int) -> int:
        """Return the file that grows; a new one after a full one."""
        if self._file is not None and self.segments[-1].size < self._segment_bytes:
            return self._file
        if self._compact and self.segments:
            with contextlib.suppress(OSError):
                self._drop_needless(self._compact)
        path = self._folder / f"{self.name}.{number:0{_NUMBER_DIGITS}}"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        self._close_file()
        self._file = file
        self.segments.append(Segment(path, number, 0))
        return file

    def _drop_needless(self, compact: Compact) -> None:
        """Put what is still needed of all segments into the place of the first.

        Killed in between, it leaves records twice; reading passes over those.
        """
        view = self._view(self.acknowledged)._replace(memory=[], place=None)
        records = [(number, payload) for number, payload, _ in self._each(self.acknowledged, view)]
        needed = compact([payload for _, payload in records])
        data = b"".join(encode(*records[index]) for index in needed)
        first = self.segments[0]
        fresh = first.path.with_name(f"{self.name}.compacted")
        try:
            fresh.write_bytes(data)
            fresh.replace(first.path)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        for segment in self.segments[1:]:
            segment.path.unlink()
        self._close_file()
        self.segments, self.size = [Segment(first.path, first.first, len(data))], len(data)

    def _recover(self) -> None:
        """Find the next number, and cut off what a killed writer left half written."""
        newest, end = self.segments[-1], 0
        self.next = newest.first
        with newest.path.open("rb") as file:
            for record in scan(file, 0, newest.size, lambda _: None):
                self.next, end = record.number + 1, record.end
        self._file = os.open(newest.path, os.O_WRONLY | os.O_APPEND)
        newest.size = end
        self._cut()

    def _end_on_disk(self) -> int:
        return self.memory[0][0] if self.memory else self.next

    def _note_damage(self, path: Path, position: int) -> None:
        if (path, position) not in self._damaged:
            self._damaged.add((path, position))
            self._on_damage(path)

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _found(path: Path) -> Segment:
    return Segment(path, int(path.suffix[1:]), path.stat().st_size)
