"""Time of runs that were there before metering, from their changes of state, which outlive all else of a run.

Called after every migration, and again by whoever rebuilds: runs that have intervals are left alone. Where a run was
before it was moved nobody knows any more: all its time counts where it is now.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from runs.lifecycle.client_clock import clock_of
from runs.models import Pulse, Run, StateChange
from runs.states import RunState
from usage.metering.intervals import UNENDED, preempting_s
from usage.metering.seconds import seconds_between
from usage.models import ReportedTime, TrackedInterval

_RUNS_AT_ONCE = 500

Change = tuple[str, datetime]
"""(state, at)"""


def backfill() -> int:
    """Write the intervals of runs that have none, and what their own clocks report beyond; return for how many runs."""
    done = 0
    while some := _backfill_some(Q()):
        done += some
    return done


def backfill_run(run: Run) -> None:
    """Do it for one run."""
    _backfill_some(Q(pk=run.pk))


def backfill_after_migration(**_: Any) -> None:
    """Do it; called after every migration."""
    backfill()


def _runs_without_intervals() -> QuerySet[Run]:
    """Return runs that were running and have no interval; those that only watch a machine have none to get."""
    ran = StateChange.objects.filter(run=OuterRef("pk"), state=RunState.RUNNING)
    intervals = TrackedInterval.objects.filter(run_id=OuterRef("pk"))
    return Run.objects.locked().filter(Exists(ran), ~Exists(intervals), is_host=False)


@transaction.atomic
def _backfill_some(which: Q) -> int:
    rows = (
        _runs_without_intervals()
        .filter(which)
        .values_list(
            "pk", "archive_of_id", "state", "forked_from_id", "project__team_id", "project_id", "user_id"
        )
    )
    runs = list(rows[:_RUNS_AT_ONCE])
    pks = [row[0] for row in runs]
    changes = (
        StateChange.objects.filter(run__in=pks).order_by("run_id", "pk").values_list("run_id", "state", "at")
    )
    lives: dict[int, list[Change]] = {
        pk: [(state, at) for _, state, at in some] for pk, some in groupby(changes, itemgetter(0))
    }
    summaries = dict(Pulse.objects.filter(run__in=pks).values_list("run_id", "summary_text"))
    intervals: list[TrackedInterval] = []
    reports: list[ReportedTime] = []
    for pk, archive_of_id, state, forked_from_id, team_id, project_id, user_id in runs:
        of = {"run_id": pk, "team_id": team_id, "project_id": project_id, "user_id": user_id}
        spans = list(_spans(lives[pk]))
        intervals += [
            TrackedInterval(**of, began_at=began, ended_at=ended, not_before=began, counted_to=began)
            for began, ended in spans
        ]
        if state in UNENDED or forked_from_id or archive_of_id:  # their clocks go on from another's
            continue
        heard = sum(seconds_between(began, ended) for began, ended in spans if ended)
        untold = clock_of(summaries.get(pk, "{}")) - heard - preempting_s(lives[pk])
        if untold > 0:
            reports.append(ReportedTime(**of, at=lives[pk][-1][1], seconds=untold))
    TrackedInterval.objects.bulk_create(intervals, batch_size=500)
    ReportedTime.objects.bulk_create(reports, batch_size=500)
    return len(runs)


def _spans(changes: list[Change]) -> Iterator[tuple[datetime, datetime | None]]:
    """Yield from when to when a run was running; None: still is."""
    began: datetime | None = None
    for state, at in changes:
        if state == RunState.RUNNING:
            began = began or at
        elif began is not None:
            yield began, max(began, at)
            began = None
    if began is not None:
        yield began, None
