"""Moving segments to where new ones go: copied, compared, named there, and only then left to the sweep.

A move that is cut off loses nothing and goes on by being begun again: it looks for what lies elsewhere. Runs may log
and charts be read meanwhile; what was replaced stays for readers under way (`metrics.store.sweeping`).
"""

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet, Sum

from metrics.models import Segment, Stream
from metrics.store import segments
from metrics.store.naming import Overtaken, lock_stream, naming, new_name, record_replaced
from metrics.store.segment_storage import SegmentStorage, storage_of
from storage.backends.base import StorageUnavailable

logger = logging.getLogger(__name__)

_AT_ONCE = 100
"""Rows that are looked up together; contents are in memory one at a time, of at most some tens of MB."""


class DamagedError(Exception):
    """A content that is not what its row says; it stays where it is."""


@dataclass(slots=True)
class MoveProgress:
    """How far a move is."""

    moved: int = 0
    moved_bytes: int = 0
    overtaken: int = 0
    """Merged or deleted meanwhile."""
    damaged: int = 0


def misplaced(target: SegmentStorage) -> "QuerySet[Segment]":
    """Return the segments that lie anywhere else, as they were packed."""
    here = Q(store=target.store, bucket=target.bucket_id)
    return Segment.objects.exclude(here).order_by("pk")


def count_misplaced(target: SegmentStorage) -> tuple[int, int]:
    """Return how many segments lie elsewhere, and their bytes."""
    found = misplaced(target)
    return found.count(), found.aggregate(size=Sum("size_bytes"))["size"] or 0


def move_all(target: SegmentStorage) -> Iterator[MoveProgress]:
    """Move everything that lies elsewhere; yields after each segment.

    Raises:
        StorageUnavailable: a bucket does not answer; begin again later.
    """
    progress, last = MoveProgress(), 0
    while some := list(misplaced(target).filter(pk__gt=last)[:_AT_ONCE]):
        for segment in some:
            try:
                _move(segment, target)
                progress.moved += 1
                progress.moved_bytes += segment.size_bytes
            except Overtaken:
                progress.overtaken += 1
            except DamagedError as error:
                progress.damaged += 1
                logger.warning("segment %s stays where it is: %s", segment.name, error)
            yield progress
        last = some[-1].pk


def _move(segment: Segment, target: SegmentStorage) -> None:
    content = _content_of(segment)
    copy = Segment(
        name=new_name(), store=target.store, bucket_id=target.bucket_id, size_bytes=segment.size_bytes
    )
    target.put(copy.name, content, is_fresh=False)
    _require_same(content, target.read_stored(copy.name, 0, target.size(copy.name)))
    with naming(copy):
        stream = Stream.objects.filter(pk=segment.stream_id).first()
        if stream is None:
            raise Overtaken
        lock_stream(stream)
        named = Segment.objects.filter(pk=segment.pk, name=segment.name)
        if not named.update(name=copy.name, store=copy.store, bucket=copy.bucket_id):
            raise Overtaken
        record_replaced([segment])


def _content_of(segment: Segment) -> bytes:
    """Return all of a segment, checked against its row.

    Raises:
        Overtaken: it is gone with its row.
        DamagedError: it is gone, or another than was written.
    """
    storage = storage_of(segment)
    try:
        size = storage.size(segment.name)
        content = storage.read_stored(segment.name, 0, size)
        index = segments.index_in(segments.Content(content).read, len(content))
    except (FileNotFoundError, ValueError) as error:
        if not Segment.objects.filter(pk=segment.pk, name=segment.name).exists():
            raise Overtaken from None
        raise DamagedError(f"it cannot be read ({type(error).__name__}: {error})") from error
    if len(content) != segment.size_bytes or index != bytes(segment.index):
        raise DamagedError("its content is another than its row says")
    return content


def _require_same(content: bytes, arrived: bytes) -> None:
    if hashlib.sha256(content).digest() != hashlib.sha256(arrived).digest():
        raise StorageUnavailable("What was written of a segment is read back otherwise.")
