"""Which fields of the editor are shown, and so count: those of the chosen event and action."""

from collections.abc import Mapping
from typing import Any

from automations.conditions.events import ARTIFACT_EVENTS, SWEEP_EVENTS, AutomationEvent
from automations.editor.filters import LATEST, MATCHED
from automations.models import ActionKind

_OF_METRIC = {
    AutomationEvent.RUN_METRIC: ("aggregate", "window", "comparison", "threshold"),
    AutomationEvent.RUN_METRIC_CHANGE: (
        "change_aggregate", "current_window", "prior_window", "direction", "amount", "measure",
    ),
    AutomationEvent.RUN_METRIC_ZSCORE: ("z_threshold", "side", "z_window"),
}  # fmt: skip
_OF_EVENT: dict[str, tuple[str, ...]] = {
    AutomationEvent.RUN_STATE: ("states",),
    **{event: ("metric", *names) for event, names in _OF_METRIC.items()},
    AutomationEvent.SWEEP_FINISHED: ("ended",),
    AutomationEvent.SWEEP_RUNS_FAIL: ("failed_percent", "least_ended"),
}
_OF_ACTION: dict[str, tuple[str, ...]] = {
    ActionKind.NOTIFICATION: ("slack", "severity", "title", "message"),
    ActionKind.GENERIC_WEBHOOK: ("webhook", "payload"),
    ActionKind.EMAIL: ("mail_author", "mail_to", "title", "message"),
}
_WINDOWS = {"aggregate": {"window"}, "change_aggregate": {"current_window", "prior_window"}}
CONDITIONAL = {"artifact_match", "collection", "sweep", "user", "run_name", "expression"}.union(
    *_OF_EVENT.values(), *_OF_ACTION.values()
)
"""The fields that are not always shown."""


def shown_fields(data: Mapping[str, Any], *, keeps_filter: bool) -> set[str]:
    """Return which of these are shown for what is filled in; without an aggregate there is no window.

    Args:
        data: The fields by name.
        keeps_filter: Whether a filter of artifacts that a program wrote stays as it is.
    """
    event, action = data.get("event", ""), data.get("action", "")
    shown = {*_OF_EVENT.get(event, ()), *_OF_ACTION.get(action, ())}
    if event in MATCHED and not keeps_filter:
        shown.add("artifact_match")
    if event in ARTIFACT_EVENTS:
        shown.add("collection")
    elif event in SWEEP_EVENTS:
        shown.add("sweep")
    else:
        shown |= {"user", "run_name", "expression"}
    for aggregate, windows in _WINDOWS.items():
        if data.get(aggregate) == LATEST:
            shown -= windows
    return shown
