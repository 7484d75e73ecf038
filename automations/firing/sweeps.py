"""Which automations act on events of sweeps: of failures once, until their share has fallen below again."""

from collections.abc import Sequence

from django.db.models import Q

from alerts.models import Event
from alerts.recipients import live_sweeps
from automations.conditions.events import AutomationEvent
from automations.conditions.filters import Condition
from automations.conditions.sweeps import WAITED
from automations.models import Automation, FailingSweep

Candidate = tuple[Event, Automation, Condition]


def awaits_sweeps(event: str, team_id: int, project_id: int) -> bool:
    """Say whether an automation waits for the event of a sweep (a `SweepEvent`) of the project."""
    scope = Q(project=project_id) | Q(project__isnull=True)
    return Automation.objects.filter(scope, team=team_id, event=WAITED[event], is_on=True).exists()


def of_sweeps(found: Sequence[Candidate]) -> list[Candidate]:
    """Keep the pairs whose sweep is there and, where failures are counted, has just come above the share.

    Four statements at most, where there are events of sweeps. Call in a transaction, with the events in their order.
    """
    named = [event for event, _, _ in found if event.sweep_id is not None]
    if not named:
        return list(found)
    live = {None, *live_sweeps(named).values_list("pk", flat=True)}
    there = [one for one in found if one[0].sweep_id in live]
    failing = _known_failing(there)
    before = set(failing)
    kept = [one for one in there if one[1].event != AutomationEvent.SWEEP_RUNS_FAIL or _begins(one, failing)]
    fresh = [FailingSweep(automation_id=one, sweep_id=sweep_id) for one, sweep_id in sorted(failing - before)]
    FailingSweep.objects.bulk_create(fresh, ignore_conflicts=True)
    if over := before - failing:
        gone = Q(pk__in=())
        for automation_id, sweep_id in over:
            gone |= Q(automation=automation_id, sweep=sweep_id)
        FailingSweep.objects.filter(gone).delete()
    return kept


def _known_failing(found: Sequence[Candidate]) -> set[tuple[int, int]]:
    """Return (automation, sweep) of those that have acted on failures that last."""
    rows = FailingSweep.objects.filter(
        automation__in={automation.pk for _, automation, _ in found},
        sweep__in={event.sweep_id for event, _, _ in found if event.sweep_id is not None},
    )
    return set(rows.values_list("automation_id", "sweep_id"))


def _begins(candidate: Candidate, failing: set[tuple[int, int]]) -> bool:
    """Say whether the share comes above the threshold with an event, and keep in mind what fails."""
    event, automation, condition = candidate
    key = (automation.pk, event.sweep_id or 0)
    if condition.sweep is None:
        return False
    if not condition.sweep.is_failing(event.data["failed_runs"], event.data["ended_runs"]):
        failing.discard(key)
        return False
    is_new = key not in failing
    failing.add(key)
    return is_new
