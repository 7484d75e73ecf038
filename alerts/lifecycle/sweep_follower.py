"""The part of `alerts` in the life of a sweep: what somebody waits for becomes an event, in its own transaction."""

from typing import Any

from django.db.models import Q

from access.actor import SYSTEM
from alerts.automation_provider import automation_provider
from alerts.events import ENDED, route_soon
from alerts.models import AlertSettings, Event, EventKind
from common.database.commits import after_commit
from runs.lifecycle.services import path_of
from runs.models import Run
from runs.states import RunState
from sweeps.models import Sweep
from sweeps.names import sweep_page
from sweeps.participants import SweepChange, SweepEvent
from sweeps.selectors import best_run, state_counts

STOPPED = "STOPPED"
"""What events call the state of a sweep that somebody ended while trials remained."""


def record_sweep_change(change: SweepChange) -> None:
    """Write what happened to a sweep if somebody waits for it; else two statements, or one while its runs go on."""
    if not _is_awaited(change):
        return
    project = change.sweep.project
    Event.objects.create(
        kind=EventKind.SWEEP, team_id=project.team_id, project=project, data=_data_of(change)
    )
    after_commit(route_soon)


def state_of(sweep: Sweep) -> str:
    """Return the state of a sweep as events name it."""
    return STOPPED if sweep.is_stopped else sweep.state


def _is_awaited(change: SweepChange) -> bool:
    """Say whether an automation waits for the event, or a person or team is told how sweeps end."""
    sweep = change.sweep
    team_id = sweep.project.team_id
    if automation_provider().awaits_sweeps(change.event, team_id, sweep.project_id):
        return True
    if change.event is not SweepEvent.FINISHED:
        return False
    whose = Q(team=team_id)
    if sweep.created_by_id is not None:
        whose |= Q(user=sweep.created_by_id)
    return AlertSettings.objects.filter(whose, on_sweeps=True).exists()


def _data_of(change: SweepChange) -> dict[str, Any]:
    """Return what is said of the event, as things are now; see `alerts.events`."""
    sweep = change.sweep
    states = state_counts(SYSTEM, sweep)
    data: dict[str, Any] = {
        "event": change.event.value,
        "sweep": sweep.pk,
        "author": sweep.created_by.username if sweep.created_by else "",
        "author_id": sweep.created_by_id,
        "path": sweep_page(sweep),
        "sweep_id": sweep.uid,
        "sweep_name": str(sweep),
        "sweep_state": state_of(sweep),
        "metric": sweep.metric_name,
        "states": states,
        "failed_runs": states.get(RunState.FAILED, 0) + states.get(RunState.CRASHED, 0),
        "ended_runs": sum(states.get(state, 0) for state in ENDED),
    }
    if change.event is SweepEvent.FINISHED:
        data["ended_by"] = change.ended_by_id
    return data | _best_of(change)


def _best_of(change: SweepChange) -> dict[str, Any]:
    """Return the best value and its run; without the run while others end, which need not cost a search."""
    if change.event is SweepEvent.RUN_ENDED:
        return {"best_value": change.sweep.best_value}
    if change.run is not None and change.value is not None:
        return _of_run(change.sweep, change.run, change.value)
    found = best_run(SYSTEM, change.sweep)
    return _of_run(change.sweep, *found) if found else {}


def _of_run(sweep: Sweep, run: Run, value: float) -> dict[str, Any]:
    run.project = sweep.project  # loaded already
    return {"best_value": value, "best_run": run.display_name, "best_run_path": path_of(run)}
