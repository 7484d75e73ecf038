"""What the editor of an automation offers to choose from."""

from django.utils.translation import gettext_lazy

from automations.conditions.events import AutomationEvent
from automations.editor.filters import LATEST
from automations.models import ActionKind
from runs.states import RunState

ALL_PROJECTS = "*"
"""The scope of all projects; no project is called so."""
EVENTS = (
    (AutomationEvent.RUN_STATE, "activity", gettext_lazy("Finishes, fails, crashes, starts …")),
    (AutomationEvent.RUN_METRIC, "chart-line", gettext_lazy("Loss below 0.1, GPU use below 5%")),
    (AutomationEvent.RUN_METRIC_CHANGE, "arrow-up-down", gettext_lazy("Loss rises by 20%, accuracy falls")),
    (AutomationEvent.RUN_METRIC_ZSCORE, "sigma", gettext_lazy("A value far from the previous ones")),
)
"""The events of runs as the editor offers them: icon and an example."""
ACTIONS = (
    (ActionKind.NOTIFICATION, "message-square-text", gettext_lazy("To one of the team’s channels")),
    (ActionKind.GENERIC_WEBHOOK, "webhook", gettext_lazy("With your own payload")),
    (ActionKind.EMAIL, "mail", gettext_lazy("To team members or the author of the run")),
    (ActionKind.NO_OP, "history", gettext_lazy("To test it, or to view it here")),
)
STATES = [
    ("FINISHED", RunState.FINISHED.label),
    ("FAILED", gettext_lazy("Failed or crashed")),
    ("CRASHED", RunState.CRASHED.label),
    ("KILLED", RunState.KILLED.label),
    ("RUNNING", RunState.RUNNING.label),
    ("PENDING", RunState.PENDING.label),
    ("PREEMPTING", RunState.PREEMPTING.label),
    ("PREEMPTED", RunState.PREEMPTED.label),
]
AGGREGATES = [
    (LATEST, gettext_lazy("Latest value")),
    ("AVERAGE", gettext_lazy("Mean")),
    ("MIN", gettext_lazy("Smallest value")),
    ("MAX", gettext_lazy("Largest value")),
]
DIRECTIONS = [
    ("ANY", gettext_lazy("rises or falls")),
    ("INCREASE", gettext_lazy("rises")),
    ("DECREASE", gettext_lazy("falls")),
]
SIDES = [
    ("ANY", gettext_lazy("above or below")),
    ("INCREASE", gettext_lazy("above")),
    ("DECREASE", gettext_lazy("below")),
]
MEASURES = [("RELATIVE", gettext_lazy("percent")), ("ABSOLUTE", gettext_lazy("units of the metric"))]
PAUSES = [
    (0, gettext_lazy("Each time")),
    (600, gettext_lazy("10 minutes")),
    (3600, gettext_lazy("1 hour")),
    (21_600, gettext_lazy("6 hours")),
    (86_400, gettext_lazy("1 day")),
    (604_800, gettext_lazy("1 week")),
]
