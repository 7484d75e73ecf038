"""BIL-4: what the meter does at the edges: clocks that are set back, months that it missed, runs that wait."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.db.models import F, Q

from access.actor import SYSTEM
from billing.subscriptions.selectors import subscription_of_team
from runs.lifecycle import services as lifecycle
from runs.models import Run
from tests.factories import ProjectFactory, RunFactory, UserFactory
from usage.metering import counting
from usage.metering.meter import run_meter
from usage.models import ReportedTime, TrackedInterval, UsageDay
from usage.periods import month_of
from usage.tests.by_days import use_by
from usage.tests.lives import byte_seconds, settle
from usage.tests.test_metering import beat, close, entry, finish, preempt, seconds, told

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 3, 10, 12, tzinfo=UTC)
MARCH, APRIL, MAY = (month_of(date(2026, month, 1)) for month in (3, 4, 5))


@pytest.fixture
def clock():
    with time_machine.travel(BEGIN, tick=False) as traveller:
        yield traveller


@pytest.mark.parametrize("scope", [counting.EVERYTHING, Q(team_id__in=[1, 2])])
def test_the_meter_finds_what_is_uncounted_by_an_index_of_nothing_else(scope):
    """BIL-4: intervals are kept for ever, and are looked for every minute."""
    of = {"team_id": 1, "project_id": 1, "began_at": BEGIN, "not_before": BEGIN, "ended_at": BEGIN}
    TrackedInterval.objects.bulk_create(
        TrackedInterval(**of, run_id=number, counted_to=BEGIN) for number in range(5000)
    )
    TrackedInterval.objects.filter(run_id=4000).update(ended_at=None)
    plan = counting.uncounted_intervals(scope, 0)[: counting.INTERVALS_AT_ONCE].explain()
    assert "billing_interval_uncounted" in plan, plan


def test_a_closed_period_of_a_personal_entity_stays_closed_too(clock):
    """BIL-4, BIL-5."""
    user = UserFactory()
    run = RunFactory(project=ProjectFactory(team=user.memberships.get().team), user=user)
    clock.move_to(APRIL.starts_at + timedelta(hours=8))
    close(run, MARCH)
    entry(run.project.team_id, MARCH.ends_at - timedelta(hours=1), 1000)
    finish(run)
    run_meter()
    assert set(UsageDay.objects.values_list("day", flat=True)) == {APRIL.start}


def test_a_closing_opens_all_months_at_which_the_meter_stood_still(clock):
    """BIL-4, BIL-5: a period is charged what the ledger says, though no meter ran since the one before it."""
    run = RunFactory()
    team = run.project.team
    entry(team.pk, BEGIN, 500)
    run_meter()
    clock.move_to(MAY.ends_at + timedelta(hours=8))
    settle(subscription_of_team(team), MAY)
    found = use_by([team.pk], MAY, MAY.ends_at)[()].byte_seconds
    assert found == byte_seconds(team.pk, MAY.starts_at, MAY.ends_at) == 500 * MAY.seconds


def test_a_run_that_ends_on_a_clock_that_was_set_back_ends_where_it_was_counted_to(clock):
    """BIL-4: else the meter would look at it for ever."""
    run = RunFactory()
    clock.shift(3600)
    beat(run)
    run_meter()
    clock.shift(-1800)
    finish(run)
    assert seconds() == 3600
    assert TrackedInterval.objects.get().ended_at == BEGIN + timedelta(hours=1)
    assert not TrackedInterval.objects.exclude(ended_at=F("counted_to")).exists()


def test_a_run_under_way_counts_no_further_than_the_present(clock):
    """BIL-4: its last heartbeat lies ahead, since the clock was set back."""
    run = RunFactory()
    clock.shift(3600)
    beat(run)
    clock.shift(-3000)
    assert seconds() == 600
    clock.shift(3000)
    assert seconds() == 3600


def test_a_preempted_run_counts_its_own_clock_at_once(clock):
    """BIL-4: it may never come back."""
    run = RunFactory()
    beat(run, summary=told(500))
    clock.shift(100)
    preempt(run)
    clock.shift(1000)
    lifecycle.find_crashed_runs()
    assert Run.objects.get().state == "preempted"
    assert ReportedTime.objects.get().seconds == 400


def test_a_run_that_waits_counts_its_own_clock_only_when_it_ends(clock):
    """BIL-4."""
    run = RunFactory()
    clock.shift(100)
    finish(run, clock_s=100, exit_code=1)
    beat(run, summary=told(500))
    lifecycle.change_state(actor=SYSTEM, run=run, state="pending")
    assert not ReportedTime.objects.exists()
    finish(run, clock_s=500)
    assert ReportedTime.objects.get().seconds == 400
