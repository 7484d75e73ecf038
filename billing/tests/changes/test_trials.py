"""TEAM-12: a plan may be a trial, with an end; then the plan of before comes back, and nothing is deleted."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import User
from billing.changes import services as changes
from billing.changes import trials
from billing.changes.assignments import assign_plan
from billing.invoices import closing
from billing.invoices import mails as invoice_mails
from billing.models import Invoice, Plan, Subscription
from billing.plans import services as plans
from billing.plans.pricing import recurring_usd
from billing.subscriptions.selectors import subscription_of, subscription_of_team
from billing.tests.used import metered, used
from common.errors import Conflict, Forbidden, Invalid
from teams.models import Organization
from tests.factories import OrganizationFactory, TeamFactory, UserFactory, actor, delivered
from tests.plans import offer_plans

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
ENDS = datetime(2026, 4, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    cache.clear()
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def acme(ada: User) -> Organization:
    """An organization on Free."""
    offer_plans()
    organization: Organization = OrganizationFactory(name="acme", admin=ada)
    Subscription.objects.filter(organization=organization).update(plan=Plan.objects.get(key="free"))
    return organization


@pytest.fixture
def trial(acme: Organization) -> Subscription:
    """Pro for 30 days."""
    pro = Plan.objects.get(key="pro")
    return trials.start_trial(actor=SYSTEM, subscription=subscription_of(acme), plan=pro, ends_at=ENDS)


def test_it_holds_at_once_and_the_plan_of_before_comes_back(
    clock: Any, acme: Organization, trial: Subscription
):
    assert (trial.plan.key, trial.trial_then and trial.trial_then.key) == ("pro", "free")
    clock.move_to(ENDS - timedelta(seconds=1))
    trials.process_due()
    assert subscription_of(acme).plan.key == "pro"
    clock.move_to(ENDS)
    assert trials.process_due() == 1
    row = subscription_of(acme)
    assert (row.plan.key, row.trial_ends_at, row.trial_then, row.trial_told_days) == (
        "free",
        None,
        None,
        None,
    )
    assert row.former_plans.count() == 0, "a trial is not to be had again for nothing"
    assert trials.process_due() == 0
    entries = AuditEntry.objects.filter(action__startswith="subscription.trial").order_by("pk")
    assert [(entry.action, entry.before["plan"], entry.after["plan"]) for entry in entries] == [
        ("subscription.trial", "free", "pro"), ("subscription.trial_end", "pro", "free"),
    ]  # fmt: skip


def test_mails_come_a_week_and_a_day_before_and_at_the_end_once_each(
    clock: Any, ada: User, acme: Organization, trial: Subscription
):
    for days in range(31):
        clock.move_to(NOW + timedelta(days=days))
        trials.process_due()
        trials.process_due()
        delivered()  # what waits for days is given up
    assert [(letter.to[0], letter.subject) for letter in delivered()] == [
        (ada.email, "acme: the trial of Pro ends on April 8, 2026"),
        (ada.email, "acme: the trial of Pro ends on April 8, 2026"),
        (ada.email, "acme: the trial of Pro has ended"),
    ]
    assert "After that, the plan is Free. Nothing is deleted" in delivered()[0].body


def test_a_beat_that_was_missed_tells_only_of_what_still_holds(
    clock: Any, acme: Organization, trial: Subscription
):
    clock.move_to(ENDS - timedelta(hours=3))
    assert (trials.process_due(), trials.process_due(), len(delivered())) == (1, 0, 1)
    clock.move_to(ENDS + timedelta(days=40))
    assert (trials.process_due(), trials.process_due()) == (1, 0)
    assert len(delivered()) == 2


def test_one_that_fails_holds_up_no_other_and_is_tried_again(
    clock: Any, ada: User, acme: Organization, trial: Subscription, monkeypatch: pytest.MonkeyPatch
):
    lab = OrganizationFactory(name="other", admin=ada)
    other = subscription_of(lab)
    trials.start_trial(actor=SYSTEM, subscription=other, plan=trial.plan, ends_at=ENDS)
    tell = invoice_mails.mail_trial_ended

    def breaks(row: Subscription, plan: Plan) -> None:
        if row.pk == trial.pk:
            raise LookupError("killed")
        tell(row, plan)

    clock.move_to(ENDS)
    with monkeypatch.context() as patch:
        patch.setattr(trials, "mail_trial_ended", breaks)
        assert trials.process_due() == 1
    assert [subscription_of(row).plan.key for row in (acme, lab)] == ["pro", "self-hosted"]
    assert trials.process_due() == 1
    assert subscription_of(acme).plan.key == "free"


def test_it_costs_nothing_neither_the_plan_nor_use_above_it(
    clock: Any, acme: Organization, trial: Subscription
):
    team = TeamFactory(organization=acme)
    used(team, NOW.date(), hours=900)
    assert recurring_usd(subscription_of(acme)) == Decimal(0)
    clock.move_to(datetime(2026, 4, 2, tzinfo=UTC))
    metered(datetime(2026, 4, 1, tzinfo=UTC))
    closing.close_due()
    assert subscription_of(acme).closed_to is not None
    assert not Invoice.objects.exists()
    clock.move_to(datetime(2026, 5, 2, tzinfo=UTC))
    trials.process_due()
    closing.close_due()
    assert not Invoice.objects.exists()


def test_who_chooses_the_plan_meanwhile_keeps_it(
    clock: Any, ada: User, acme: Organization, trial: Subscription
):
    pro = Plan.objects.get(key="pro")
    summary = changes.preview_plan(actor=actor(ada), organization=acme, plan=pro)
    assert (summary.kind, summary.before.plan.key, summary.now_usd) == ("upgrade", "free", Decimal("42.58"))
    Plan.objects.filter(pk=pro.pk).update(price_usd=0, hour_price_usd=None, storage_price_usd=None,
                                          extra_storage_price_usd=None, ingestion_price_usd=None)  # fmt: skip
    pro.refresh_from_db()
    summary = changes.preview_plan(actor=actor(ada), organization=acme, plan=pro)
    changes.change_plan(actor=actor(ada), organization=acme, plan=pro, confirm=summary.confirm)
    row = subscription_of(acme)
    assert (row.plan.key, row.is_trial) == ("pro", False)
    assert row.former_plans.count() == 0
    with pytest.raises(changes.NothingToChange):
        changes.preview_plan(actor=actor(ada), organization=acme, plan=pro)
    clock.move_to(ENDS)
    assert trials.process_due() == 0


def test_nothing_is_bought_or_cancelled_in_a_trial(ada: User, acme: Organization, trial: Subscription):
    with pytest.raises(Conflict, match="during a trial"):
        changes.preview_storage(actor=actor(ada), organization=acme, extra_gb=10)
    with pytest.raises(Conflict, match="ends automatically"):
        changes.preview_cancel(actor=actor(ada), organization=acme)


def test_a_plan_that_an_operator_gives_ends_the_trial(acme: Organization, trial: Subscription):
    assign_plan(actor=SYSTEM, subscription=trial, plan=Plan.objects.get(key="pro"))
    row = subscription_of(acme)
    assert (row.plan.key, row.is_trial) == ("pro", False)


def test_it_can_be_made_longer_and_the_plan_after_it_stays(acme: Organization, trial: Subscription):
    later = ENDS + timedelta(days=10)
    row = trials.start_trial(actor=SYSTEM, subscription=trial, plan=trial.plan, ends_at=later)
    assert (row.trial_ends_at, row.trial_then and row.trial_then.key) == (later, "free")


def test_wrong_ones_are_refused(ada: User, acme: Organization):
    row, pro = subscription_of(acme), Plan.objects.get(key="pro")
    with pytest.raises(Invalid):
        trials.start_trial(actor=SYSTEM, subscription=row, plan=pro, ends_at=NOW)
    with pytest.raises(Forbidden):
        trials.start_trial(actor=actor(ada), subscription=row, plan=pro, ends_at=ENDS)


def test_a_default_plan_with_trial_days_is_a_trial_of_new_ones(clock: Any):
    """Plan data: an organization, and a person, may start with a trial."""
    offer_plans()
    pro = Plan.objects.get(key="pro")
    pro.is_default, pro.is_personal_default, pro.trial_days = True, True, 14
    plans.save_plan(actor=SYSTEM, plan=pro)
    user = UserFactory()
    organization = OrganizationFactory(admin=user)
    for row in (subscription_of(organization), subscription_of_team(user.claim.team)):
        assert row.trial_ends_at == NOW + timedelta(days=14)
        assert (row.plan.key, row.trial_then and row.trial_then.key) == ("pro", "free")
    clock.move_to(NOW + timedelta(days=14))
    assert trials.process_due() == 2


def test_admins_see_how_long_it_goes_on(client: Client, ada: User, acme: Organization, trial: Subscription):
    client.force_login(ada)
    text = client.get(reverse("billing:overview", args=["acme"])).content.decode()
    assert "Trial: 30 days left. After that, the plan is Free. Nothing is deleted." in text
    assert "$60.00" not in text
    compared = client.get(reverse("billing:plans", args=["acme"])).content.decode()
    assert f"{reverse('billing:change', args=['acme'])}?plan=pro" in compared


def test_operators_give_one_in_the_admin(client: Client, acme: Organization):
    """TEAM-12, TEAM-21."""
    boss = UserFactory(username="boss", is_operator=True)
    client.force_login(boss)
    row = subscription_of(acme)
    path = reverse("admin:billing_subscription_act", args=[row.pk, "trial"])
    assert b"Start a trial" in client.get(path).content
    body = {"plan": Plan.objects.get(key="pro").pk, "ends_on": "2026-04-08", "reason": "asked for"}
    client.post(path, body)
    row = subscription_of(acme)
    assert (row.plan.key, row.trial_ends_at) == ("pro", ENDS)
