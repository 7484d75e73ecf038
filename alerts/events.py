"""Events: written in the transaction of what happened, so that none is lost, and nothing undone is told (ALR-5).

What `Event.data` holds, by kind:

- run_state: ``state``, ``before`` ("" for a new run), ``exit_code`` (or null), ``stop_requested_at`` (ISO, or null)
- run_alert: ``title``, ``text`` (its beginning), ``level``
- run_metric: ``condition``, ``metric``, ``measured``, ``threshold`` and more, see `automations.evaluation.hits`
- artifact: ``event``, as the SDK names it, ``collection``, ``author`` and more, see `automations.conditions.artifacts`
- sweep: ``event``, a `SweepEvent`; ``sweep``, its key; ``author``, ``author_id``: who created it; ``ended_by``: the key
  of who ended it, of one that has finished (null: it ended by itself); ``path`` of its page; ``sweep_id``,
  ``sweep_name``; ``sweep_state``, or STOPPED; ``metric``, ``best_value``, ``best_run``, ``best_run_path``; ``states``:
  how many runs are in each; ``failed_runs`` (crashed ones among them), ``ended_runs``
"""

import logging
from datetime import datetime

from celery import signature
from django.core.cache import cache
from django.db.models import QuerySet

from alerts.automation_provider import automation_provider
from alerts.models import Event, EventKind
from common.database.commits import after_commit
from runs.models import Run, RunAlert
from runs.states import RunState

logger = logging.getLogger(__name__)

ENDED = frozenset({RunState.FINISHED, RunState.FAILED, RunState.CRASHED, RunState.KILLED})
"""States that people may want to be told of; of others only automations are."""
MAX_TEXT = 4000
"""Characters of an alert's text that are told; the run's page has all of it."""
_LARGE_FIELDS = ("config_text", "config_flat", "notes", "description", "masked_notes", "masked_description")


def record_state_change(run: Run, before: str, _at: datetime) -> None:
    """Write that a run changed its state, where somebody might want to know: one statement at the end of a run."""
    project = run.project
    if run.state not in ENDED and not automation_provider().awaits_states(project.team_id, project.pk):
        return
    stop_requested_at = run.stop_requested_at
    data = {
        "state": str(run.state),
        "before": str(before),
        "exit_code": run.exit_code,
        "stop_requested_at": stop_requested_at.isoformat() if stop_requested_at else None,
    }
    Event.objects.create(
        kind=EventKind.RUN_STATE, team_id=project.team_id, project=project, run=run, data=data
    )
    after_commit(route_soon)


def record_alert(alert: RunAlert) -> None:
    """Write that code sent an alert."""
    run = alert.run
    data = {"title": alert.title, "text": alert.text[:MAX_TEXT], "level": alert.level}
    Event.objects.create(
        kind=EventKind.RUN_ALERT, team_id=run.project.team_id, project=run.project, run=run, at=alert.at, data=data
    )  # fmt: skip
    after_commit(route_soon)


def with_runs(events: QuerySet[Event]) -> QuerySet[Event]:
    """Read with each event what is said of it."""
    heavy = [f"run__{name}" for name in _LARGE_FIELDS]
    return events.select_related(
        "run__project__team", "run__user", "project__team", "team", "automation"
    ).defer(*heavy)


ROUTE_REQUESTED = "alerts.route-asked"
REQUESTED_FOR_S = 15
"""As often as the schedule looks anyway."""
_REQUESTED_LATELY = "alerts.route-asked-lately"
BURST_S = 1
"""How long events wait for others that follow, so that a look is for many; the first of a burst does not wait."""


def route_soon() -> None:
    """Ask the worker to find recipients now, unless it was asked and has not begun; the schedule does it anyway.

    A Redis that is away must not hold up the ingest: asking the cache first fails at once.
    """
    try:
        if cache.add(ROUTE_REQUESTED, 1, REQUESTED_FOR_S):
            wait_s = 0 if cache.add(_REQUESTED_LATELY, 1, BURST_S) else BURST_S
            task = signature("alerts.tasks.route_events")  # by its name: tasks import what routes
            task.apply_async(countdown=wait_s)
    except Exception as error:  # noqa: BLE001 - whatever the client of Redis raises: the event is stored
        logger.warning("The worker was not asked to route events; the schedule will: %s", error)
