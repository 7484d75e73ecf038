"""That an automation acts for a run, at most once in its time however many processes see the reason (ALR-6)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from alerts.events import route_soon
from alerts.models import Event, EventKind
from automations.models import Automation, AutomationRun
from common.database.commits import after_commit
from runs.models import Run

_NEVER = datetime.min.replace(year=1970, tzinfo=UTC)


def claim_firings(pairs: Sequence[tuple[Event, Automation]]) -> list[tuple[Event, Automation]]:
    """Return the pairs whose automation may act for the event's run, in order, and record that it does.

    Four statements for any number of pairs; call in a transaction. Events without a run are always acted on.
    """
    at = timezone.now()
    pairs_of_runs = [(automation, event.run_id) for event, automation in pairs if event.run_id is not None]
    claimed = _claim(pairs_of_runs, at)
    kept = []
    for event, automation in pairs:
        key = (automation.pk, event.run_id)
        if event.run_id is not None and key not in claimed:
            continue
        kept.append((event, automation))
        if automation.once_in_s:  # later events of these come within its time
            claimed.discard((automation.pk, event.run_id or 0))
    record_firings({automation.pk for _, automation in kept}, at)
    return kept


def last_fired(automation_ids: Collection[int], run_ids: Collection[int]) -> dict[tuple[int, int], datetime]:
    """Return when automations acted last for runs."""
    rows = AutomationRun.objects.filter(automation__in=automation_ids, run__in=run_ids)
    return {(one, run_id): at for one, run_id, at in rows.values_list("automation_id", "run_id", "fired_at")}


def _claim(pairs_of_runs: Sequence[tuple[Automation, int]], at: datetime) -> set[tuple[int, int]]:
    """Return the (automation, run) that may act now, and record that they do."""
    pauses = {(automation.pk, run_id): automation.once_in_s for automation, run_id in pairs_of_runs}
    if not pauses:
        return set()
    fresh = [
        AutomationRun(automation_id=one, run_id=run_id, fired_at=_NEVER) for one, run_id in sorted(pauses)
    ]
    AutomationRun.objects.bulk_create(fresh, ignore_conflicts=True)
    rows = AutomationRun.objects.select_for_update().filter(
        automation__in={one for one, _ in pauses}, run__in={run_id for _, run_id in pauses}
    )
    claimed = {}
    for row in rows.order_by("pk"):
        key = (row.automation_id, row.run_id)
        if key in pauses and at >= row.fired_at + timedelta(seconds=pauses[key]):
            claimed[key] = row.pk
    AutomationRun.objects.filter(pk__in=claimed.values()).update(fired_at=at)
    return set(claimed)


@dataclass(frozen=True, slots=True)
class Occasion:
    """That a run's metric met an automation's condition."""

    automation: Automation
    run: Run
    data: dict[str, Any]
    """``condition``, ``metric``, ``value``, ``measured``, ``step`` and more: see `automations.evaluation.hits`."""


def fire_many(occasions: Sequence[Occasion]) -> list[Event]:
    """Write events of automations that are still on and have not acted for the run in their time.

    Both are written in one transaction; then the outbox is asked to route. Six statements.
    """
    with transaction.atomic():
        at = timezone.now()
        on = Automation.objects.filter(is_on=True).in_bulk({one.automation.pk for one in occasions})
        there = [one for one in occasions if one.automation.pk in on]
        claimed = _claim([(on[one.automation.pk], one.run.pk) for one in there], at)
        events = [
            Event(
                kind=EventKind.RUN_METRIC, team_id=one.automation.team_id, project_id=one.run.project_id,
                run=one.run, automation=one.automation, at=at, data=one.data,
            )
            for one in there
            if (one.automation.pk, one.run.pk) in claimed
        ]  # fmt: skip
        Event.objects.bulk_create(events)
        if events:
            record_firings({automation_id for automation_id, _ in claimed}, at)
            after_commit(route_soon)
    return events


def record_firings(automation_ids: Collection[int], at: datetime) -> None:
    """Record when automations acted last."""
    Automation.objects.filter(pk__in=automation_ids).update(last_fired_at=at)
