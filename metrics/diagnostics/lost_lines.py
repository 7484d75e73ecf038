"""Lines that clients skipped and never sent: how many, and when (RUN-8)."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from metrics.models import Sequence, StreamKind
from runs.lifecycle.participants import TimelineMark
from runs.models import Run


@dataclass(frozen=True, slots=True)
class LostLines:
    """Lines that the client skipped and never sent."""

    label: str
    count: int


def lost_lines(run: Run) -> list[LostLines]:
    """Return what was never received of each stream."""
    gaps: dict[int, int] = {}
    for kind, count in Sequence.objects.filter(run=run, gap_before__gt=0).values_list("kind", "gap_before"):
        gaps[kind] = gaps.get(kind, 0) + count
    return [LostLines(_label_of(kind), count) for kind, count in sorted(gaps.items())]


def _label_of(kind: int) -> str:
    labels = {
        StreamKind.HISTORY: _("history"),
        StreamKind.SYSTEM: _("system metrics"),
        StreamKind.LOG: _("console log"),
    }
    return labels[StreamKind(kind)]


def gap_marks(run: Run) -> list[TimelineMark]:
    """Return a mark for each gap, at the last line before it."""
    marks: list[TimelineMark] = []
    before: dict[tuple[int, str, int], float] = {}
    rows = Sequence.objects.filter(run=run).order_by("first_offset", "pk")
    for row in rows.only("kind", "writer", "lifetime", "gap_before", "written_at", "run_id"):
        source = (row.kind, row.writer, row.lifetime)
        if row.gap_before:
            at = datetime.fromtimestamp(before.get(source, row.written_at), UTC)
            marks.append(TimelineMark(at, _gap_text(row.kind, row.gap_before)))
        before[source] = row.written_at
    return marks


def _gap_text(kind: int, count: int) -> str:
    text = ngettext(
        "One line of the %(what)s was never received.",
        "%(n)s lines of the %(what)s were never received.",
        count,
    )
    return text % {"n": count, "what": _label_of(kind)}
