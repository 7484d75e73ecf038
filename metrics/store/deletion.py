"""Removing what is stored of a run, in batches."""

from collections import defaultdict
from collections.abc import Collection

from common.database.commits import after_commit
from metrics.models import Export, Segment, Sequence, Stream, StreamKeys, Tail
from metrics.store.segment_storage import discard, storage_at
from runs.lifecycle import purge
from runs.models import Run


def delete_rows(run: Run, limit: int) -> int:
    """Remove at most ``limit`` rows of a run in the caller's transaction, which has locked it; returns how many went.

    The contents of segments go after the commit; what a crash leaves of them, the sweep finds. A worker that packs a
    stream of the run waits for the lock and then finds that it was overtaken.
    """
    segments = Segment.objects.filter(stream__run=run).order_by("pk")
    names: dict[tuple[int, int | None], list[str]] = defaultdict(list)
    for name, *place in segments.values_list("name", "store", "bucket")[:limit]:
        names[place[0], place[1]].append(name)
    for (store, bucket_id), some in names.items():
        after_commit(_delete_contents, store, bucket_id, some)
    gone = 0
    of_streams = (model._default_manager.filter(stream__run=run) for model in (Export, StreamKeys))
    parts = (
        segments,
        *of_streams,
        *(model._default_manager.filter(run=run) for model in (Tail, Sequence, Stream)),
    )
    for rows in parts:  # streams last: the others refer to them
        if gone < limit:
            gone += purge.delete_rows(rows, limit - gone)
    return gone


def _delete_contents(store: int, bucket_id: int | None, names: Collection[str]) -> None:
    discard(storage_at(store, bucket_id), names)
