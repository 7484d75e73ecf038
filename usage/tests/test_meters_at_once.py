"""BIL-4: meters that run at the same time, while runs begin and end, count everything once."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from billing.models import Subscription
from billing.subscriptions.selectors import subscription_of_team
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from storage.models import ByteEntry
from tests.factories import ProjectFactory, RunFactory
from tests.waiting import PATIENCE_S
from usage.metering import counting
from usage.metering.meter import rebuild, run_meter
from usage.metering.seconds import seconds_between
from usage.metering.state import begin_sums
from usage.models import TrackedInterval, UsageDay
from usage.periods import period_at
from usage.tests.lives import settle, table

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


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_a_run_that_is_just_ending_is_left_for_the_next_time():
    """BIL-4: the meter neither waits for who ends a run nor counts what they are about to change."""
    run, other = RunFactory(), RunFactory()
    began = timezone.now() - timedelta(hours=2)
    TrackedInterval.objects.update(began_at=began, not_before=began, counted_to=began)

    def meter() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1s'")  # whatever it waited for would not come
        run_meter()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        write_group([post(run, complete=0)])
        pool.submit(_threaded(meter)).result(PATIENCE_S)
        counted_to = dict(TrackedInterval.objects.values_list("run_id", "counted_to"))
        assert counted_to[run.pk] == began
        assert counted_to[other.pk] > began
    run_meter()
    ended = TrackedInterval.objects.get(run_id=run.pk)
    assert ended.counted_to == ended.ended_at


def test_a_run_that_ends_while_its_interval_is_split_counts_once():
    """BIL-4: who ends it waits for the meter, which splits off what is in a closed period, and ends what goes on."""
    run = RunFactory()
    began = timezone.now() - timedelta(days=40)
    TrackedInterval.objects.update(began_at=began, not_before=began, counted_to=began + timedelta(hours=1))
    subscription = subscription_of_team(run.project.team)
    Subscription.objects.filter(pk=subscription.pk).update(closed_to=timezone.now().date())
    own_clock = json.dumps({"_runtime": timedelta(days=40).total_seconds()})

    def end() -> None:
        write_group([post(run, complete=0, summary=own_clock)])

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            now = timezone.now()
            sums = begin_sums(now)
            counting.count_intervals(sums, counting.EVERYTHING, now, 0)
            ending = pool.submit(_threaded(end))
            time.sleep(0.5)  # it meets the row that the meter has locked; on SQLite it waits to begin
            sums.write()
        ending.result()
    run_meter()
    past, rest = TrackedInterval.objects.order_by("began_at")
    assert rest.began_at == past.ended_at
    assert rest.ended_at is not None
    counted = UsageDay.objects.aggregate(total=Sum("tracked_s"))["total"]  # the hour before is not in it
    assert counted == seconds_between(rest.began_at, rest.ended_at)
