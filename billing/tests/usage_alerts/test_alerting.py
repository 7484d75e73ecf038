"""Usage alerts: which, once each, in order, to whom, in which words (BIL-6)."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import override_settings

from access.actions import Preset
from accounts.models import User
from billing.invoices import closing
from billing.models import BillingAdmin, Plan, Subscription, UsageAlert
from billing.subscriptions.selectors import subscription_of_team
from billing.tests.used import holds, metered, payer, used
from billing.usage_alerts import mails as alert_mails
from billing.usage_alerts import services as usage_alerts
from teams.models import Team
from tests.factories import UserFactory, delivered, make_member
from tests.plans import offer_plans

BEGUN = datetime(2026, 11, 3, 12, tzinfo=UTC)
NOVEMBER = date(2026, 11, 1)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(time_machine):
    time_machine.move_to(BEGUN, tick=False)
    return time_machine


def look(clock, at: datetime) -> int:
    """Let the meter and the beat run at a time."""
    clock.move_to(at, tick=False)
    metered(at)
    return usage_alerts.check_usage()


def told() -> list[tuple[str, int]]:
    return list(UsageAlert.objects.order_by("pk").values_list("category", "threshold"))


def test_each_threshold_is_told_once_as_it_is_reached(clock):
    _subscription, team = payer(begun=BEGUN)
    steps = [(424.99, []), (0.01, [85]), (10, []), (64.9, []), (0.1, [100]), (100, [])]
    for number, (hours, expected) in enumerate(steps):
        day = date(2026, 11, 4) + timedelta(days=number)
        used(team, day, hours=hours)
        before = UsageAlert.objects.count()
        at = datetime(day.year, day.month, day.day, 23, tzinfo=UTC)
        assert look(clock, at) == len(expected)
        assert look(clock, at + timedelta(minutes=5)) == 0
        assert [threshold for _, threshold in told()[before:]] == expected


def test_a_jump_over_thresholds_tells_of_all_in_order(clock):
    _subscription, team = payer(name="acme", begun=BEGUN)
    used(team, date(2026, 11, 4), hours=600)
    used(team, date(2026, 11, 5), hours=8000)
    look(clock, datetime(2026, 11, 5, 12, tzinfo=UTC))
    assert told() == [("hours", 85), ("hours", 100), *(("charges", usd) for usd in (200, 450, 700))]
    assert [mail.subject for mail in delivered()] == [
        "acme: 85% of the tracked hours are used",
        "acme: the limit of tracked hours is reached",
        "acme: charges above the plan passed $200",
        "acme: charges above the plan passed $450",
        "acme: charges above the plan passed $700",
    ]


def test_a_payer_whose_mail_fails_holds_up_nobody(clock, monkeypatch, caplog):
    """BIL-6: it is logged, and told at the next look."""
    rows = [payer(name=name, begun=BEGUN) for name in ("broken", "fine")]
    for _subscription, team in rows:
        used(team, BEGUN.date(), hours=430)
    tell = alert_mails.mail_alert

    def breaks(alert, *given):
        if alert.subscription == rows[0][0]:
            raise LookupError("template")
        return tell(alert, *given)

    monkeypatch.setattr(alert_mails, "mail_alert", breaks)
    assert look(clock, BEGUN + timedelta(hours=1)) == 1
    assert "usage alerts of broken could not be sent" in caplog.text
    monkeypatch.setattr(alert_mails, "mail_alert", tell)
    assert look(clock, BEGUN + timedelta(hours=2)) == 1


def test_every_period_begins_anew(clock):
    _subscription, team = payer(begun=BEGUN)
    for month in (11, 12):
        used(team, date(2026, month, 10), hours=430)
        look(clock, datetime(2026, month, 10, 12, tzinfo=UTC))
        look(clock, datetime(2026, month, 20, 12, tzinfo=UTC))
    rows = UsageAlert.objects.order_by("pk").values_list("period_start", "threshold")
    assert list(rows) == [(NOVEMBER, 85), (date(2026, 12, 1), 85)]


def test_what_passed_in_the_last_hours_is_told_when_the_period_is_closed(clock):
    _subscription, team = payer(begun=BEGUN)
    look(clock, datetime(2026, 11, 30, 22, tzinfo=UTC))
    used(team, date(2026, 11, 30), hours=430)
    assert look(clock, datetime(2026, 12, 1, 1, tzinfo=UTC)) == 0
    for day in (1, 2):
        clock.move_to(datetime(2026, 12, day, 6, tzinfo=UTC), tick=False)
        closing.close_due()
    assert list(UsageAlert.objects.values_list("period_start", "threshold")) == [(NOVEMBER, 85)]


def test_storage_counts_as_held_now_and_its_charges_by_the_mean(clock):
    _subscription, team = payer(begun=BEGUN)
    holds(team, NOVEMBER, 16_000)
    look(clock, datetime(2026, 11, 8, 12, tzinfo=UTC))
    # a quarter of the month: a mean of 4,000 GB so far, 3,900 GB above 100 at $0.03
    assert told() == [("storage", 85), ("storage", 100)]
    look(clock, datetime(2026, 11, 16, tzinfo=UTC))
    assert told()[2:] == [("charges", 200)]


def test_charges_pass_a_threshold_when_they_are_more(clock):
    _subscription, team = payer(begun=BEGUN, plan="pro")
    used(team, date(2026, 11, 4), hours=2500)
    look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    assert ("charges", 200) not in told()
    used(team, date(2026, 11, 5), hours=0.1)
    look(clock, datetime(2026, 11, 5, 12, tzinfo=UTC))
    assert told()[-1] == ("charges", 200)


def test_a_higher_limit_in_mid_period_counts_from_then_on(clock):
    subscription, team = payer(begun=BEGUN)
    used(team, date(2026, 11, 4), hours=430)
    look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    larger = Plan.objects.create(
        key="team", name="Team", included_hours=1000, hour_price_usd=Decimal("0.10"), has_usage_alerts=True
    )
    Subscription.objects.filter(pk=subscription.pk).update(plan=larger)
    used(team, date(2026, 11, 5), hours=425)
    look(clock, datetime(2026, 11, 5, 12, tzinfo=UTC))  # 855 of 1,000: 85 % was told of before
    assert told() == [("hours", 85)]
    used(team, date(2026, 11, 6), hours=150)
    look(clock, datetime(2026, 11, 6, 12, tzinfo=UTC))
    assert told() == [("hours", 85), ("hours", 100)]


@pytest.mark.parametrize("plan", ["free", "academic", "self-hosted", "enterprise"])
def test_plans_without_the_switch_or_without_limits_tell_nothing(clock, plan):
    _subscription, team = payer(plan, begun=BEGUN)
    used(team, date(2026, 11, 4), hours=5000, ingested_gb=500)
    assert look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC)) == 0


def test_a_limit_of_nothing_is_reached_with_the_first_use(clock):
    Plan.objects.filter(key="pro").update(included_ingestion_gb=0)
    _subscription, team = payer(begun=BEGUN)
    assert look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC)) == 0
    used(team, date(2026, 11, 4), ingested_gb=0.001)
    look(clock, datetime(2026, 11, 4, 13, tzinfo=UTC))
    assert told() == [("ingestion", 85), ("ingestion", 100)]


@pytest.fixture
def people(clock) -> tuple[Subscription, Team, User, User]:
    """Return a payer, its team, its billing admin who reads Japanese, another admin who reads Korean."""
    offer_plans()
    billing_admin = UserFactory(username="ada")
    subscription, team = payer(name="acme", begun=BEGUN, admin=billing_admin)
    other = make_member(team, Preset.ORGANIZATION_ADMIN, username="ben")
    make_member(team, Preset.MEMBER, username="cleo")
    User.objects.filter(pk=billing_admin.pk).update(language="ja")
    User.objects.filter(pk=other.pk).update(language="ko")
    return subscription, team, billing_admin, other


def test_on_pro_only_billing_admins_are_told_and_how_to_raise_limits(clock, people):
    _subscription, team, billing_admin, _other = people
    User.objects.update(language="en")
    holds(team, NOVEMBER, 90)
    look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    (mail,) = delivered()
    assert mail.to == [billing_admin.email]
    assert UsageAlert.objects.get().recipients == ["ada"]
    assert "90 of 100 GB" in mail.body
    assert "As a billing admin" in mail.body
    assert "/organizations/acme/billing/storage" in mail.body
    assert "/organizations/acme/billing/plans" in mail.body
    assert "cannot be configured" in mail.body


def test_elsewhere_all_admins_are_told_and_those_without_the_right_whom_to_ask(clock, people):
    _subscription, team, billing_admin, other = people
    Plan.objects.filter(key="pro").update(alerts_billing_admin_only=False)
    User.objects.update(language="en")
    used(team, date(2026, 11, 4), hours=430)
    look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    mails = {mail.to[0]: mail.body for mail in delivered()}
    assert set(mails) == {billing_admin.email, other.email}
    assert "/organizations/acme/billing/plans" in mails[billing_admin.email]
    assert "/organizations/acme/billing/plans" not in mails[other.email]
    assert "Billing admins of acme can change the plan: ada." in mails[other.email]


def test_without_a_billing_admin_all_admins_are_told(clock, people):
    _subscription, team, billing_admin, other = people
    BillingAdmin.objects.all().delete()
    used(team, date(2026, 11, 4), hours=430)
    look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    assert {mail.to[0] for mail in delivered()} == {billing_admin.email, other.email}


def test_a_person_is_told_of_their_own_allowance(clock):
    person = UserFactory()
    team = Team.objects.get(claim=person.claim)
    Subscription.objects.filter(pk=subscription_of_team(team).pk).update(plan=Plan.objects.get(key="pro"))
    used(team, date(2026, 11, 4), hours=430)
    look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    (mail,) = delivered()
    assert mail.to == [person.email]
    assert "/settings/billing" in mail.body
    assert "ask an operator of this installation" in mail.body


@pytest.mark.parametrize(
    ("plan", "category", "enforced", "said"),
    [
        ({"hour_price_usd": None}, "hours", False, "at no extra cost"),
        ({}, "hours", False, "Each additional h costs $0.10"),
        ({}, "storage", True, "Each additional GB, averaged"),
        ({"storage_price_usd": None}, "storage", True, "blocked after 7 days"),
        ({"ingestion_price_usd": None}, "ingestion", True, "trace data is rejected"),
    ],
)
def test_the_mail_says_what_follows_above_the_limit(clock, plan, category, enforced, said):
    Plan.objects.filter(key="pro").update(**plan)
    _subscription, team = payer(begun=BEGUN)
    use = {"hours": {"hours": 430}, "ingestion": {"ingested_gb": 9}}.get(category)
    if use:
        used(team, date(2026, 11, 4), **use)
    else:
        holds(team, NOVEMBER, 90)
    with override_settings(ENFORCE_LIMITS=enforced):
        look(clock, datetime(2026, 11, 4, 12, tzinfo=UTC))
    assert said in " ".join(delivered()[0].body.split())


def test_looking_asks_little_however_many_pay(clock, django_assert_max_num_queries):
    for _number in range(5):
        _subscription, team = payer(begun=BEGUN)
        used(team, date(2026, 11, 4), hours=10)
    metered(BEGUN + timedelta(days=2))
    clock.move_to(BEGUN + timedelta(days=2), tick=False)
    with django_assert_max_num_queries(7):
        usage_alerts.check_usage()
