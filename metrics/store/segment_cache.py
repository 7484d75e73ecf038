"""What is read of segments' contents, unpacked. They never change, so what was read is cached in the process."""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from cachetools import LRUCache

from metrics.models import Segment, SegmentStore
from metrics.store import segments
from metrics.store.downsampling import Points
from metrics.store.segment_storage import SegmentStorage, storage_at

CACHE_BYTES = 64 * 1024 * 1024
"""Charts of one page ask for the same columns again and again; a column of a full segment has half a MiB."""
_UNPACKED_INDEX = 20
"""So many times its packed size an index takes as Python objects, about."""

_REMOTE = frozenset({SegmentStore.BUCKET, SegmentStore.CLICKHOUSE})

Range = tuple[int, int]
"""Start and length of a part."""
T = TypeVar("T")


def _size_of(value: Any) -> int:
    """Return the bytes that an array, blocks or an index take; anything else is too large to cache."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Points):
        return sum(getattr(value, name).nbytes for name in Points.__slots__)
    if isinstance(value, segments.SegmentIndex):
        return value.packed_bytes * _UNPACKED_INDEX
    return CACHE_BYTES + 1


_cache: LRUCache[tuple[str, int], Any] = LRUCache(CACHE_BYTES, getsizeof=_size_of)
_lock = Lock()


def clear_cache() -> None:
    """Empty the cache."""
    with _lock:
        _cache.clear()


class SegmentReader:
    """One segment's content."""

    __slots__ = ("_fetched", "_place", "is_cached", "name")

    def __init__(self, segment: Segment, *, is_cached: bool = True) -> None:
        self.name = segment.name
        self._place = segment.store, segment.bucket_id
        self._fetched: dict[int, bytes] = {}
        self.is_cached = is_cached
        """False for who reads all of it once."""

    @property
    def is_remote(self) -> bool:
        """Whether a read waits for a network, so that it pays to fetch what is needed at once."""
        return self._place[0] in _REMOTE

    @property
    def storage(self) -> SegmentStorage:
        """Where it lies."""
        return storage_at(*self._place)

    def read(self, start: int, length: int) -> bytes:
        """Return the bytes of a part; what was fetched ahead is given once."""
        fetched = self._fetched.pop(start, None)
        return fetched if fetched is not None else self.storage.read(self.name, start, length)

    def missing(self, ranges: Iterable[Range]) -> list[Range]:
        """Return those ranges that are neither remembered nor fetched."""
        with _lock:
            return sorted(
                {
                    part
                    for part in ranges
                    if part[1]
                    and part[0] not in self._fetched
                    and not (self.is_cached and (self.name, part[0]) in _cache)
                }
            )

    def take_over(self, start: int, content: bytes) -> None:
        """Hold a part until it is read."""
        self._fetched[start] = content

    def part(self, start: int, length: int, unpack: Callable[[bytes], T]) -> T:
        """Return a part unpacked; a part is always unpacked in one way, and nobody may change what comes back."""
        return self._once(start, lambda: unpack(self.read(start, length)))

    def index(self, packed: bytes) -> segments.SegmentIndex:
        """Return the index that the segment's row has."""
        return self._once(-1, lambda: segments.SegmentIndex(packed))

    def _once(self, start: int, make: Callable[[], T]) -> T:
        if not self.is_cached:
            return make()
        with _lock:
            known: T | None = _cache.get((self.name, start))
        if known is None:
            known = make()
            with _lock:
                if _size_of(known) <= CACHE_BYTES:
                    _cache[self.name, start] = known
        return known
