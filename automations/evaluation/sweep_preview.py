"""What an automation on events of sweeps would have done in the last days."""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.models import QuerySet

from alerts.content.sweeps import end_words
from alerts.lifecycle.sweep_follower import state_of
from automations.conditions.events import AutomationEvent
from automations.conditions.sweeps import SweepTest, best_sentence, failing_sentence
from automations.evaluation.firings import Firing, Preview
from runs.models import Run
from runs.states import RunState
from sweeps.lifecycle.progress import COUNTED
from sweeps.models import Sweep
from sweeps.trials.results import finite, is_better, metric_of

MOST_SWEEPS = 100
"""Looked at, the newest."""
MOST_RUNS = 5000
"""Of a sweep, the first that ended."""
BUDGET_S = 3.0
_FAILED = frozenset({RunState.FAILED, RunState.CRASHED})
_ENDED = _FAILED | COUNTED


def preview_sweeps(
    sweeps: QuerySet[Sweep], event: AutomationEvent, test: SweepTest, since: datetime
) -> Preview:
    """Return when an automation would have acted on some sweeps, by their runs as they are now.

    A query for each sweep whose runs are looked at; their project and team come with the sweeps.
    """
    until = time.monotonic() + BUDGET_S
    is_of_ends = event is AutomationEvent.SWEEP_FINISHED
    rows = sweeps.filter(ended_at__gte=since) if is_of_ends else sweeps
    found = [row for row in rows.order_by("-pk") if test.is_about(row.uid, str(row))]
    looked_at, firings, is_cut = 0, list[Firing](), len(found) > MOST_SWEEPS
    for sweep in found[:MOST_SWEEPS]:
        if time.monotonic() > until:
            is_cut = True
            break
        looked_at += 1
        if is_of_ends:
            firings += _of_end(sweep, test)
            continue
        runs = _ended_runs(sweep)
        is_cut |= len(runs) > MOST_RUNS
        occasions = (
            _bests(sweep, runs) if event is AutomationEvent.SWEEP_NEW_BEST else _failures(sweep, runs, test)
        )
        firings += [one for one in occasions if one.at >= since]
    return Preview(firings=firings, sweeps_looked_at=looked_at, is_cut=is_cut)


def _of_end(sweep: Sweep, test: SweepTest) -> Iterator[Firing]:
    if sweep.ended_at is not None and state_of(sweep) in test.ended:
        yield Firing(at=sweep.ended_at, sweep=sweep, why=f"{end_words(str(sweep), state_of(sweep))}.")


def _ended_runs(sweep: Sweep) -> list[Run]:
    """Return the runs of a sweep that ended, the first first; ``metric`` is their last value of its metric."""
    runs = Run.objects.listed().filter(project=sweep.project_id, sweep=sweep.uid, finished_at__isnull=False)
    known = runs.filter(state__in=_ENDED).annotate(metric=metric_of(sweep)).order_by("finished_at", "pk")
    return list(known.only("display_name", "state", "finished_at")[: MOST_RUNS + 1])


def _bests(sweep: Sweep, runs: Iterable[Run]) -> Iterator[Firing]:
    best: float | None = None
    for run in runs:
        value = finite(getattr(run, "metric", None)) if run.state in COUNTED and sweep.metric_name else None
        if value is not None and run.finished_at is not None and is_better(sweep, value, best):
            best = value
            why = best_sentence(str(sweep), run.display_name, sweep.metric_name, value)
            yield Firing(at=run.finished_at, sweep=sweep, why=why)


def _failures(sweep: Sweep, runs: Iterable[Run], test: SweepTest) -> Iterator[Firing]:
    failed, is_failing = 0, False
    for ended, run in enumerate(runs, 1):
        failed += run.state in _FAILED
        before, is_failing = is_failing, test.is_failing(failed, ended)
        if is_failing and not before and run.finished_at is not None:
            yield Firing(at=run.finished_at, sweep=sweep, why=failing_sentence(str(sweep), failed, ended))
