"""Automations as people make them, for `bench.automations`."""

from typing import Any

from access.actor import SYSTEM
from automations.models import Automation
from automations.services import AutomationFields, change_automation
from bench import world
from runs.models import Project
from tests.automations import change, make_automation, threshold, zscore

AUTOMATIONS = 100


def watched(number: int, limit: float) -> tuple[str, dict[str, Any]]:
    """Return what people watch: mostly thresholds, some means, a few changes and scores; values are from 0 to 1."""
    key = f"train/metric_{number % world.KEYS}"
    kind = number % 10
    if kind < 4:
        return "RUN_METRIC", threshold(key, "$gt", limit)
    if kind < 7:
        return "RUN_METRIC", threshold(key, "$lt", -limit, agg="AVERAGE", window=5)
    if kind == 7:
        return "RUN_METRIC", threshold(key, "$gte", limit, agg="MAX", window=10)
    if kind == 8:
        return "RUN_METRIC_CHANGE", change(key, limit, agg="AVERAGE", window=10, prior=50)
    return "RUN_METRIC_ZSCORE", zscore(key, 1000 * limit, window=30)


def watch(project: Project, limit: float) -> None:
    """Add automations."""
    for number in range(AUTOMATIONS):
        event, wanted = watched(number, limit)
        make_automation(project, event, wanted)


def watch_named(name: str, limit: float) -> None:
    """Add automations to the project of this name."""
    watch(Project.objects.get(name=name), limit)


def switch(*, is_on: bool) -> None:
    """Switch all automations on or off."""
    for automation in Automation.objects.all():
        change_automation(actor=SYSTEM, automation=automation, fields=AutomationFields(is_on=is_on))
