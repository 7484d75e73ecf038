"""From a durable content to the row that names it, and back: how packing, moving and recovering change segments."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import transaction

from metrics.models import ReplacedSegment, Segment, Stream
from metrics.store import segments
from metrics.store.codec import Batch
from metrics.store.segment_storage import SegmentStorage, discard, storage_of
from runs.models import Run


class Overtaken(Exception):
    """The stream changed while its segment was built: another worker's lease, a rewind, a deletion."""


def new_name() -> str:
    """Return a name that no content has had."""
    return secrets.token_hex(16)


def segment_row(storage: SegmentStorage, name: str, size_bytes: int, packed: bytes) -> Segment:
    """Return the row, not saved, of a content that lies in a place; ``packed`` is its index."""
    index = segments.SegmentIndex(packed)
    about = index.about
    return Segment(
        stream_id=about.stream_id, row0=about.row0, row_count=index.row_count, x0=about.x0, x1=about.x1, name=name,
        store=storage.store, bucket_id=storage.bucket_id, size_bytes=size_bytes, index=packed,
    )  # fmt: skip


def store_segment(storage: SegmentStorage, batch: Batch, about: segments.SegmentPosition) -> Segment:
    """Make the content of a new segment durable; its row is not saved yet."""
    content, index = segments.write(batch, about)
    name = new_name()
    storage.put(name, content)
    return segment_row(storage, name, len(content), index)


def lock_stream(stream: Stream) -> Stream:
    """Lock what the stream belongs to, as the ingest does, and read the stream again.

    Raises:
        Overtaken: it is gone, or going.
    """
    run = Run.objects.locked().filter(pk=stream.run_id).only("purge_began_at").first()
    again = Stream.objects.filter(pk=stream.pk, run_id=stream.run_id).first()
    if run is None or run.purge_began_at is not None or again is None:
        raise Overtaken
    return again


@contextmanager
def naming(segment: Segment) -> Iterator[None]:
    """Hold the short transaction that names a content; one that came too late is removed: nobody knows of it."""
    try:
        with transaction.atomic():
            yield
    except Overtaken:
        discard(storage_of(segment), [segment.name])
        raise


def record_replaced(replaced: Sequence[Segment]) -> None:
    """Keep the contents of segments whose rows go for a while, for readers who have seen the rows."""
    ReplacedSegment.objects.bulk_create(ReplacedSegment(name=segment.name) for segment in replaced)
