"""The stream positions that a client needs to resume a run."""

from typing import Any

from django.db.models import F, Max

from metrics.models import Sequence, StreamKind
from runs.models import Run


def stream_status(run: Run, writer: str) -> dict[str, Any]:
    """Return what a post of the writer would be answered now; one query."""
    rows = Sequence.objects.filter(run=run, writer=writer).order_by().values("kind")
    ends = rows.annotate(end=Max(F("first_offset") + F("row_count") + F("replaced")))
    stored = dict(ends.values_list("kind", "end"))
    return {
        "offsets": {kind.label: stored.get(kind, 0) for kind in StreamKind},
        "state": run.state,
        "stop_requested": run.stop_requested_at is not None and run.is_active,
    }
