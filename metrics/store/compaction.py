"""Packing: the tail's rows into segments, small segments into larger ones.

A segment is built outside any transaction and durable before its row is written; one short transaction then names it
and takes the tail's rows away, so a crash at any point leaves the rows in one place or the other. A lease keeps two
workers from building the same; should one run out under a slow worker, that transaction finds its rows gone and undoes
itself (`metrics.store.naming`).
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from common.telemetry.definitions import (
    PACKING_BYTES,
    PACKING_DURATION,
    PACKING_FAILURES,
    PACKING_ROWS,
    PACKING_SEGMENTS,
)
from metrics.models import Segment, Stream, Tail
from metrics.store import segments
from metrics.store.batches import join
from metrics.store.codec import Batch
from metrics.store.naming import Overtaken, lock_stream, naming, record_replaced, store_segment
from metrics.store.row_blocks import MAX_SEGMENT_ROWS, Block
from metrics.store.segment_storage import configured_storage
from runs.lifecycle.storage_ledger import HISTORY, settle_run
from runs.states import ACTIVE
from storage.backends.base import StorageUnavailable

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=10)
PACK_AT_ROWS = 4096
"""An active run's tail is packed when it has so many rows."""
PACK_AT_BYTES = 4 * 1024 * 1024
"""Or when it is so large: every chart reads the whole tail."""
PACK_ENDED_AT_ROWS = 256
"""An ended run's; shorter histories stay in the tail, where they cost less than a file."""
PACK_ENDED_IN_CLICKHOUSE_AT_ROWS = 1
"""There all of them are packed: questions over many runs are answered where rows lie in ClickHouse."""
IDLE_FOR = timedelta(seconds=60)
MERGE_AT = 16
"""So many small neighbours become one."""
MAX_SEGMENT_BYTES = 32 * 1024 * 1024
"""Of what a segment is built from, so that wide runs do not fill the worker's memory."""
SMALL_ROWS = MAX_SEGMENT_ROWS // 2


@dataclass(slots=True)
class PackingReport:
    """What one round did."""

    packed: int = 0
    merged: int = 0


def _ended_at_rows() -> int:
    """Return from how many rows on an ended run's tail is packed."""
    in_clickhouse = settings.SEGMENT_STORE == "clickhouse"
    return PACK_ENDED_IN_CLICKHOUSE_AT_ROWS if in_clickhouse else PACK_ENDED_AT_ROWS


def due_streams(now: datetime | None = None) -> QuerySet[Stream]:
    """Return the streams whose tail is long enough, longest first."""
    now = now or timezone.now()
    waiting = F("next_row") - F("packed_to")
    ended = ~Q(run__state__in=sorted(ACTIVE)) & Q(run__finished_at__lt=now - IDLE_FOR)
    free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
    long_enough = Q(waiting__gte=PACK_AT_ROWS) | Q(tail_bytes__gte=PACK_AT_BYTES)
    long_enough |= Q(waiting__gte=_ended_at_rows()) & ended
    streams = Stream.objects.filter(run__deleted_at__isnull=True).annotate(waiting=waiting)
    return streams.filter(free & long_enough).order_by("-waiting")


def _lease(stream_id: int) -> bool:
    now = timezone.now()
    free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
    return bool(Stream.objects.filter(free, pk=stream_id).update(leased_until=now + LEASE))


def _oldest_tails(stream: Stream) -> list[Tail]:
    """Return the oldest batches of the tail, as many as a segment takes."""
    rows = Tail.objects.filter(run_id=stream.run_id, kind=stream.kind, row0__gte=stream.packed_to).order_by(
        "row0"
    )
    taken: list[Tail] = []
    count = size = 0
    for tail in rows.iterator(chunk_size=64):
        count, size = count + tail.row_count, size + len(tail.payload)
        if taken and (count > MAX_SEGMENT_ROWS or size > MAX_SEGMENT_BYTES):
            break
        taken.append(tail)
    return taken


def _store_segment(stream: Stream, parts: Sequence[Segment | Tail], batch: Batch) -> Segment:
    """Make the content durable; the row is not saved yet."""
    about = segments.SegmentPosition(
        stream.pk, parts[0].row0, min(part.x0 for part in parts), max(part.x1 for part in parts)
    )
    return store_segment(configured_storage(), batch, about)


def _batches_of(parts: Sequence[Segment | Tail]) -> list[Batch]:
    return [Block(part, part.row0).batch() for part in parts]


def _count_segment(source: str, size_bytes: int) -> None:
    """Count a segment that is committed.

    Args:
        source: ``pack`` (from the tail) or ``merge`` (from smaller segments).
        size_bytes: Of its content.
    """
    PACKING_SEGMENTS.labels(source).inc()
    PACKING_BYTES.labels(source).inc(size_bytes)


def _pack(stream: Stream) -> bool:
    tails = _oldest_tails(stream)
    if not tails:
        return False
    segment = _store_segment(stream, tails, join(_batches_of(tails)))
    size = sum(len(tail.payload) for tail in tails)
    with naming(segment):
        if lock_stream(stream).packed_to != segment.row0:
            raise Overtaken
        mine = Tail.objects.filter(
            run_id=stream.run_id, kind=stream.kind, row0__gte=segment.row0, row0__lt=segment.row_to
        )
        if mine._raw_delete(mine.db) != len(tails):  # nothing refers to a tail: no need to collect
            raise Overtaken
        segment.save(force_insert=True)
        stream.packed_to, stream.tail_bytes = segment.row_to, F("tail_bytes") - size
        stream.save(update_fields=["packed_to", "tail_bytes"])
        settle_run(stream.run_id, HISTORY)
    stream.refresh_from_db(fields=["tail_bytes"])
    PACKING_ROWS.inc(segment.row_count)
    _count_segment("pack", segment.size_bytes)
    return True


def _mergeable(stream: Stream, *, ended: bool) -> list[Segment]:
    """Return the small neighbours at the stream's end that are worth one segment."""
    found: list[Segment] = []
    count = size = 0
    for segment in Segment.objects.filter(stream=stream).defer("index").order_by("-row0"):
        size += segment.size_bytes
        if (
            segment.row_count >= SMALL_ROWS
            or count + segment.row_count > MAX_SEGMENT_ROWS
            or size > MAX_SEGMENT_BYTES
        ):
            break
        found.append(segment)
        count += segment.row_count
    worth = len(found) >= MERGE_AT or count >= SMALL_ROWS or (ended and len(found) > 1)
    return found[::-1] if worth and len(found) > 1 else []


def _merge(stream: Stream, *, ended: bool) -> bool:
    """Replace small segments by one. Their content stays for readers under way, until the sweep."""
    small = _mergeable(stream, ended=ended)
    if not small:
        return False
    merged = _store_segment(stream, small, join(_batches_of(small)))
    with naming(merged):
        lock_stream(stream)
        gone, _ = Segment.objects.filter(stream=stream, name__in=[segment.name for segment in small]).delete()
        if gone != len(small):
            raise Overtaken
        record_replaced(small)
        merged.save(force_insert=True)
        settle_run(stream.run_id, HISTORY)
    _count_segment("merge", merged.size_bytes)
    return True


def _is_long(stream: Stream, *, ended: bool) -> bool:
    least = _ended_at_rows() if ended else PACK_AT_ROWS
    return stream.next_row - stream.packed_to >= least or stream.tail_bytes >= PACK_AT_BYTES


def pack_stream(stream_id: int, report: PackingReport | None = None) -> PackingReport:
    """Pack and merge one stream until nothing is left to do; nothing when another worker does it."""
    report = report or PackingReport()
    if not _lease(stream_id):
        return report
    try:
        stream = Stream.objects.select_related("run").get(pk=stream_id)
        ended = not stream.run.is_active
        while _is_long(stream, ended=ended) and _pack(stream):
            report.packed += 1
        while _merge(stream, ended=ended):
            report.merged += 1
    except (Overtaken, Stream.DoesNotExist):
        logger.info("stream %s changed while it was packed; the next round looks again", stream_id)
    finally:
        Stream.objects.filter(pk=stream_id).update(leased_until=None)
    return report


def pack_due_streams(budget_s: float) -> PackingReport:
    """Pack what is due for so long."""
    report = PackingReport()
    until = time.monotonic() + budget_s
    for stream_id in list(due_streams().values_list("pk", flat=True)[:1000]):
        if time.monotonic() > until:
            break
        try:
            with PACKING_DURATION.time():
                pack_stream(stream_id, report)
        except StorageUnavailable as error:  # the others would wait for the same bucket, one after the other
            PACKING_FAILURES.inc()
            logger.warning(
                "nothing is packed until the bucket takes segments; rows stay in the tail: %s", error
            )
            break
        except Exception:
            PACKING_FAILURES.inc()
            logger.exception("stream %s could not be packed; its rows stay in the tail", stream_id)
    return report
