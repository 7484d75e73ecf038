"""Removing what is stored of a run, in batches."""

from collections.abc import Collection

from common.database.commits import after_commit
from metrics.models import Export, Segment, Sequence, Stream, Tail
from metrics.store.segment_storage import configured_storage
from runs.lifecycle import purge
from runs.models import Run


def delete_rows(run: Run, limit: int) -> int:
    """Remove at most ``limit`` rows of a run in the caller's transaction, which has locked it; returns how many went.

    The contents of segments go after the commit; what a crash leaves of them, the sweep finds. A worker that packs a
    stream of the run waits for the lock and then finds that it was overtaken.
    """
    segments = Segment.objects.filter(stream__run=run).order_by("pk")
    names = list(segments.values_list("name", flat=True)[:limit])
    if names:
        after_commit(_delete_contents, names)
    gone = 0
    exports = Export.objects.filter(stream__run=run)
    parts = (
        segments,
        exports,
        *(model._default_manager.filter(run=run) for model in (Tail, Sequence, Stream)),
    )
    for rows in parts:  # streams last: segments and exports refer to them
        if gone < limit:
            gone += purge.delete_rows(rows, limit - gone)
    return gone


def _delete_contents(names: Collection[str]) -> None:
    configured_storage().delete(names)
