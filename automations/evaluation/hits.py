"""What comes of conditions that were met: the runs that automations ask for, and each once in its time."""

import math
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from automations.evaluation.evaluator import Hit
from automations.evaluation.rules import Rule
from automations.firing.services import Occasion, fire_many, last_fired
from common.formats.strict_json import strict
from metrics.models import StreamKind
from runs.models import Run

FIRED_AT_ONCE = 200
"""In one transaction: SQLite has one writer, which runs that log must not wait for."""
ASK_AGAIN_S = 5.0
"""How long a run that an automation did not ask for is left out: its tags may change, and each look is a query."""


def fire_hits(hits: Sequence[Hit]) -> None:
    """Let automations act on conditions that were met, except for runs that they exclude or have acted for.

    Two statements, one for each automation that asks for some runs only, and those of the events together.
    """
    if not hits:
        return
    now = timezone.now()
    runs = Run.objects.live().select_related("project").in_bulk({hit.watched.run_id for hit in hits})
    fired = last_fired({hit.rule.automation.pk for hit in hits}, set(runs))
    matching = _matching_runs(hits, runs)
    occasions = []
    for hit in hits:
        automation, run_id = hit.rule.automation, hit.watched.run_id
        key = automation.pk, run_id
        quiet = hit.watched.quiet_until
        if key not in matching:
            quiet[hit.rule.number] = time.time() + ASK_AGAIN_S
            continue
        last = fired.get(key)
        if last is None or (now - last).total_seconds() >= automation.once_in_s:
            occasions.append(Occasion(automation, runs[run_id], event_data(hit)))
            fired[key] = last = now
        quiet[hit.rule.number] = last.timestamp() + automation.once_in_s
    occasions.sort(key=lambda one: (one.automation.pk, one.run.pk))
    for start in range(0, len(occasions), FIRED_AT_ONCE):
        fire_many(occasions[start : start + FIRED_AT_ONCE])


def _matching_runs(hits: Sequence[Hit], runs: dict[int, Run]) -> set[tuple[int, int]]:
    """Return the (automation, run) of which the automation asks for the run, as it is now."""
    by_rule: dict[Rule, set[int]] = defaultdict(set)
    for hit in hits:
        run = runs.get(hit.watched.run_id)
        automation = hit.rule.automation
        if run is None or run.project.team_id != automation.team_id:
            continue
        if automation.project_id in {None, run.project_id}:
            by_rule[hit.rule].add(run.pk)
    found = set()
    for rule, run_ids in by_rule.items():
        if rule.condition.has_run_filter:
            rows = Run.objects.filter(rule.condition.runs(), pk__in=run_ids)
            run_ids = set(rows.values_list("pk", flat=True))  # noqa: PLW2901 - fewer of the same
        found |= {(rule.automation.pk, run_id) for run_id in run_ids}
    return found


def event_data(hit: Hit) -> dict[str, Any]:
    """Return what an event keeps of a condition that was met; numbers that JSON has not go by their names."""
    step = hit.step
    return {
        "event": hit.rule.automation.event,
        "condition": hit.rule.condition.canonical["run_metric_filter"],
        "metric": hit.rule.test.metric,
        "kind": StreamKind(hit.watched.kind).label,
        "row": hit.row,
        "step": int(step) if step is not None and math.isfinite(step) else None,
        "value": strict(hit.value),
        "measured": strict(hit.measured),
        "threshold": strict(hit.rule.test.limit),
    }
