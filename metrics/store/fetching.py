"""Fetching ahead what is read of segments in a bucket: each request waits, so what is needed is asked for at once.

Segments at hand (files, the database) are passed on as they come, one after the other, as if none of this were here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from metrics.store.segment_cache import Range, SegmentReader
from metrics.store.segment_storage import SegmentStorage

AT_ONCE = 16
"""Requests of a process that are under way together; backends hold 32 connections."""
_GAP_BYTES = 64 * 1024
"""What is read between two parts rather than to ask twice: the time of a request reads more."""
_LARGEST_REQUEST = 4 * 1024 * 1024
_BYTES_AHEAD = 16 * 1024 * 1024
"""Of packed parts that are in memory at once before they are needed."""

T = TypeVar("T")
Needed = tuple[SegmentReader, Sequence[Range]]
"""Parts of a segment that are about to be read."""

_pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="segments")


@dataclass(slots=True)
class _Request:
    """Neighbouring parts that are asked for together."""

    reader: SegmentReader
    storage: SegmentStorage
    ranges: list[Range]
    stop: int = field(init=False)

    def __post_init__(self) -> None:
        """End where the last part does."""
        self.stop = max(start + length for start, length in self.ranges)

    def takes(self, part: Range) -> bool:
        """Whether a part that begins later is worth no request of its own."""
        start, length = part
        is_near = start - self.stop <= _GAP_BYTES
        return is_near and max(self.stop, start + length) - self.ranges[0][0] <= _LARGEST_REQUEST

    def send(self) -> None:
        """Fetch, and give the reader its parts."""
        first = self.ranges[0][0]
        content = self.storage.read(self.reader.name, first, self.stop - first)
        for start, length in self.ranges:
            self.reader.take_over(start, content[start - first : start - first + length])


def _requests(needed: Iterable[Needed]) -> list[_Request]:
    found: list[_Request] = []
    for reader, ranges in needed:
        storage = reader.storage
        last: _Request | None = None
        for part in reader.missing(ranges):
            if last is not None and last.takes(part):
                last.ranges.append(part)
                last.stop = max(last.stop, sum(part))
            else:
                found.append(last := _Request(reader, storage, [part]))
    return found


def fetch(needed: Iterable[Needed]) -> None:
    """Fetch what is not at hand yet; readers then have it.

    Raises:
        StorageUnavailable: the bucket does not answer.
        FileNotFoundError: a segment is gone.
    """
    requests = _requests((reader, ranges) for reader, ranges in needed if reader.is_remote)
    if len(requests) == 1:
        requests[0].send()
    elif requests:
        for _done in _pool.map(_Request.send, requests):
            pass


def ahead(items: Iterable[T], needed_of: Callable[[T], Iterable[Needed]]) -> Iterator[T]:
    """Pass items on; what is needed of remote segments is fetched for some of them before the first is passed on."""
    window: list[T] = []
    needed: list[Needed] = []
    size = 0
    for item in items:
        remote = [(reader, ranges) for reader, ranges in needed_of(item) if reader.is_remote]
        if not remote and not window:
            yield item
            continue
        window.append(item)
        needed += remote
        size += sum(length for _reader, ranges in remote for _start, length in ranges)
        if size >= _BYTES_AHEAD:
            fetch(needed)
            yield from window
            window, needed, size = [], [], 0
    fetch(needed)
    yield from window
