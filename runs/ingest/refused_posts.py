"""Posts of lines that a limit refused, told on their run's timeline, so that a slow run explains itself (wish 20)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import ngettext

from runs.ingest.posts import lock_runs
from runs.lifecycle.participants import TimelineMark
from runs.models import RefusedPosts, Run

QUIET = timedelta(minutes=10)
"""After so long without a refusal the next one begins a row, and a mark, of its own."""
MARKED = 20
"""The latest ones of a run."""


@dataclass(slots=True)
class RefusedPostCount:
    """Posts of one run that the limit of one setting refused, in one process."""

    run_id: int
    setting: str
    count: int
    first_at: datetime
    last_at: datetime


@transaction.atomic
def record_refused_posts(refused: Sequence[RefusedPostCount]) -> None:
    """Add refusals to the rows of their runs, a fixed number of statements; deleted runs keep none."""
    runs = lock_runs(sorted({one.run_id for one in refused}))
    rows = {
        (row.run_id, row.setting): row
        for row in RefusedPosts.objects.filter(run__in=runs).order_by("last_at")
    }
    new, changed = [], []
    for one in refused:
        if one.run_id not in runs or runs[one.run_id].is_deleted:
            continue
        row = rows.get((one.run_id, one.setting))
        if row is not None and one.first_at - row.last_at <= QUIET:
            row.count += one.count
            row.last_at = max(row.last_at, one.last_at)
            changed.append(row)
        else:
            new.append(
                RefusedPosts(
                    run_id=one.run_id, setting=one.setting, count=one.count, first_at=one.first_at, last_at=one.last_at
                )
            )  # fmt: skip
    RefusedPosts.objects.bulk_create(new)
    RefusedPosts.objects.bulk_update(changed, ["count", "last_at"])


def refused_post_marks(run: Run) -> list[TimelineMark]:
    """Return a mark where each time of refusals began."""
    rows = RefusedPosts.objects.filter(run=run).order_by("-last_at")[:MARKED]
    return [TimelineMark(row.first_at, _mark_label(row)) for row in rows]


def _mark_label(row: RefusedPosts) -> str:
    text = (
        ngettext(
            "%(n)d request refused, will be retried (limit %(setting)s)",
            "%(n)d requests refused, will be retried (limit %(setting)s)",
            row.count,
        )
        if row.setting.endswith("_RATE")
        else ngettext(
            "%(n)d request refused as too large (limit %(setting)s)",
            "%(n)d requests refused as too large (limit %(setting)s)",
            row.count,
        )
    )
    return text % {"n": row.count, "setting": row.setting}
