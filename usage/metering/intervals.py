"""Tracked time: written down in the transaction that begins or ends it (BIL-4).

A run's time counts while it is running: not while it waits or is being preempted, and after a crash to the last
heartbeat. Where a run's own clock tells more, as of runs that were synced late, the rest is added when it ends. All of
it is part of the group commit, in which posts of other runs wait: hence few statements, written by hand.
"""

from collections.abc import Collection
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from runs.lifecycle.client_clock import clock_of
from runs.models import Run, StateChange
from runs.states import RunState
from usage.metering import counting
from usage.metering.seconds import seconds_between
from usage.models import ReportedTime
from usage.periods import Period

UNENDED = frozenset({RunState.RUNNING, RunState.PREEMPTING, RunState.PENDING})
"""States after which a run's clock goes on."""

_BEGIN = """
    INSERT INTO billing_trackedinterval
    (team_id, project_id, user_id, run_id, began_at, ended_at, not_before, counted_to)
    VALUES (%s, %s, %s, %s, %s, NULL, %s, %s) ON CONFLICT DO NOTHING
"""
_END = """
    UPDATE billing_trackedinterval SET ended_at = {later}(counted_to, %s) WHERE run_id = %s AND ended_at IS NULL
"""
_TRACKED_AND_REPORTED = """
    SELECT summary_text,
        (SELECT SUM({second_ended} - {second_began}) FROM billing_trackedinterval
            WHERE run_id = pulse.run_id AND ended_at IS NOT NULL),
        (SELECT SUM(seconds) FROM billing_reportedtime WHERE run_id = pulse.run_id),
        EXISTS (SELECT 1 FROM runs_statechange WHERE run_id = pulse.run_id AND state = 'preempting')
    FROM runs_pulse pulse WHERE run_id = %s
"""
_DIALECTS = {
    "sqlite": {
        "later": "MAX",
        "second_ended": "CAST(strftime('%%s', substr(ended_at, 1, 19)) AS INTEGER)",
        "second_began": "CAST(strftime('%%s', substr(began_at, 1, 19)) AS INTEGER)",
    },
    "postgresql": {
        "later": "GREATEST",
        "second_ended": "FLOOR(EXTRACT(EPOCH FROM ended_at))",
        "second_began": "FLOOR(EXTRACT(EPOCH FROM began_at))",
    },
}


def record_state(run: Run, before: str, at: datetime) -> None:
    """Begin or end a run's time, and add at its end what its own clock tells beyond; see `runs.lifecycle.participants`.

    A run that only watches a machine has none; one that turns out to be a training gets it by `gpus.record_training`.
    """
    if run.is_host:
        return
    if run.state == RunState.RUNNING:
        if before != RunState.RUNNING:
            _begin(run, at)
        return
    if before == RunState.RUNNING:
        _execute(_END, [_moment(at), run.pk])
    if run.state not in UNENDED:
        _report(run, at)


def record_move(run: Run, at: datetime) -> None:
    """Let a run's time count where it is from now on."""
    if run.state == RunState.RUNNING and not run.is_host:
        _execute(_END, [_moment(at), run.pk])
        _begin(run, at)


def settle(team_ids: Collection[int], period: Period) -> None:
    """Count everything that a payer's teams used so far, so that a period that has ended can be closed.

    Part of the closing transaction, which has locked the subscription. What is counted after the closing and lies
    before it counts as of then (`counting`).

    Raises:
        ValueError: the period has not ended.
    """
    now = timezone.now()
    if now < period.ends_at:
        raise ValueError(f"The period from {period.start} ends on {period.end}; it is {now}.")
    with transaction.atomic():
        counting.count_all(Q(team_id__in=team_ids), now)


def follows_another(run: Run) -> bool:
    """Say whether a run's clock goes on from another's: of forks, of rewound runs, of what a rewind cut off."""
    return run.forked_from_id is not None or run.archive_of_id is not None


def preempting_s(changes: list[tuple[str, datetime]]) -> int:
    """Return for how long a run was being preempted, by its (state, at) in order; its clock went on meanwhile."""
    return sum(
        max(0, seconds_between(at, later))
        for (state, at), (_, later) in pairwise(changes)
        if state == RunState.PREEMPTING
    )


def _begin(run: Run, at: datetime) -> None:
    moment = _moment(at)
    _execute(_BEGIN, [run.project.team_id, run.project_id, run.user_id, run.pk, moment, moment, moment])


def _report(run: Run, at: datetime) -> None:
    """Write down the seconds of the run's clock that are in no interval and no earlier report."""
    if follows_another(run):
        return
    for summary_text, tracked_s, reported_s, was_preempting in _execute(_TRACKED_AND_REPORTED, [run.pk]):
        seconds = clock_of(summary_text) - int(tracked_s or 0) - int(reported_s or 0)
        if seconds > 0 and was_preempting:
            changes = StateChange.objects.filter(run=run).order_by("pk").values_list("state", "at")
            seconds -= preempting_s(list(changes))
        if seconds > 0:
            ReportedTime.objects.create(
                team_id=run.project.team_id, project_id=run.project_id, user_id=run.user_id, run_id=run.pk,
                at=at, seconds=seconds,
            )  # fmt: skip


def _moment(at: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(at)


def _execute(statement: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**_DIALECTS[connection.vendor]), parameters)
        return cursor.fetchall() if cursor.description else []
