"""What an automation would have done in the last days, by the same code that decides it (ALR-6)."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from access.engine import require, visible
from automations.access import AutomationAction
from automations.conditions.events import METRIC_EVENTS, AutomationEvent
from automations.conditions.filters import Condition, parse
from automations.conditions.metrics import MetricTest, hits
from automations.conditions.sentences import met_sentence
from automations.evaluation.firings import Firing, Preview
from automations.evaluation.sweep_preview import preview_sweeps
from metrics.models import StreamKind
from metrics.store import reads, row_blocks
from metrics.store.row_blocks import Block
from runs.access import RunAction
from runs.models import Project, Run, StateChange
from runs.states import RunState
from sweeps.access import SweepAction
from sweeps.models import Sweep
from teams.models import Team

DAYS = 7
MOST_RUNS = 100
"""Whose metrics are read, the newest."""
MOST_ROWS = 500_000
"""Of a run, the last."""
MOST_CHANGES = 2000
"""Changes of state that are looked at, the newest."""
MOST_FIRINGS = 200
BUDGET_S = 3.0
_RUNS_AT_ONCE = 20


def preview(
    *,
    actor: Actor,
    team: Team,
    project: Project | None,
    event: str,
    filter: Any,  # noqa: A002 - what it is called everywhere
    once_in_s: int = 86_400,
) -> Preview:
    """Return when an automation would have acted in the last seven days, on runs or sweeps that the actor sees.

    Of metrics the time is that of their rows, and windows look back at all that is read. Of artifacts there is none.

    Raises:
        Invalid: what is wrong with the filter.
    """
    require(actor, AutomationAction.VIEW, project or team)
    condition = parse(event, filter)
    since = timezone.now() - timedelta(days=DAYS)
    if condition.sweep is not None:
        found = preview_sweeps(_sweeps(actor, team, project), condition.event, condition.sweep, since)
    elif condition.event is AutomationEvent.RUN_STATE:
        found = _of_states(_runs(actor, team, project, condition), condition, since, once_in_s)
    elif condition.event in METRIC_EVENTS and condition.test is not None:
        found = _of_metrics(_runs(actor, team, project, condition), condition.test, since, once_in_s)
    else:
        found = Preview(firings=[])
    newest = sorted(found.firings, key=_order, reverse=True)
    return replace(found, firings=newest[:MOST_FIRINGS], is_cut=found.is_cut or len(newest) > MOST_FIRINGS)


def _runs(actor: Actor, team: Team, project: Project | None, condition: Condition) -> QuerySet[Run]:
    runs: QuerySet[Run] = Run.objects.listed().filter(
        condition.runs(), project__team=team, project__deleted_at__isnull=True
    )
    if project is not None:
        runs = runs.filter(project=project)
    return visible(actor, RunAction.VIEW, runs).select_related("project__team", "user")


def _sweeps(actor: Actor, team: Team, project: Project | None) -> QuerySet[Sweep]:
    sweeps = Sweep.objects.live().filter(project__team=team, project__deleted_at__isnull=True)
    if project is not None:
        sweeps = sweeps.filter(project=project)
    return visible(actor, SweepAction.VIEW, sweeps).select_related("project__team")


def _order(firing: Firing) -> tuple[datetime, int]:
    about = firing.run or firing.sweep
    return firing.at, about.pk if about else 0


def _of_states(runs: QuerySet[Run], condition: Condition, since: datetime, once_in_s: int) -> Preview:
    rows = StateChange.objects.filter(run__in=runs, state__in=condition.run_states, noticed_at__gte=since)
    changes = list(rows.order_by("-noticed_at", "-pk")[: MOST_CHANGES + 1])
    by_run: dict[int, list[tuple[datetime, str]]] = defaultdict(list)
    for change in reversed(changes[:MOST_CHANGES]):
        by_run[change.run_id].append((change.noticed_at, str(RunState(change.state).label)))
    known = runs.in_bulk(list(by_run))
    firings = [
        Firing(at=at, run=known[run_id], why=why)
        for run_id, occasions in by_run.items()
        for at, why in _once_in(occasions, once_in_s)
    ]
    return Preview(firings=firings, runs_looked_at=len(by_run), is_cut=len(changes) > MOST_CHANGES)


def _once_in(occasions: Iterable[tuple[datetime, str]], once_in_s: int) -> Iterator[tuple[datetime, str]]:
    """Yield the occasions, in order of time, on which it would have acted for one run."""
    last: datetime | None = None
    for at, why in occasions:
        if last is None or (at - last).total_seconds() >= once_in_s:
            last = at
            yield at, why


def _of_metrics(runs: QuerySet[Run], test: MetricTest, since: datetime, once_in_s: int) -> Preview:
    until = time.monotonic() + BUDGET_S
    chosen = list(
        runs.filter(pulse__heartbeat_at__gte=since).order_by("-pulse__heartbeat_at", "-pk")[: MOST_RUNS + 1]
    )
    is_cut, looked_at, firings = len(chosen) > MOST_RUNS, 0, []
    chosen = chosen[:MOST_RUNS]
    for start in range(0, len(chosen), _RUNS_AT_ONCE):
        if time.monotonic() > until:
            is_cut = True
            break
        some = {run.pk: run for run in chosen[start : start + _RUNS_AT_ONCE]}
        looked_at += len(some)
        for kind in StreamKind.HISTORY, StreamKind.SYSTEM:
            ends = reads.cursors(list(some), kind)
            is_cut |= any(end > MOST_ROWS for end in ends.values())
            first = {run_id: max(0, end - MOST_ROWS) for run_id, end in ends.items()}
            for run_id, blocks in row_blocks.blocks_of(list(some), kind, since=first):
                occasions = _occasions(blocks, test, since)
                firings += [
                    Firing(at=at, run=some[run_id], why=why) for at, why in _once_in(occasions, once_in_s)
                ]
    return Preview(firings=firings, runs_looked_at=looked_at, is_cut=is_cut)


def _occasions(blocks: Sequence[Block], test: MetricTest, since: datetime) -> Iterator[tuple[datetime, str]]:
    """Yield when a run's stored values met a condition, and what they were."""
    columns = reads.columns(blocks, {test.metric, "_timestamp", "_step"})
    column = columns[test.metric]
    known = ~np.isnan(column.values)
    rows, values = column.rows[known], column.values[known]
    met = hits(test, values)
    times = columns["_timestamp"].at(rows[met.positions])
    steps = columns["_step"].at(rows[met.positions])
    recent = np.flatnonzero(times >= since.timestamp())
    recent = recent[np.argsort(times[recent], kind="stable")]
    latest = timezone.now().timestamp()
    for index in recent:
        at = datetime.fromtimestamp(min(float(times[index]), latest), UTC)
        step = int(steps[index]) if np.isfinite(steps[index]) else None
        yield at, met_sentence(test, float(met.measured[index]), step)
