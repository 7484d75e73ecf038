"""The events that automations wait for, as the SDK names those that it knows (semantics section 7)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from runs.states import RunState


class AutomationEvent(models.TextChoices):
    """What an automation waits for."""

    RUN_STATE = "RUN_STATE", _("A run changes state")
    RUN_METRIC = "RUN_METRIC", _("A metric passes a threshold")
    RUN_METRIC_CHANGE = "RUN_METRIC_CHANGE", _("A metric changes by an amount")
    RUN_METRIC_ZSCORE = "RUN_METRIC_ZSCORE", _("A metric leaves its usual range")
    CREATE_ARTIFACT = "CREATE_ARTIFACT", _("A new artifact version is created")
    ADD_ARTIFACT_ALIAS = "ADD_ARTIFACT_ALIAS", _("An artifact version gets an alias")
    ADD_ARTIFACT_TAG = "ADD_ARTIFACT_TAG", _("An artifact version gets a tag")
    REMOVE_ARTIFACT_TAG = "REMOVE_ARTIFACT_TAG", _("An artifact version loses a tag")
    ADD_COLLECTION_TAG = "ADD_COLLECTION_TAG", _("A collection gets a tag")
    REMOVE_COLLECTION_TAG = "REMOVE_COLLECTION_TAG", _("A collection loses a tag")
    LINK_MODEL = "LINK_MODEL", _("An artifact version is linked to a collection")
    UNLINK_ARTIFACT = "UNLINK_ARTIFACT", _("An artifact version is unlinked from a collection")
    SWEEP_FINISHED = "SWEEP_FINISHED", _("A sweep finishes")
    SWEEP_NEW_BEST = "SWEEP_NEW_BEST", _("A sweep has a new best run")
    SWEEP_RUNS_FAIL = "SWEEP_RUNS_FAIL", _("Runs of a sweep fail")


METRIC_EVENTS = frozenset(
    {AutomationEvent.RUN_METRIC, AutomationEvent.RUN_METRIC_CHANGE, AutomationEvent.RUN_METRIC_ZSCORE}
)
RUN_EVENTS = METRIC_EVENTS | {AutomationEvent.RUN_STATE}
SWEEP_EVENTS = frozenset(
    {AutomationEvent.SWEEP_FINISHED, AutomationEvent.SWEEP_NEW_BEST, AutomationEvent.SWEEP_RUNS_FAIL}
)
"""Of these the SDK knows nothing."""
ARTIFACT_EVENTS = frozenset(set(AutomationEvent) - RUN_EVENTS - SWEEP_EVENTS)

STATES = {state.value.upper(): frozenset({state.value}) for state in RunState} | {
    "FAILED": frozenset({RunState.FAILED.value, RunState.CRASHED.value})
}
"""A state as filters name it, to the states of runs that it means. The SDK knows no CRASHED of its own: FAILED is both.

Source: wandb/automations/_run_state_filters.py, where CRASHED is another name of FAILED.
"""
