"""Metering: what a change of state costs more, and how long the meter takes for many running runs and byte entries."""

import os
import statistics
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection, transaction
from django.utils import timezone

from bench import world
from runs.ingest.posts import RunPost, apply_posts, lock_runs
from runs.lifecycle.services import revive_run
from runs.models import Project, Pulse, Run
from storage.models import ByteEntry
from usage.metering import intervals
from usage.metering.intervals import record_state
from usage.metering.meter import rebuild, run_meter
from usage.models import TrackedInterval, UsageDay

RUNS, ENTRIES, CHANGES, ROUNDS = 1000, 100_000, 200, 5
SUMMARY = (
    '{"loss": 0.25, "_step": 999, "_runtime": 0.5, "_timestamp": 1793000000.5, "_wandb": {"runtime": 1}}'
)


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return milliseconds of the clock and of CPU."""
    begin, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - begin) * 1e3, (time.process_time() - cpu) * 1e3


def _changes(runs: list[Run]) -> None:
    """End and revive runs, all in one transaction, as a group commit does."""
    now = timezone.now()
    pks = [run.pk for run in runs]
    with transaction.atomic():
        ended = [RunPost(run_id=pk, exit_code=1, summary_text=SUMMARY) for pk in pks]
        apply_posts(ended, lock_runs(pks), now)
        Run.objects.filter(pk__in=pks).update(state="crashed")
        for pk in pks:
            revive_run(run_id=pk, at=now)


def _state_changes(runs: list[Run]) -> None:
    """Time the hook within the same changes, its statements included."""
    spent: list[float] = []

    def measured(run: Run, before: str, at: datetime) -> None:
        begin = time.thread_time()
        record_state(run, before, at)
        spent.append((time.thread_time() - begin) * 1e6)

    intervals.record_state = measured
    _changes(runs)
    spent.clear()
    cpu = [_timed(lambda: _changes(runs))[1] for _ in range(ROUNDS)]
    intervals.record_state = record_state
    each = statistics.median(cpu) * 1e3 / (2 * len(runs))
    ends, begins = (statistics.median(some) for some in (_of(spent, ends=True), _of(spent, ends=False)))
    print(
        f"change of state     {each:7.0f} us CPU in all; {ends:.0f} of it to meter an end, {begins:.0f} a begin"
    )


def _of(spent: list[float], *, ends: bool) -> list[float]:
    """Pick ends or begins: `_changes` ends as many runs as it begins again, one after the other."""
    turn = CHANGES
    return [value for number, value in enumerate(spent) if (number // turn % 2 == 0) is ends]


def _running(runs: list[Run]) -> None:
    figures = []
    for number in range(ROUNDS):
        at = timezone.now() + timedelta(minutes=number + 1)
        Pulse.objects.update(heartbeat_at=at)
        figures.append(_timed(lambda at=at: run_meter(at)))  # type: ignore[misc]
    wall, cpu = (statistics.median(column) for column in zip(*figures, strict=True))
    print(f"{len(runs)} running runs   {wall:7.0f} ms a round, {cpu:.0f} ms CPU")
    wall, cpu = _timed(run_meter)
    print(f"nothing new         {wall:7.1f} ms, {cpu:.1f} ms CPU")


def _stored(project: Project) -> None:
    begin = timezone.now() - timedelta(days=60)
    ByteEntry.objects.bulk_create(
        (
            ByteEntry(
                at=begin + timedelta(seconds=50 * number), team_id=project.team_id,
                project_id=project.pk + number % 20, user_id=number % 50, delta_bytes=number, category="file",
            )
            for number in range(ENTRIES)
        ),
        batch_size=2000,
    )  # fmt: skip
    wall, cpu = _timed(run_meter)
    print(f"{ENTRIES} byte entries {wall:6.0f} ms, {cpu:.0f} ms CPU, into {UsageDay.objects.count()} rows")
    wall, cpu = _timed(rebuild)
    print(f"rebuild             {wall:7.0f} ms, {cpu:.0f} ms CPU")


def run(_home: Path) -> None:
    """Print the figures."""
    project = world.project("metering")
    print(f"{connection.vendor}; load {os.getloadavg()[0]:.1f}\n")
    runs = world.runs(project, RUNS)
    _state_changes(runs[:CHANGES])
    TrackedInterval.objects.filter(ended_at__isnull=False).delete()
    _running(runs)
    _stored(project)
