"""BIL-4: tracked hours, storage and trace data are counted once, exactly, whatever happens to runs and to the meter."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.actor import SYSTEM
from accounts.lifecycle.account_merge import merge_accounts
from billing.models import Subscription
from billing.subscriptions.selectors import subscription_of_team
from billing.subscriptions.usage import use_of
from common.errors import Invalid
from metrics.ingest.branching import fork_run, rewind_run
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.bulk_actions import moving
from runs.bulk_actions.deletion import delete_run
from runs.lifecycle import services as lifecycle
from runs.lifecycle.purge import purge_runs
from runs.models import Pulse, Run
from storage.models import ByteEntry
from storage.services import record_bytes
from tests.factories import ProjectFactory, RunFactory
from usage.metering import counting, rebuilding
from usage.metering.backfill import backfill
from usage.metering.ingestion import record_ingestion
from usage.metering.meter import rebuild, run_meter
from usage.models import HardwareUse, IngestionEntry, MeterState, ReportedTime, TrackedInterval, UsageDay
from usage.periods import Period, month_of
from usage.tests.by_days import use_by
from usage.tests.lives import byte_seconds, metered, settle, table

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 3, 10, 12, tzinfo=UTC)
MARCH, APRIL = date(2026, 3, 1), date(2026, 4, 1)


@pytest.fixture
def clock():
    with time_machine.travel(BEGIN, tick=False) as traveller:
        yield traveller


def told(runtime: float) -> str:
    return json.dumps({"loss": 1, "_runtime": runtime / 2, "_wandb": {"runtime": int(runtime)}})


def beat(run: Run, **more: str) -> None:
    write_group([post(run, **more)])


def finish(run: Run, clock_s: float = 0, exit_code: int = 0) -> None:
    write_group([post(run, complete=exit_code, summary=told(clock_s))])


def preempt(run: Run) -> None:
    sent = post(run)
    sent.run.preempting = True
    write_group([sent])


def seconds(**only: object) -> int:
    run_meter()
    return UsageDay.objects.filter(**only).aggregate(total=Sum("tracked_s"))["total"] or 0


def close(run: Run, period: Period) -> Subscription:
    subscription = subscription_of_team(run.project.team)
    with transaction.atomic():
        settle(subscription, period)
        Subscription.objects.filter(pk=subscription.pk).update(closed_to=period.end)
    return subscription


def test_a_run_counts_from_its_begin_to_its_end(clock):
    run = RunFactory()
    clock.shift(3600)
    finish(run)
    assert seconds() == 3600
    row = UsageDay.objects.get()
    assert (row.team_id, row.project_id, row.user_id) == (run.project.team_id, run.project_id, run.user_id)
    assert row.day == BEGIN.date()


def test_parallel_runs_add_up_and_several_writers_of_one_do_not(clock):
    one, _two = RunFactory(), RunFactory()
    clock.shift(60)
    write_group([post(one, writer="a"), post(one, writer="b"), post(_two)])
    assert seconds() == 120


def test_a_run_under_way_counts_to_its_last_heartbeat_however_often_the_meter_runs(clock):
    run = RunFactory()
    for _ in range(7):
        clock.shift(10.3)
        beat(run)
        run_meter()
        clock.shift(0.4)
        run_meter()
    beat(run)
    assert seconds() == 74  # 7 x 10.7 s = 74.9 s


def test_a_crash_ends_at_the_last_heartbeat(clock):
    run = RunFactory()
    clock.shift(100)
    beat(run)
    clock.shift(4000)
    run_meter()
    lifecycle.find_crashed_runs()
    assert seconds() == 100
    clock.shift(4000)
    finish(run)  # late, and its clock tells of nothing more
    assert seconds() == 100


def test_a_run_that_was_out_of_reach_counts_what_its_own_clock_tells(clock):
    run = RunFactory()
    clock.shift(100)
    beat(run)
    clock.shift(4000)
    lifecycle.find_crashed_runs()
    finish(run, clock_s=4102)
    assert seconds() == 4102
    assert ReportedTime.objects.get().seconds == 4002


def test_preempting_and_waiting_do_not_count(clock):
    run = RunFactory()
    clock.shift(100)
    preempt(run)
    clock.shift(1000)
    finish(run, clock_s=1100)
    assert seconds() == 100
    waits = RunFactory(project=run.project)
    lifecycle.change_state(actor=SYSTEM, run=_failed(waits), state="pending")
    clock.shift(1000)
    assert seconds(user_id=waits.user_id) == 0


def _failed(run: Run) -> Run:
    finish(run, exit_code=1)
    return run


def test_a_resumed_run_counts_its_lifetimes_and_its_clock_adds_only_what_is_new(clock):
    run = RunFactory()
    clock.shift(100)
    finish(run, clock_s=101)
    clock.shift(5000)
    RunFactory(project=run.project, uid=run.uid, user=run.user)
    clock.shift(50)
    finish(run, clock_s=151)
    assert seconds() == 151
    assert [row.seconds for row in ReportedTime.objects.all()] == [1]


def test_a_run_synced_twice_counts_once(clock):
    run = RunFactory()
    finish(run, clock_s=7200.5)
    clock.shift(3600)
    RunFactory(project=run.project, uid=run.uid, user=run.user)
    clock.shift(2)
    finish(run, clock_s=7200.5)
    assert seconds() == 7202  # two seconds it was open here


def test_a_synced_run_ran_in_a_closed_month_and_counts_when_it_arrives(clock):
    """BIL-4: its page has its own times; no month that is closed changes, and going offline saves no hours."""
    clock.move_to(datetime(2026, 4, 2, 12, tzinfo=UTC))
    sdk = {"t": {"3": [4]}, "e": {"w": {"startedAt": "2026-03-20T00:00:00Z"}}}
    run = RunFactory(config_text=json.dumps({"_wandb": {"value": sdk}}))
    close(run, month_of(MARCH))
    clock.shift(2)
    finish(run, clock_s=36_000)
    run.refresh_from_db()
    assert (run.created_at.date(), run.duration_s) == (date(2026, 3, 20), 36_000)
    assert seconds() == 36_000
    days = [(date(2026, 4, 2), 36_000)]
    assert list(UsageDay.objects.values_list("day", "tracked_s")) == days
    rebuild()
    assert list(UsageDay.objects.values_list("day", "tracked_s")) == days


def test_nights_and_months_cut_a_run(clock):
    clock.move_to(datetime(2026, 3, 30, 23, 0, 0, 900_000, UTC))
    run = RunFactory()
    clock.move_to(datetime(2026, 4, 1, 1, 0, 0, 100_000, UTC))
    finish(run)
    run_meter()
    days = dict(UsageDay.objects.values_list("day", "tracked_s"))
    assert days == {date(2026, 3, 30): 3600, date(2026, 3, 31): 86_400, APRIL: 3600}


def test_forks_and_rewinds_do_not_count_what_they_took_over(clock):
    parent = RunFactory()
    write_group([post(parent, history=(0, [{"_step": 0, "loss": 1}]))])
    finish(parent, clock_s=10_000)
    child = RunFactory(project=parent.project)
    fork_run(actor=SYSTEM, run=child, parent_uid=parent.uid, step=0)
    clock.shift(5)
    finish(child, clock_s=10_005)
    rewind_run(actor=SYSTEM, run=parent, step=0)
    archive = Run.objects.get(forks=parent)
    RunFactory(project=parent.project, uid=archive.uid)  # what keeps the old history is resumed
    finish(archive, clock_s=10_000)
    assert seconds() == 10_005


def test_what_a_run_used_outlives_it_and_stays_where_it_was(clock, settings):
    run = RunFactory()
    other = ProjectFactory()
    clock.shift(100)
    finish(run)
    moving.move_runs(actor=SYSTEM, run_ids=[run.pk], project=other)
    RunFactory(project=other, uid=run.uid)
    clock.shift(10)
    finish(run)
    delete_run(actor=SYSTEM, run=Run.objects.get(pk=run.pk))
    clock.shift(timedelta(days=settings.DELETED_KEPT_DAYS + 1))
    assert purge_runs(60) == 1
    assert (seconds(team_id=run.project.team_id), seconds(team_id=other.team_id)) == (100, 10)
    before = table()
    rebuild()
    assert table() == before


def test_a_change_of_state_costs_the_ingest_few_statements(clock):
    """Posts of other runs wait in the same transaction."""

    def about(*posts):
        with CaptureQueriesContext(connection) as asked:
            write_group(posts)
        return [query["sql"].split()[0] for query in asked.captured_queries if "billing_" in query["sql"]]

    run = RunFactory()
    clock.shift(1)
    assert about(post(run, summary=told(1))) == []
    assert about(post(run, complete=0)) == ["UPDATE", "SELECT"]
    other = RunFactory()
    assert about(post(other, complete=0, summary=told(60))) == ["UPDATE", "SELECT", "INSERT"]
    with CaptureQueriesContext(connection) as asked:
        RunFactory(project=run.project, user=run.user)
    assert len([query for query in asked.captured_queries if "billing_" in query["sql"]]) == 1


def test_a_run_that_is_open_twice_is_stored_nevertheless(clock):
    """A hook that missed an end must not refuse the data of the run for ever."""
    run = RunFactory()
    Run.objects.filter(pk=run.pk).update(state="crashed")
    beat(run)
    assert TrackedInterval.objects.get().run_id == run.pk
    run.refresh_from_db()
    assert run.state == "running"


def test_what_comes_after_a_period_was_closed_counts_in_the_next(clock):
    clock.move_to(datetime(2026, 3, 31, 20, tzinfo=UTC))
    silent, stored, begun = RunFactory(), RunFactory(), RunFactory()
    team_ids = [run.project.team_id for run in (silent, stored, begun)]
    clock.shift(3600)
    beat(silent)
    run_meter()
    clock.move_to(datetime(2026, 4, 1, 8, tzinfo=UTC))
    for run in (silent, stored, begun):
        close(run, month_of(MARCH))
    before = {run.pk: seconds(team_id=run.project.team_id) for run in (silent, stored, begun)}
    assert before == {silent.pk: 3600, stored.pk: 0, begun.pk: 0}
    ByteEntry.objects.create(
        at=datetime(2026, 3, 31, 23, tzinfo=UTC), team_id=team_ids[1], delta_bytes=1000, category="file"
    )
    for run in (silent, stored, begun):
        finish(run)
    run_meter()
    march = UsageDay.objects.filter(team_id__in=team_ids, day__lt=APRIL)
    assert sum(march.values_list("tracked_s", flat=True)) == 3600
    assert sum(march.values_list("delta_bytes", flat=True)) == 0
    april = UsageDay.objects.filter(day__gte=APRIL)
    assert sum(april.values_list("tracked_s", flat=True)) == 3 * 12 * 3600 - 3600
    assert set(april.values_list("day", flat=True)) == {APRIL}
    expected = table()
    rebuild()
    assert table() == expected


def test_a_period_is_not_settled_before_its_end(clock):
    run = RunFactory()
    with pytest.raises(ValueError, match="ends on 2026-04-01"):
        settle(subscription_of_team(run.project.team), month_of(MARCH))


def test_settling_counts_only_its_payers_use(clock):
    one, other = RunFactory(), RunFactory()
    clock.move_to(datetime(2026, 4, 2, tzinfo=UTC))
    beat(one)
    beat(other)
    close(one, month_of(MARCH))
    assert {row.team_id for row in UsageDay.objects.all()} == {one.project.team_id}


def entry(team_id: int, at: datetime, delta: int) -> None:
    ByteEntry.objects.create(team_id=team_id, at=at, delta_bytes=delta, category="file")


def test_openings_are_written_late_too_and_late_entries_change_them(clock):
    entry(1, BEGIN, 500)
    run_meter()
    clock.move_to(datetime(2026, 6, 20, tzinfo=UTC))  # the meter stood still over three months' begins
    run_meter()
    openings = UsageDay.objects.exclude(opening_bytes=0)
    assert dict(openings.values_list("day", "opening_bytes")) == {date(2026, m, 1): 500 for m in (4, 5, 6)}
    entry(1, datetime(2026, 4, 20, tzinfo=UTC), 70)
    run_meter()
    found = {date(2026, 4, 1): 500, date(2026, 5, 1): 570, date(2026, 6, 1): 570}
    assert dict(openings.values_list("day", "opening_bytes")) == found
    before = table()
    rebuild()
    assert table() == before
    for month in (3, 4, 5, 6):
        period = month_of(date(2026, month, 1))
        until = min(period.ends_at, timezone.now())
        assert use_by([1], period)[()].byte_seconds == byte_seconds(1, period.starts_at, until)


@pytest.mark.parametrize("anchor_day", [1, 15, 28])
def test_what_was_held_is_read_as_from_the_ledger(clock, anchor_day):
    """Periods from the middle of a month to that of the next, until any day of it, are sums over the ledger."""
    at = datetime(2026, 2, 3, 4, 5, 6, 700_000, UTC)
    for number in range(60):
        entry(1, at + timedelta(hours=37.3 * number), (-1) ** number * 1000 + 17 * number)
    clock.move_to(datetime(2026, 4, 20, 7, 30, 1, 500_000, UTC))
    run_meter()
    for month in (2, 3, 4):
        period = Period(date(2026, month, anchor_day), date(2026, month + 1, anchor_day))
        borders = [period.starts_at + timedelta(days=days) for days in range(period.days + 1)]
        for until in [*(one for one in borders if one <= timezone.now()), None]:
            found = use_by([1], period, until)[()]
            to = until or max(period.starts_at, min(period.ends_at, timezone.now()))
            assert found.byte_seconds == byte_seconds(1, period.starts_at, to)
            assert found.held_bytes == sum(
                row.delta_bytes for row in ByteEntry.objects.filter(at__lt=min(to, timezone.now()))
            )


def test_trace_data_counts_once_by_its_token(clock):
    def taken(size_bytes: int, token: str, at: datetime | None = None) -> bool:
        return record_ingestion(team_id=1, project_id=2, user_id=3, size_bytes=size_bytes, token=token, at=at)

    assert taken(100, "a")
    assert not taken(100, "a")
    assert taken(5, "b", at=BEGIN - timedelta(days=1))
    run_meter()
    run_meter()
    assert dict(UsageDay.objects.values_list("day", "ingested_bytes")) == {
        BEGIN.date(): 100,
        BEGIN.date() - timedelta(days=1): 5,
    }
    for size_bytes, token in ((-1, "c"), (1, ""), (1, "x" * 65)):
        with pytest.raises(Invalid):
            taken(size_bytes, token)
    assert IngestionEntry.objects.count() == 2


def test_hardware_is_added_to_the_day_of_its_samples(clock):
    of = {"team_id": 1, "project_id": 2, "user_id": None, "run_id": 3, "day": MARCH}
    HardwareUse.objects.create(**of, gpu_s=60, energy_j=900, row_from=0, row_to=4)
    HardwareUse.objects.create(**of, gpu_s=15, energy_j=200, row_from=4, row_to=5)
    run_meter()
    row = UsageDay.objects.get()
    assert (row.day, row.user_id, row.gpu_s, row.energy_j) == (MARCH, 0, 75, 1100)
    rebuild()
    assert UsageDay.objects.get().gpu_s == 75


def test_chunks_are_counted_in_a_fixed_number_of_statements(clock, monkeypatch):
    def asked(count: int) -> int:
        for number in range(count):
            entry(number, BEGIN, 1)
        TrackedInterval.objects.bulk_create(
            TrackedInterval(
                team_id=1, project_id=1, run_id=number, began_at=BEGIN, ended_at=BEGIN + timedelta(days=3),
                not_before=BEGIN, counted_to=BEGIN,
            )
            for number in range(count)
        )  # fmt: skip
        with CaptureQueriesContext(connection) as queries:
            run_meter()
        return len(queries)

    asked(2)
    assert asked(5) == asked(40)
    monkeypatch.setattr(counting, "ENTRIES_AT_ONCE", 7)
    monkeypatch.setattr(counting, "INTERVALS_AT_ONCE", 7)
    asked(40)
    assert not ByteEntry.objects.filter(is_metered=False).exists()
    assert not TrackedInterval.objects.filter(counting.UNCOUNTED).exists()
    assert seconds() == (2 + 5 + 40 + 40) * 3 * 86_400


def test_the_meter_says_how_far_it_came_and_survives_a_clock_that_was_ahead(clock):
    assert run_meter() == BEGIN
    assert run_meter(BEGIN - timedelta(hours=1)) == BEGIN  # another one was faster
    assert run_meter(BEGIN + timedelta(days=400)) == BEGIN + timedelta(days=400)
    assert run_meter() == BEGIN
    assert MeterState.objects.get().metered_at == BEGIN


def test_rebuilding_goes_by_teams_and_tells_how_far_it_is(clock, monkeypatch, capsys):
    runs = [RunFactory() for _ in range(5)]
    clock.shift(60)
    for run in runs:
        finish(run)
    run_meter()
    before = table()
    UsageDay.objects.filter(team_id=runs[0].project.team_id).delete()
    UsageDay.objects.update(tracked_s=1)
    monkeypatch.setattr(rebuilding, "ROWS_AT_ONCE", 3)
    call_command("rebuild_usage")
    assert table() == before
    out, err = capsys.readouterr()
    assert json.loads(out)["teams"] == 5
    assert "5 of 5 teams" in err


def test_runs_that_were_there_before_billing_get_their_hours(clock):
    """An existing installation: running, ended, crashed, resumed and synced runs."""
    ended, crashed, going, away = (RunFactory() for _ in range(4))
    idle = RunFactory()
    clock.shift(100)
    finish(ended)
    finish(away, clock_s=5000)
    preempt(idle)
    beat(crashed)
    beat(going)
    clock.shift(1000)
    beat(going)
    beat(idle)
    lifecycle.find_crashed_runs()
    RunFactory(project=ended.project, uid=ended.uid, user=ended.user)
    clock.shift(10)
    finish(ended)
    beat(going)
    run_meter()
    expected = metered()
    assert sum(expected.values()) == 110 + 100 + 1110 + 5000 + 100
    for model in (TrackedInterval, ReportedTime, UsageDay, MeterState):
        model.objects.all().delete()
    assert backfill() == 5
    assert backfill() == 0
    run_meter()
    assert metered() == expected
    clock.shift(10)
    beat(going)
    assert seconds() == sum(expected.values()) + 10


def test_use_of_an_organization_is_that_of_its_teams(clock):
    run = RunFactory()
    record_bytes(team_id=run.project.team_id, project_id=run.project_id, category="file", delta_bytes=10)
    RunFactory()
    clock.shift(60)
    beat(run)
    run_meter()
    use = use_of(subscription_of_team(run.project.team), month_of(MARCH))
    assert (use.tracked_s, use.held_bytes, use.byte_seconds) == (60, 10, 600)
    assert Pulse.objects.count() == 2


def test_what_a_merged_account_used_is_the_other_accounts(clock):
    """Teams keep their hours; people are one from then on, and storage that goes away does so where it came."""
    run = RunFactory()
    record_bytes(
        team_id=run.project.team_id, project_id=run.project_id, run_id=run.pk, category="file", delta_bytes=10
    )
    ByteEntry.objects.update(user_id=run.user_id)
    other = RunFactory(project=run.project)
    clock.shift(60)
    for one in (run, other):
        beat(one)
    run_meter()
    clock.shift(60)
    merge_accounts(actor=SYSTEM, source=run.user, target=other.user, typed=run.user.username)
    for one in (run, other):
        finish(one)
    run_meter()
    (row,) = UsageDay.objects.all()
    assert (row.user_id, row.tracked_s, row.delta_bytes) == (other.user_id, 240, 10)
    before = table()
    rebuild()
    assert table() == before
