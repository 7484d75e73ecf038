"""BIL-5: tiles of plan usage and what a period will come to."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.template.loader import render_to_string

from billing.models import Plan, Subscription
from billing.overview.projection import Projection, project_period
from billing.overview.tiles import tiles_of
from billing.plans.catalogue import ensure_plans
from billing.subscriptions.selectors import subscription_of
from billing.subscriptions.usage import use_of
from teams.models import Team
from tests.factories import TeamFactory
from usage.formatting import amount, money, unit_price, with_unit
from usage.models import IngestionEntry
from usage.periods import period_at
from usage.reports.usage_totals import until_of
from usage.templatetags.usage import tick
from usage.tests.usage_rows import metered, used
from usage.units import DAY_S

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 11, tzinfo=UTC)
"""Ten of 31 days have passed."""


@pytest.fixture
def team() -> Team:
    return TeamFactory()


@pytest.fixture
def pro(team: Team) -> Subscription:
    ensure_plans()
    IngestionEntry.objects.create(team_id=team.pk, size_bytes=0, token="traces")
    assert team.organization is not None
    row = subscription_of(team.organization)
    row.plan = Plan.objects.get(key="pro")  # 500 h at $0.10, 100 GB at $0.03, 10 GB at $0.10
    row.save()
    return row


def test_hours_go_on_in_a_straight_line(team: Team, pro: Subscription) -> None:
    """BIL-5: 300 h in ten days are 930 h in 31, of which 430 h cost $43."""
    used(team, date(2026, 5, 4), hours=300)
    metered(NOW)
    tile = tiles_of(pro, NOW)[0]
    assert [tile.used, tile.above, tile.percent, tile.level] == [300, 0, 60, "ok"]
    assert [tile.projected, tile.projected_usd, tile.amount_usd] == [930, Decimal("43.00"), 0]


def test_storage_stays_at_what_is_held_now(team: Team, pro: Subscription) -> None:
    """BIL-5: 124 GB since the begin of the eleventh day are 84 GB on average over the period."""
    used(team, date(2026, 5, 10), gb=124, held_s=0)
    metered(NOW)
    tile = tiles_of(pro, NOW)[1]
    assert [tile.used, tile.mean, tile.above, tile.percent, tile.level] == [124, 0, 24, 124, "over"]
    assert tile.projected == 84
    assert tile.projected_usd == 0
    assert (tile.bar.within, tile.bar.above, tile.bar.limit) == (80.65, 19.35, 80.65)  # type: ignore[union-attr]


def test_a_young_period_takes_the_pace_of_the_one_before(team: Team, pro: Subscription) -> None:
    """BIL-5: a run of an hour on the first morning is not 700 h."""
    used(team, date(2026, 4, 10), hours=300)
    used(team, date(2026, 5, 1), hours=2)
    at = datetime(2026, 5, 2, tzinfo=UTC)
    metered(at)
    tile = tiles_of(pro, at)[0]
    assert tile.by_previous
    assert round(tile.projected, 3) == 302  # 2 h, and 30 days of 10 h
    metered(NOW)
    assert not tiles_of(pro, NOW)[0].by_previous


@pytest.mark.parametrize(("minutes", "expected"), [(30, 1), (60, 744)])
def test_without_one_before_a_first_hour_says_nothing(
    team: Team, pro: Subscription, minutes: int, expected: int
) -> None:
    """BIL-5: falls back sensibly."""
    used(team, date(2026, 5, 1), hours=1)
    at = datetime(2026, 5, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    metered(at)
    assert tiles_of(pro, at)[0].projected == expected


def projection_of(subscription: Subscription, now: datetime) -> Projection:
    period = period_at(now, subscription.anchor_day)
    until = until_of(period)
    return project_period(subscription, period, use_of(subscription, period, until), until)


def test_the_whole_period_is_estimated(team: Team, pro: Subscription, django_assert_num_queries: Any) -> None:
    """BIL-5: plan and overage, in two queries."""
    used(team, date(2026, 5, 1), hours=300, ingested_gb=5)
    metered(NOW)
    with django_assert_num_queries(2):
        found = projection_of(pro, NOW)
    assert [str(usd) for usd in (found.recurring_usd, found.overage_usd, found.total_usd)] == [
        "60.00", "43.55", "103.55"
    ]  # fmt: skip
    with django_assert_num_queries(3):
        tiles_of(pro, NOW)


def test_a_limit_of_nothing_and_no_limit(team: Team, pro: Subscription) -> None:
    """BIL-5: a plan without a limit has no bar; one that includes nothing is full."""
    pro.plan.included_hours = None
    pro.plan.included_ingestion_gb = 0
    used(team, date(2026, 5, 1), hours=30)
    metered(NOW)
    hours, _storage, traces = tiles_of(pro, NOW)
    assert (hours.bar, hours.percent, hours.level) == (None, None, "free")
    assert (traces.percent, traces.level) == (100, "near")
    assert "without limit" in render_to_string("billing/overview/tile.html", {"tile": hours})


def test_what_is_included_by_days_is_told_where_it_is_not_the_plan_s(team: Team, pro: Subscription) -> None:
    """BIL-2, BIL-8: 10 of 31 days had 250 h; the bar of storage is of what may be held now."""
    pro.earlier_terms = [{"until": "2026-05-11", "hours": 250, "storage": 50, "ingestion": 10}]
    used(team, date(2026, 5, 1), hours=30)
    metered(NOW)
    hours, storage, traces = tiles_of(pro, NOW)
    assert (hours.included, hours.by_days) == (Decimal("419.35"), Decimal("419.35"))
    assert (storage.included, storage.by_days, traces.by_days) == (Decimal(100), Decimal("83.87"), None)
    assert "Included, by days" in render_to_string("billing/overview/tile.html", {"tile": storage})


def test_a_tile_says_what_is_above_and_since_when_it_counts(team: Team, pro: Subscription) -> None:
    """BIL-5: used, included, overage and charge, the estimate, and how far the meter came."""
    used(team, date(2026, 5, 1), hours=612, held_s=DAY_S)
    metered(NOW)
    with time_machine.travel(datetime(2026, 5, 11, 0, 4, tzinfo=UTC), tick=False):
        html = render_to_string("billing/overview/tile.html", {"tile": tiles_of(pro, NOW)[0]})
    for words in (
        "122%", "of 500 h included", "112 h", "$11.20 so far", "$0.10 per additional h", "1,897", "$139.72",
        "4 minutes ago", "Estimated", "View usage", "/billing/usage?category=hours", "/billing/usage.csv",
    ):  # fmt: skip
        assert words in html, words


def test_a_personal_entity_has_tiles_without_pages(team: Team) -> None:
    """BIL-4, BIL-5: the account's own allowance."""
    person = Team.objects.filter(kind="personal").first()
    assert person is not None
    own = Subscription.objects.select_related("plan", "organization", "team").get(team=person)
    metered_at = datetime(2026, 5, 2, tzinfo=UTC)
    used(person, date(2026, 5, 1), hours=1)
    metered(metered_at)
    assert [tile.usage_url for tile in tiles_of(own, metered_at)] == ["", ""]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("0.0004", "0.0004"),
        ("0.00001", "<0.0001"),
        ("0.04", "0.04"),
        ("3.274", "3.27"),
        ("41.75", "41.8"),
        ("1204.4", "1,204"),
    ],
)
def test_amounts_have_about_three_figures(value: str, text: str) -> None:
    """UI-7."""
    assert amount(Decimal(value)) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("0.02", "h", "1.20 min"),
        ("0.0001", "h", "0.36 s"),
        ("1", "h", "1 h"),
        ("0.005", "GB", "5 MB"),
        ("0.00000046", "GB", "460 B"),
        ("0.0076", "kWh", "7.60 Wh"),
        ("0", "GB", "0 GB"),
        ("12.5", "GB", "12.5 GB"),
        ("7", "", "7"),
    ],
)
def test_what_is_less_than_one_has_a_smaller_unit(value: str, unit: str, text: str) -> None:
    """UI-7: not 0.02 h."""
    assert with_unit(Decimal(value), unit) == text


def test_money_has_its_currency() -> None:
    """UI-7: dollars by their sign, others by their code."""
    assert money(Decimal("1204.5")) == "$1,204.50"
    assert money(Decimal(-3), "EUR") == "−3.00 EUR"
    assert unit_price(Decimal("0.0250")) == "$0.025"
    assert unit_price(Decimal("60.0000"), "EUR") == "60.00 EUR"
    assert [tick(Decimal(text)) for text in ("1E+3", "0.250", "5")] == ["1,000", "0.25", "5"]
