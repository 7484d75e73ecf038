"""BIL-4, BIL-5: sums that the database makes equal those that are made day by day."""

import random
from datetime import UTC, date, datetime

import pytest

from usage.models import UsageDay
from usage.periods import Period, month_of, months_between, period_of
from usage.reports import sums
from usage.reports.usage_totals import UsageTotals
from usage.tests.by_days import use_by
from usage.tests.usage_rows import days, metered, noon

TEAMS = [1, 2, 3]


@pytest.fixture
def ledger(db: None) -> None:
    """Four months of changes: bytes come and go at any second of a day."""
    source = random.Random(7)
    for day in days(date(2026, 1, 10), 110):
        for team in TEAMS:
            for user in (0, 5):
                if source.random() < 0.4:
                    delta = source.randint(-(10**9), 2 * 10**12)
                    UsageDay.objects.create(
                        team_id=team, project_id=team * 10, user_id=user, day=day, delta_bytes=delta,
                        byte_seconds=delta * source.randint(0, 86_400), tracked_s=source.randint(0, 90_000),
                        ingested_bytes=source.randint(0, 10**9), gpu_s=source.randint(0, 10**5),
                        energy_j=source.randint(0, 10**7),
                    )  # fmt: skip
    metered(datetime(2026, 4, 20, 9, 30, 15, tzinfo=UTC))


PERIODS = [
    period_of(date(2026, 2, 3)), period_of(date(2026, 4, 3)), period_of(date(2026, 3, 3), 17),
    period_of(date(2026, 4, 3), 28), Period(date(2025, 12, 1), date(2026, 1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("period", PERIODS, ids=str)
@pytest.mark.parametrize("by", [(), ("team_id",), ("user_id",), ("team_id", "user_id")], ids=str)
def test_sums_of_a_period_equal_those_by_day(ledger: None, period: Period, by: tuple[str, ...]) -> None:
    """BIL-4: exact to the byte-second, for calendar months, other anchors, and periods under way."""
    for until in (period.ends_at, noon(period.start), noon(date(2026, 4, 20))):
        until = max(period.starts_at, min(until, period.ends_at))  # noqa: PLW2901
        expected = use_by(TEAMS, period, until, by)
        found = sums.use_by_key(sums.LedgerFilter(TEAMS), period, until, *by)
        assert {key: use for key, use in found.items() if use != UsageTotals()} == {
            key: use for key, use in expected.items() if use != UsageTotals()
        }


def test_sums_of_months_equal_those_of_each(ledger: None) -> None:
    """BIL-5: the overview of a year is its months."""
    until = datetime(2026, 4, 20, 9, 30, 15, tzinfo=UTC)
    months = list(months_between(date(2026, 1, 1), date(2026, 4, 1)))
    found = sums.use_by_month(sums.LedgerFilter(TEAMS), months, until, "team_id")
    for month in months:
        expected = use_by(TEAMS, month, min(until, month.ends_at), ("team_id",))
        for (team,), use in expected.items():
            assert found[month.start, team] == use


def test_days_add_up_to_their_period(ledger: None) -> None:
    """BIL-5: days by day are the period; the last day counts as far as it was metered."""
    until, period = datetime(2026, 4, 20, 9, 30, 15, tzinfo=UTC), month_of(date(2026, 4, 1))
    by_day = sums.use_by_day(sums.LedgerFilter(TEAMS), period, until)
    whole = sums.use_by_key(sums.LedgerFilter(TEAMS), period, until)[()]
    assert len(by_day) == 20
    assert sum(use.byte_seconds for use in by_day.values()) == whole.byte_seconds
    assert sum(use.tracked_s for use in by_day.values()) == whole.tracked_s
    assert by_day[date(2026, 4, 20)].held_bytes == whole.held_bytes


def test_a_chart_s_levels_end_at_what_is_held(ledger: None) -> None:
    """BIL-5: columns of storage start from what was held before the period."""
    period = period_of(date(2026, 3, 3), 17)
    found = sums.by_day(
        sums.LedgerFilter(TEAMS), period, period.ends_at, "delta_bytes", by="team_id", keys=[1]
    )
    use = use_by(TEAMS, period, period.ends_at, ("team_id",))
    assert sum(value for (_day, key), value in found.items() if key == 1) == use[1,].held_bytes
    others = sum(value for (_day, key), value in found.items() if key == sums.OTHERS)
    assert others == use[2,].held_bytes + use[3,].held_bytes


def test_one_team_of_many_is_only_one_of_them(db: None) -> None:
    """BIL-5: an address that names a foreign team reads nothing."""
    assert sums.within([1, 2], 2) == [2]
    assert sums.within([1, 2], 9) == []
