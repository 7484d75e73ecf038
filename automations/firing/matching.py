"""Which automations the events of runs, artifacts and sweeps concern (ALR-6)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import Q

from alerts.models import Event, EventKind
from artifacts.participants import Reach
from automations.conditions import artifacts, sweeps
from automations.conditions.events import ARTIFACT_EVENTS, SWEEP_EVENTS, AutomationEvent
from automations.conditions.filters import Condition
from automations.firing.plan import with_conditions, with_plan
from automations.firing.reach import still_allowed
from automations.firing.services import claim_firings
from automations.firing.sweeps import of_sweeps
from automations.models import Automation
from runs.models import Run

Match = tuple[Event, Automation]
_KINDS = frozenset({EventKind.RUN_STATE, EventKind.ARTIFACT, EventKind.SWEEP})


def awaits_states(team_id: int, project_id: int) -> bool:
    """Say whether an automation waits for runs of the project to change their state."""
    scope = Q(project=project_id) | Q(project__isnull=True)
    return Automation.objects.filter(scope, team=team_id, event="RUN_STATE", is_on=True).exists()


def matching(events: Sequence[Event]) -> list[Match]:
    """Return which automations act on events of kind RUN_STATE, ARTIFACT and SWEEP, and record that they do.

    Call in the transaction that writes what comes of it; a fixed number of queries but one for each automation that
    asks for some runs only. Other events are ignored.
    """
    chosen = [event for event in events if event.kind in _KINDS]
    found = [pair for pair in _candidates(chosen) if _is_meant(*pair)]
    pairs = [(event, automation) for event, automation, _ in of_sweeps(_of_runs(found))]
    return claim_firings(pairs)


def _automations(events: Sequence[Event]) -> list[tuple[Automation, Condition]]:
    """Return the automations that are on in the events' projects and teams, with what they wait for."""
    kinds: set[str] = set()
    if any(event.kind == EventKind.RUN_STATE for event in events):
        kinds.add(AutomationEvent.RUN_STATE)
    if any(event.kind == EventKind.ARTIFACT for event in events):
        kinds |= ARTIFACT_EVENTS
    if any(event.kind == EventKind.SWEEP for event in events):
        kinds |= SWEEP_EVENTS
    projects = {event.project_id for event in events if event.project_id}
    scope = Q(project__in=projects) | Q(project__isnull=True)
    rows = Automation.objects.filter(scope, team__in={event.team_id for event in events})
    rows = rows.filter(still_allowed(), is_on=True, event__in=kinds)
    return with_conditions(with_plan(rows.select_related("team__organization", "destination")))


def _candidates(events: Sequence[Event]) -> Iterable[tuple[Event, Automation, Condition]]:
    if not events:
        return
    by_team: dict[int, list[tuple[Automation, Condition]]] = defaultdict(list)
    for automation, condition in _automations(events):
        by_team[automation.team_id].append((automation, condition))
    for event in events:
        for automation, condition in by_team[event.team_id]:
            if _is_of_place(event, automation) or _is_of_team(event, automation):
                yield event, automation, condition


def _is_of_place(event: Event, automation: Automation) -> bool:
    """Say whether an automation is of the event's project, and of its collection or of all there are."""
    collections = {event.data.get("collection")}
    if event.data.get("reach") != Reach.COLLECTION:
        collections.add(None)
    return automation.project_id == event.project_id and automation.collection_id in collections


def _is_of_team(event: Event, automation: Automation) -> bool:
    """Say whether an automation is of all the team's projects and hears of the event here, not by another project."""
    return automation.project_id is None and "reach" not in event.data and not _is_of_host(event)


def _is_of_host(event: Event) -> bool:
    """Say whether the run only watches a machine: its ends concern those alone who chose its project."""
    return event.run is not None and event.run.is_host


def _is_meant(event: Event, automation: Automation, condition: Condition) -> bool:
    """Say whether an event is what an automation waits for, but for the run."""
    if event.kind == EventKind.RUN_STATE:
        return (
            condition.event is AutomationEvent.RUN_STATE and event.data.get("state") in condition.run_states
        )
    if event.kind == EventKind.SWEEP:
        return condition.sweep is not None and sweeps.is_meant(condition.event, condition.sweep, event.data)
    return (
        condition.artifact is not None
        and event.data.get("event") == automation.event
        and artifacts.holds(condition.artifact, event.data)
    )


def _of_runs(
    found: list[tuple[Event, Automation, Condition]],
) -> list[tuple[Event, Automation, Condition]]:
    """Keep the pairs whose run is there and one of those that the automation asks for."""
    run_ids = {event.run_id for event, _, _ in found if event.run_id}
    live = set(Run.objects.live().filter(pk__in=run_ids).values_list("pk", flat=True))
    chosen_runs: dict[int, set[int]] = {}
    for _event, automation, condition in found:
        if condition.has_run_filter and automation.pk not in chosen_runs:
            some = {event.run_id for event, other, _ in found if event.run_id and other.pk == automation.pk}
            runs = Run.objects.filter(condition.runs(), pk__in=some & live)
            chosen_runs[automation.pk] = set(runs.values_list("pk", flat=True))
    return [
        (event, automation, condition)
        for event, automation, condition in found
        if event.run_id is None or event.run_id in chosen_runs.get(automation.pk, live)
    ]
