"""What ingest and the metric store tell of themselves: counted where it happens, or read when somebody asks."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from django.db.models import Count, F, Sum
from django.db.models.functions import Coalesce
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from common.telemetry.definitions import (
    INGEST_ACKNOWLEDGEMENT,
    INGEST_COMMIT,
    INGEST_GROUP_POSTS,
    INGEST_POINTS,
    INGEST_ROWS,
    PACKING_BYTES,
    PACKING_SEGMENTS,
    database_failed,
)
from metrics.models import Segment, Stream

if TYPE_CHECKING:
    from metrics.ingest.points import Lines
    from metrics.ingest.post import Post


def group_failed(error: Exception) -> None:
    """Count a group that was not stored as a whole."""
    database_failed("ingest", error)


def _points_of(lines: "Lines") -> int:
    return sum(sum(group.values.size for group in batch.groups) + len(batch.other) for batch in lines.batches)


def _count(kind: str, posted: Iterable["Lines | None"]) -> None:
    found = [lines for lines in posted if lines is not None]
    if found:
        INGEST_ROWS.labels(kind).inc(sum(batch.row_count for lines in found for batch in lines.batches))
        INGEST_POINTS.labels(kind).inc(sum(map(_points_of, found)))


def group_ended(
    posts: Sequence["Post"], is_stored: Sequence[bool], begin: float, queued_at: Sequence[float]
) -> None:
    """Count a group and what is in its stored posts, before they are answered.

    Args:
        posts: Of the group.
        is_stored: For each, in order.
        begin: When the commit began, by ``time.perf_counter``.
        queued_at: When each post came, by the same clock.
    """
    now = time.perf_counter()
    INGEST_COMMIT.observe(now - begin)
    for since in compress(queued_at, is_stored):
        INGEST_ACKNOWLEDGEMENT.observe(now - since)
    INGEST_GROUP_POSTS.observe(len(posts))
    stored = list(compress(posts, is_stored))
    _count("history", (post.history for post in stored))
    _count("system", (post.system for post in stored))
    lines = sum(len(post.log_lines) for post in stored)
    if lines:
        INGEST_ROWS.labels("log").inc(lines)


def segment_written(source: str, size_bytes: int) -> None:
    """Count a segment that is committed.

    Args:
        source: ``pack`` (from the tail) or ``merge`` (from smaller segments).
        size_bytes: Of its content.
    """
    PACKING_SEGMENTS.labels(source).inc()
    PACKING_BYTES.labels(source).inc(size_bytes)


def store() -> Iterator[Metric]:
    """Yield what the metric store holds: three queries."""
    from metrics.store.compaction import due

    tail = Stream.objects.aggregate(
        rows=Coalesce(Sum(F("next_row") - F("packed_to")), 0), size=Coalesce(Sum("tail_bytes"), 0)
    )
    cold = Segment.objects.aggregate(count=Count("pk"), size=Coalesce(Sum("size_bytes"), 0))
    yield GaugeMetricFamily(
        "runyard_tail_rows", "Rows in the tail: not packed yet, or too few to be.", tail["rows"]
    )
    yield GaugeMetricFamily("runyard_tail_bytes", "Bytes of the tail's payloads.", tail["size"])
    yield GaugeMetricFamily(
        "runyard_packing_due_streams", "Streams that are due to be packed.", due().count()
    )
    yield GaugeMetricFamily("runyard_segments", "Segments: files of packed metrics.", cold["count"])
    yield GaugeMetricFamily("runyard_segment_bytes", "Bytes of all segments.", cold["size"])
