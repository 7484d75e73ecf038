"""Automations for tests, by the service, and what they wait for as the SDK sends it."""

import json
from typing import Any

from access.actor import SYSTEM
from accounts.models import User
from alerts.models import Delivery, Event, EventKind, Message, MessageState
from artifacts.models import Collection
from automations.conditions.filters import parse
from automations.models import Automation
from automations.services import AutomationFields, create_automation
from runs.models import Project, Run


def run_filter(**wanted: Any) -> str:
    """Return a filter of runs: each column equals a value."""
    return json.dumps({"$and": [{name: value} for name, value in wanted.items()]})


def threshold(
    metric: str = "loss", comparison: str = "$gt", limit: Any = 10, *, agg: str | None = None, window: int = 1,
    runs: str = '{"$and":[]}',
) -> dict[str, Any]:  # fmt: skip
    """Return what RUN_METRIC waits for."""
    wanted = {"name": metric, "agg_op": agg, "window_size": window, "cmp_op": comparison, "threshold": limit}
    return {"run_filter": runs, "run_metric_filter": {"threshold_filter": wanted}, "metric_filter": None}


def change(
    metric: str = "loss", amount: float = 1, *, agg: str | None = None, window: int = 1, prior: int = 1,
    kind: str = "ABSOLUTE", direction: str = "ANY",
) -> dict[str, Any]:  # fmt: skip
    """Return what RUN_METRIC_CHANGE waits for."""
    wanted = {
        "name": metric, "agg_op": agg, "current_window_size": window, "change_amount": amount,
        "prior_window_size": prior, "change_type": kind, "change_dir": direction,
    }  # fmt: skip
    return {
        "run_filter": '{"$and":[]}', "run_metric_filter": {"change_filter": wanted}, "metric_filter": None
    }  # fmt: skip


def zscore(
    metric: str = "loss", limit: float = 3, *, window: int = 5, direction: str = "ANY"
) -> dict[str, Any]:
    """Return what RUN_METRIC_ZSCORE waits for."""
    wanted = {"name": metric, "window_size": window, "threshold": limit, "change_dir": direction}
    return {
        "run_filter": '{"$and":[]}', "run_metric_filter": {"zscore_filter": wanted}, "metric_filter": None
    }  # fmt: skip


def states(*names: str, runs: str = '{"$and":[]}') -> dict[str, Any]:
    """Return what RUN_STATE waits for."""
    return {"run_filter": runs, "run_state_filter": {"states": list(names)}}


def make_automation(
    project: Project,
    event: str = "RUN_METRIC",
    filter: Any = None,  # noqa: A002 - what it is called everywhere
    *,
    is_of_team: bool = False,
    collection: Collection | None = None,
    by: User | None = None,
    **fields: Any,
) -> Automation:
    """Return a new automation that does nothing but keep a record."""
    name = fields.pop("name", f"automation {Automation.objects.count()}")
    given = AutomationFields(
        name=name, event=event, filter=threshold() if filter is None else filter,
        action=fields.pop("action", "NO_OP"), **fields,
    )  # fmt: skip
    made = create_automation(
        actor=SYSTEM, team=project.team, project=None if is_of_team else project, collection=collection, fields=given
    )  # fmt: skip
    if by is not None:
        made.created_by = by
        made.save(update_fields=["created_by"])
    return made


def met(automation: Automation, measured: float, *, step: int | None = None) -> dict[str, Any]:
    """Return what an event keeps of the condition that a metric met."""
    test = parse(automation.event, automation.filter).test
    assert test is not None
    return {
        "event": automation.event, "condition": automation.filter["run_metric_filter"], "metric": test.metric,
        "value": measured, "measured": measured, "threshold": test.limit, "step": step,
    }  # fmt: skip


def acted(automation: Automation, run: Run, state: str = MessageState.SENT, **message: Any) -> Message:
    """Return the message of an automation that acted because a run failed, as the sender leaves it."""
    event = Event.objects.create(
        kind=EventKind.RUN_STATE, team=automation.team, project=run.project, run=run, data={"state": "failed"}
    )
    row = Message.objects.create(
        recipient=f"automation:{automation.pk}:{event.pk}", automation=automation, team=automation.team,
        destination=automation.destination, state=state, is_open=False, send_at=event.at, **message,
    )  # fmt: skip
    Delivery.objects.create(event=event, message=row, recipient=row.recipient)
    return row
