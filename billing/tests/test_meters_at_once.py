"""BIL-4: meters that run at the same time, while runs begin and end, count everything once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from billing.metering import counting
from billing.metering.intervals import settle
from billing.metering.meter import rebuild, run_meter
from billing.metering.seconds import seconds_between
from billing.models import TrackedInterval, UsageDay
from billing.periods import period_at
from billing.subscriptions import subscription_of_team
from billing.tests.lives import table
from metrics.group_commit import write_group
from metrics.tests.test_ingest import post
from storage.models import ByteEntry
from tests.factories import ProjectFactory, RunFactory

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6


def _threaded(act: Callable[[], object]) -> Callable[[], object]:
    def do() -> object:
        try:
            return act()
        finally:
            connection.close()

    return do


def test_meters_and_closings_at_once_count_everything_once(monkeypatch):
    monkeypatch.setattr(counting, "INTERVALS_AT_ONCE", 3)
    monkeypatch.setattr(counting, "ENTRIES_AT_ONCE", 5)
    project = ProjectFactory()
    runs = [RunFactory(project=project) for _ in range(8)]
    began = timezone.now() - timedelta(days=40)
    TrackedInterval.objects.update(began_at=began, counted_to=began, not_before=began)
    subscription = subscription_of_team(project.team)
    last_month = period_at(began)

    def log() -> None:
        for number in range(ROUNDS):
            ends = number % 2
            write_group([post(run, complete=0) if ends else post(run) for run in runs[:4]])
            for run in runs[:4]:
                ByteEntry.objects.create(
                    team_id=project.team_id, run_id=run.pk, delta_bytes=7, category="file"
                )
                if ends:
                    RunFactory(project=project, uid=run.uid, user=run.user)

    def meter() -> None:
        for _ in range(ROUNDS):
            run_meter()

    def close() -> None:
        for _ in range(ROUNDS):
            with transaction.atomic():
                settle(subscription, last_month)

    with ThreadPoolExecutor(5) as pool:
        done = [pool.submit(_threaded(act)) for act in (log, meter, meter, close, rebuild)]
        assert [one.result() for one in done][:2] == [None, None]
    write_group([post(run, complete=0) for run in runs])
    run_meter()
    spans = TrackedInterval.objects.values_list("began_at", "ended_at")
    tracked = sum(seconds_between(one, other) for one, other in spans if other)
    assert TrackedInterval.objects.filter(ended_at__isnull=True).count() == 0
    totals = UsageDay.objects.aggregate(time=Sum("tracked_s"), held=Sum("delta_bytes"))
    assert totals == {"time": tracked, "held": 7 * 4 * ROUNDS}
    before = table()
    rebuild()
    assert table() == before
