"""Contents without a row: the sweep removes them, or their rows are made again where those were lost."""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial
from itertools import chain

from django.db import transaction
from django.utils import timezone

from common.errors import DomainError
from metrics.models import ReplacedSegment, Segment, Stream
from metrics.store import segments
from metrics.store.batches import cut
from metrics.store.naming import segment_row, store_segment
from metrics.store.row_blocks import MAX_SEGMENT_ROWS
from metrics.store.segment_storage import SegmentStorage, all_places, storage_at, storage_of
from runs.lifecycle.storage_ledger import HISTORY, settle_run
from runs.models import Run
from storage.contents.orphans import remove_orphans

logger = logging.getLogger(__name__)

ORPHAN_AFTER = timedelta(hours=1)


def sweep() -> int:
    """Remove content that no segment names: of merged, moved, deleted and never finished ones; returns how many.

    A bucket that does not answer is swept the next time.
    """
    before, removed = timezone.now() - ORPHAN_AFTER, 0
    for place in all_places():
        try:
            storage = storage_at(*place)
            removed += remove_orphans(
                storage.names(before), named=partial(_named, before), remove=storage.delete
            )
        except DomainError as error:
            logger.warning("segments in bucket %s were not swept: %s", place[1], error)
    ReplacedSegment.objects.filter(replaced_at__lt=before).delete()
    return removed


def _named(before: datetime, some: Collection[str]) -> set[str]:
    """Return which of some names segments have, or readers under way may still ask for."""
    used = Segment.objects.filter(name__in=some).values_list("name", flat=True)
    fresh = ReplacedSegment.objects.filter(name__in=some, replaced_at__gte=before)
    return {*chain(used, fresh.values_list("name", flat=True))}


@transaction.atomic
def recover_segment(storage: SegmentStorage, name: str) -> bool:
    """Make a lost segment's row again from the footer of its content; says whether rows came back by it.

    It also takes the place of rows whose contents are gone: an older database beside a bucket of now still names what
    was merged or moved since. What was merged with later rows is written again without these: that database has them
    in its tail, or never had them.

    Raises:
        ValueError: the content is cut off, or no segment.
        FileNotFoundError: nothing of this name.
        StorageUnavailable: its bucket does not answer.
    """
    size_bytes = storage.size(name)
    packed = segments.index_in(partial(storage.read_stored, name), size_bytes)
    segment = segment_row(storage, name, size_bytes, packed)
    stream = Stream.objects.filter(pk=segment.stream_id).first()
    if stream is None or segment.row0 >= stream.packed_to:
        return False
    row_to = min(segment.row_to, stream.packed_to)
    near = Segment.objects.filter(stream=stream, row0__gt=segment.row0 - MAX_SEGMENT_ROWS, row0__lt=row_to)
    others = [other for other in near if other.row_to > segment.row0]
    if any(other.row0 < segment.row0 or other.row_to > row_to for other in others):
        return False
    if sum(other.row_count for other in others) == row_to - segment.row0 and all(map(_is_there, others)):
        return False
    if Run.objects.locked().filter(pk=stream.run_id, purge_began_at__isnull=True).first() is None:
        return False
    if row_to < segment.row_to:
        segment = _store_first_rows(storage, segment, row_to - segment.row0)
    Segment.objects.filter(pk__in=[other.pk for other in others]).delete()
    segment.save(force_insert=True)
    settle_run(stream.run_id, HISTORY)
    return True


def _store_first_rows(storage: SegmentStorage, segment: Segment, count: int) -> Segment:
    """Return a segment of the first rows of another; its row is not saved yet."""
    index = segments.SegmentIndex(bytes(segment.index))
    content = segments.Content(storage.read_stored(segment.name, 0, segment.size_bytes))
    return store_segment(storage, cut(index.read(content), 0, count), index.about)


def _is_there(segment: Segment) -> bool:
    try:
        storage_of(segment).size(segment.name)
    except FileNotFoundError:
        return False
    return True
