"""Changing plans and bought storage (BIL-8): what the summary says is what happens, to the cent and to the day."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from billing.changes import services
from billing.changes.assignments import assign_plan, assign_storage
from billing.changes.preview import ChangeKind
from billing.invoices.closing import close_all
from billing.invoices.drafts import quantity_text, recurring_drafts
from billing.invoices.issuing import issue
from billing.limits.selectors import LimitKind, limits_of
from billing.models import Invoice, InvoiceKind, InvoiceStatus, PaymentMethod, Plan, Subscription
from billing.subscriptions.selectors import subscription_of
from billing.tests.paying import payer, plan
from billing.tests.used import holds, metered
from common.errors import Conflict, Forbidden, Invalid, NotFound
from tests.factories import OrganizationFactory, TeamFactory, UserFactory, actor, delivered, make_member
from usage.periods import month_of

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
"""Nine of November's thirty days are left, this one included."""
BETTER = {"is_offered": True, "has_service_accounts": True, "has_usage_alerts": True}
"""What Pro has, and no limits."""


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def with_method(subscription: Subscription) -> None:
    PaymentMethod.objects.create(
        subscription=subscription,
        gateway="manual",
        ref=f"m{subscription.pk}",
        brand="bank transfer",
        is_default=True,
    )


@pytest.fixture
def free() -> Any:
    organization, who, subscription = payer("free", name="aurora")
    with_method(subscription)
    return organization, who, subscription


@pytest.fixture
def pro() -> Any:
    organization, who, subscription = payer("pro", name="aurora")
    with_method(subscription)
    return organization, who, subscription


def paid_ahead(subscription: Subscription) -> Invoice:
    """Issue what the end of October charged for November: the plan and the storage there are."""
    subscription.refresh_from_db()
    with transaction.atomic():
        drafts = recurring_drafts(subscription, month_of(NOW.date()))
        at = datetime(2026, 11, 1, 6, tzinfo=UTC)
        made = issue(subscription, InvoiceKind.PERIOD, month_of(date(2026, 10, 1)), drafts, at)
    assert made is not None
    return made


def included(subscription: Subscription, kind: LimitKind, at: datetime | None = None) -> Decimal | None:
    """Return what a limit is now, or at a time."""
    limit = limits_of(Subscription.objects.get(pk=subscription.pk), at).of(kind)
    assert limit is not None
    return limit.included


def go(organization: Any, who: Any, to: Plan) -> services.ChangeResult:
    summary = services.preview_plan(actor=who, organization=organization, plan=to)
    return services.change_plan(actor=who, organization=organization, plan=to, confirm=summary.confirm)


def buy(organization: Any, who: Any, gb: int) -> services.ChangeResult:
    summary = services.preview_storage(actor=who, organization=organization, extra_gb=gb)
    return services.buy_storage(actor=who, organization=organization, extra_gb=gb, confirm=summary.confirm)


def test_storage_for_a_part_of_a_period_is_counted_in_days(pro: Any, clock: Any):
    """BIL-10: what stands beside the price says how the amount came about, not 53.333333 GB."""
    organization, who, _subscription = pro
    clock.move_to(datetime(2026, 11, 23, 12, tzinfo=UTC))
    invoice = buy(organization, who, 200).invoice
    assert invoice is not None
    (line,) = invoice.lines.all()
    assert quantity_text(line) == "200 GB × 8 of 30 days"
    assert (line.quantity, line.amount_usd) == (Decimal("53.333333"), Decimal("1.33"))


def test_half_a_cent_of_a_part_is_rounded_up(pro: Any, clock: Any):
    """BIL-10: 3 GB for 1 of 30 days at $0.05 are $0.005, which a share of 0.0333… would lose."""
    organization, who, _subscription = pro
    Plan.objects.filter(key="pro").update(extra_storage_price_usd=Decimal("0.05"))
    clock.move_to(datetime(2026, 11, 30, 12, tzinfo=UTC))
    summary = services.preview_storage(actor=who, organization=organization, extra_gb=3)
    assert summary.now_usd == Decimal("0.01")


def test_an_upgrade_begins_now_and_costs_the_days_that_are_left(free: Any):
    organization, who, subscription = free
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("pro"))
    assert (summary.kind, summary.starts, summary.days_left) == (ChangeKind.UPGRADE, date(2026, 11, 22), 9)
    assert (summary.now_usd, summary.after.regular_usd) == (Decimal("18.00"), Decimal("60.00"))
    assert "Usage alerts" in summary.gains
    assert {line.label: (line.before, line.after) for line in summary.limits}["Seats"] == ("5", "10")
    done = go(organization, who, plan("pro"))
    subscription.refresh_from_db()
    assert subscription.plan.key == "pro"
    assert done.invoice is not None
    assert (done.invoice.kind, done.invoice.total_usd) == ("change", Decimal("18.00"))
    (line,) = done.invoice.lines.all()
    assert line.description == "Pro plan, 2026-11-22 to 2026-11-30 (9 of 30 days)"
    assert (quantity_text(line), line.quantity) == ("9 of 30 days", Decimal("0.3"))
    entry = AuditEntry.objects.get(action="subscription.upgrade")
    assert (entry.before["plan"], entry.after["plan"], entry.after["charged"]) == ("free", "pro", "18.00")
    assert "Invoice AURORA-0001 for aurora: $18.00" in [mail.subject for mail in delivered()]


@pytest.mark.parametrize(
    ("day", "price", "expected"),
    [
        (1, "60", "60.00"),
        (30, "60", "2.00"),
        (29, "0.50", "0.03"),
        (22, "99.99", "30.00"),
        (16, "0.01", "0.01"),
    ],
)
def test_proration_counts_today_and_rounds_half_up(
    free: Any, clock: Any, day: int, price: str, expected: str
):
    organization, who, _subscription = free
    Plan.objects.filter(key="pro").update(price_usd=Decimal(price))
    clock.move_to(datetime(2026, 11, day, 23, 59, tzinfo=UTC))
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("pro"))
    assert summary.now_usd == Decimal(expected)


def test_what_was_paid_and_is_not_used_is_credited(pro: Any):
    """From $60 with 100 GB at $0.025 to $200 with the same storage at $0.02: nine days of each."""
    organization, who, subscription = pro
    Subscription.objects.filter(pk=subscription.pk).update(extra_storage_gb=100)
    paid_ahead(subscription)
    plus = Plan.objects.create(
        key="plus", name="Plus", rank=25, **BETTER, price_usd=Decimal(200), included_storage_gb=500,
        extra_storage_price_usd=Decimal("0.02"),
    )  # fmt: skip
    done = go(organization, who, plus)
    assert done.invoice is not None
    amounts = [(line.category, line.amount_usd) for line in done.invoice.lines.all()]
    assert amounts == [
        ("credit", Decimal("-18.75")), ("plan", Decimal("60.00")), ("extra_storage", Decimal("0.60")),
    ]  # fmt: skip
    assert (
        done.invoice.lines.all()[0].description
        == "Unused: Pro + 100 GB, 2026-11-22 to 2026-11-30 (9 of 30 days)"
    )
    assert done.invoice.total_usd == Decimal("41.85")


@pytest.mark.parametrize("day", [1, 2])
def test_before_the_last_period_is_closed_the_summary_knows_what_closing_will_charge(
    pro: Any, clock: Any, day: int
):
    """BIL-8: in the hours of grace, and later if closing fails: what is read is what happens, at the first try."""
    organization, who, subscription = pro
    Subscription.objects.filter(pk=subscription.pk).update(closed_to=date(2026, 11, 1), extra_storage_gb=77)
    clock.move_to(datetime(2026, 12, day, 3, tzinfo=UTC))
    plus = Plan.objects.create(key="plus", name="Plus", rank=25, **BETTER, price_usd=Decimal(100))
    done = go(organization, who, plus)
    assert {invoice.kind: invoice.total_usd for invoice in Invoice.objects.all()} == {
        "period": Decimal("61.93"),
        "change": done.summary.now_usd,
    }
    assert done.summary.now_usd == {1: Decimal("38.07"), 2: Decimal("36.84")}[day]


@pytest.mark.parametrize("case", ["given", "void"])
def test_what_nobody_paid_is_not_credited(pro: Any, case: str):
    """BIL-8: an operator put them on Pro without an invoice, or declared it void."""
    organization, who, subscription = pro
    if case == "void":
        invoice = paid_ahead(subscription)
        Invoice.objects.filter(pk=invoice.pk).update(status=InvoiceStatus.VOID)
    plus = Plan.objects.create(key="plus", name="Plus", rank=25, **BETTER, price_usd=Decimal(100))
    done = go(organization, who, plus)
    assert [line.draft.category for line in done.summary.lines] == ["plan"]
    assert done.summary.now_usd == Decimal("30.00")


def test_a_credit_is_of_what_was_charged_whatever_the_plan_costs_since(pro: Any, clock: Any):
    """BIL-8: $60 were charged for November, $100 less $18 on the 22nd; then Pro is dearer, and the 26th comes."""
    organization, who, subscription = pro
    paid_ahead(subscription)
    Plan.objects.filter(key="pro").update(price_usd=Decimal(500))
    names = BETTER | {"price_usd": Decimal(100)}
    first = Plan.objects.create(key="plus", name="Plus", rank=25, **names)
    assert go(organization, who, first).summary.now_usd == Decimal("12.00")
    clock.move_to(datetime(2026, 11, 26, 12, tzinfo=UTC))
    second = Plan.objects.create(key="max", name="Max", has_sso=True, **names | {"price_usd": Decimal(600)})
    summary = services.preview_plan(actor=who, organization=organization, plan=second)
    credit, charged = (line.draft.amount_usd for line in summary.lines)
    assert charged == Decimal("100.00")
    assert credit == -(Decimal(60) * 5 / 30 + Decimal(12) * 5 / 9).quantize(Decimal("0.01"))


def test_storage_bought_on_the_last_day_is_included_on_that_day(pro: Any, clock: Any):
    """BIL-8, BIL-10: 10,100 GB held all November are not covered by 10,000 that were bought for one day."""
    organization, who, subscription = pro
    team = TeamFactory(organization=organization)
    holds(team, date(2026, 11, 1), 10_100)
    clock.move_to(datetime(2026, 11, 30, 12, tzinfo=UTC))
    assert buy(organization, who, 10_000).summary.now_usd == Decimal("8.33")
    assert included(subscription, LimitKind.STORAGE) == 10_100
    buy(organization, who, 0)
    metered(datetime(2026, 12, 1, 7, tzinfo=UTC))
    clock.move_to(datetime(2026, 12, 1, 7, tzinfo=UTC))
    close_all(timezone.now())
    invoice = Invoice.objects.filter(kind="period").get()
    lines = {line.category: (line.description, line.amount_usd) for line in invoice.lines.all()}
    assert lines["storage"] == ("Storage above 433.33 GB, 2026-11-01 to 2026-11-30", Decimal("290.00"))
    subscription.refresh_from_db()
    assert (subscription.extra_storage_gb, subscription.earlier_terms) == (0, [])


def test_included_hours_count_by_the_days_of_their_terms(free: Any):
    """BIL-8: 21 days of Free's 250 hours, 9 of Pro's 500; the summary says so; what operators set holds for all."""
    organization, who, row = free
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("pro"))
    assert summary.by_days
    go(organization, who, plan("pro"))
    assert included(row, LimitKind.HOURS) == 325
    assert included(row, LimitKind.HOURS, datetime(2026, 12, 1, 7, tzinfo=UTC)) == 500
    assign_storage(actor=SYSTEM, subscription=row, extra_storage_gb=1)
    assert included(row, LimitKind.HOURS) == 325
    assign_plan(actor=SYSTEM, subscription=row, plan=plan("pro"))
    assert included(row, LimitKind.HOURS) == 500


def test_days_without_a_limit_count_as_the_terms_since(free: Any):
    organization, who, row = free
    Plan.objects.filter(key__in=("free", "pro")).update(included_hours=None)
    go(organization, who, plan("pro"))
    Plan.objects.filter(key="pro").update(included_hours=500)
    assert included(row, LimitKind.HOURS) == 500


def test_bought_storage_outlives_a_change_of_mind(pro: Any):
    """BIL-8: a downgrade to what sells no storage waits; the one that takes its place sells some."""
    organization, who, subscription = pro
    Subscription.objects.filter(pk=subscription.pk).update(extra_storage_gb=100)
    go(organization, who, plan("free"))
    lite = Plan.objects.create(
        key="lite", name="Lite", rank=15, is_offered=True, price_usd=Decimal(20), included_storage_gb=50,
        extra_storage_price_usd=Decimal("0.02"),
    )  # fmt: skip
    assert go(organization, who, lite).summary.after.extra_gb == 100
    assert subscription_of(organization).next_terms == (lite, 100)


def test_who_acts_for_somebody_else_spends_nothing(pro: Any):
    """BIL-11: an operator who acts as a billing admin is refused."""
    organization, who, _subscription = pro
    with pytest.raises(Forbidden):
        services.preview_storage(
            actor=replace(who, impersonated_by="root"), organization=organization, extra_gb=9
        )


def test_an_upgrade_that_costs_less_makes_no_invoice_and_pays_nothing_back(pro: Any):
    organization, who, subscription = pro
    paid_ahead(subscription)
    lean = Plan.objects.create(key="lean", name="Lean", rank=25, **BETTER, price_usd=Decimal(10))
    done = go(organization, who, lean)
    subscription.refresh_from_db()
    assert done.invoice is None
    assert (done.summary.now_usd, subscription.plan) == (Decimal(0), lean)


def test_a_double_click_upgrades_once(free: Any):
    organization, who, _subscription = free
    confirm = services.preview_plan(actor=who, organization=organization, plan=plan("pro")).confirm
    given = {"actor": who, "organization": organization, "plan": plan("pro"), "confirm": confirm}
    services.change_plan(**given)
    with pytest.raises(services.NothingToChange):
        services.change_plan(**given)
    assert Invoice.objects.count() == 1


@pytest.mark.parametrize("change", ["day", "price", "storage"])
def test_a_summary_that_does_not_hold_any_more_is_refused(free: Any, clock: Any, change: str):
    organization, who, subscription = free
    confirm = services.preview_plan(actor=who, organization=organization, plan=plan("pro")).confirm
    if change == "day":
        clock.move_to(datetime(2026, 11, 23, 0, 0, 1, tzinfo=UTC))
    elif change == "price":
        Plan.objects.filter(key="pro").update(price_usd=61)
    else:
        Subscription.objects.filter(pk=subscription.pk).update(extra_storage_gb=1)
    with pytest.raises(services.OutdatedSummary):
        services.change_plan(actor=who, organization=organization, plan=plan("pro"), confirm=confirm)
    subscription.refresh_from_db()
    assert subscription.plan.key == "free"
    assert not Invoice.objects.exists()


def test_without_a_payment_method_nothing_that_costs_is_begun():
    organization, who, subscription = payer("free")
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("pro"))
    assert summary.needs_method
    with pytest.raises(services.PaymentMethodNeeded):
        services.change_plan(actor=who, organization=organization, plan=plan("pro"), confirm=summary.confirm)
    subscription.refresh_from_db()
    assert subscription.plan.key == "free"


def test_a_downgrade_comes_with_the_next_period_and_can_be_undone(pro: Any, clock: Any):
    organization, who, subscription = pro
    done = go(organization, who, plan("free"))
    assert done.invoice is None
    assert (done.summary.starts, done.summary.now_usd) == (date(2026, 12, 1), Decimal(0))
    assert "Usage alerts" in done.summary.losses
    subscription.refresh_from_db()
    assert (subscription.plan.key, subscription.next_plan.key) == ("pro", "free")
    with pytest.raises(services.NothingToChange):
        services.preview_plan(actor=who, organization=organization, plan=plan("free"))
    services.undo_change(actor=who, organization=organization)
    with pytest.raises(services.NothingToChange):
        services.undo_change(actor=who, organization=organization)
    go(organization, who, plan("free"))
    clock.move_to(datetime(2026, 12, 1, 7, tzinfo=UTC))
    close_all(datetime(2026, 12, 1, 1, tzinfo=UTC))
    subscription.refresh_from_db()
    assert (subscription.plan.key, subscription.next_plan) == ("free", None)


def test_canceling_goes_to_the_free_plan_and_drops_bought_storage(pro: Any, clock: Any):
    organization, who, subscription = pro
    buy(organization, who, 40)
    summary = services.preview_cancel(actor=who, organization=organization)
    assert (summary.after.plan.key, summary.after.extra_gb, summary.now_usd) == ("free", 0, Decimal(0))
    services.cancel(actor=who, organization=organization, confirm=summary.confirm)
    subscription.refresh_from_db()
    assert (subscription.plan.key, subscription.extra_storage_gb) == ("pro", 40)
    with pytest.raises(services.NothingToChange):
        services.preview_cancel(actor=who, organization=organization)
    clock.move_to(datetime(2026, 12, 2, tzinfo=UTC))
    close_all(datetime(2026, 12, 1, 12, tzinfo=UTC))
    subscription.refresh_from_db()
    assert (subscription.plan.key, subscription.extra_storage_gb) == ("free", 0)


def test_what_costs_nothing_cannot_be_canceled(free: Any):
    with pytest.raises(Conflict, match="is free"):
        services.preview_cancel(actor=free[1], organization=free[0])


def test_storage_is_bought_now_and_reduced_later(pro: Any):
    organization, who, subscription = pro
    done = buy(organization, who, 1000)
    assert done.invoice is not None
    assert (done.summary.kind, done.invoice.total_usd) == (ChangeKind.MORE_STORAGE, Decimal("7.50"))
    assert done.summary.after.regular_usd == Decimal("85.00")
    with pytest.raises(services.NothingToChange):
        services.preview_storage(actor=who, organization=organization, extra_gb=1000)
    later = buy(organization, who, 200)
    assert (later.invoice, later.summary.kind) == (None, ChangeKind.LESS_STORAGE)
    subscription.refresh_from_db()
    assert (subscription.extra_storage_gb, subscription.next_extra_storage_gb) == (1000, 200)
    more = buy(organization, who, 1001)
    assert more.invoice is not None
    assert more.invoice.total_usd == Decimal("0.01")
    subscription.refresh_from_db()
    assert (subscription.extra_storage_gb, subscription.next_extra_storage_gb) == (1001, None)


def test_storage_that_is_not_sold_or_no_amount_is_refused(free: Any):
    organization, who, _subscription = free
    with pytest.raises(Conflict, match="does not offer extra storage"):
        services.preview_storage(actor=who, organization=organization, extra_gb=5)
    Subscription.objects.update(plan=plan("pro"))
    for gb in (-1, 10**9):
        with pytest.raises(Invalid):
            services.preview_storage(actor=who, organization=organization, extra_gb=gb)


def test_plans_by_contact_and_plans_that_are_not_offered_are_not_chosen(free: Any):
    organization, who, subscription = free
    with pytest.raises(Conflict, match="contract"):
        services.preview_plan(actor=who, organization=organization, plan=plan("enterprise"))
    with pytest.raises(NotFound):
        services.preview_plan(actor=who, organization=organization, plan=plan("academic"))
    Subscription.objects.filter(pk=subscription.pk).update(plan=plan("enterprise"))
    with pytest.raises(Conflict, match="contract"):
        services.preview_plan(actor=who, organization=organization, plan=plan("free"))
    with pytest.raises(Conflict, match="contract"):
        services.preview_cancel(actor=who, organization=organization)


def leaves_self_hosted(clock: Any) -> tuple[Any, Any, Subscription]:
    """An organization goes from Self-hosted, which nobody offers, to Free."""
    organization, who, subscription = payer("self-hosted", name="aurora")
    go(organization, who, plan("free"))
    clock.move_to(datetime(2026, 12, 1, 7, tzinfo=UTC))
    close_all(timezone.now())
    subscription.refresh_from_db()
    assert subscription.plan.key == "free"
    return organization, who, subscription


def test_who_leaves_everything_for_free_loses_it_at_the_periods_end_and_reads_what(clock: Any):
    """BIL-3, the review's D1: a higher rank is no upgrade; nothing is taken away at one click."""
    organization, who, _subscription = payer("self-hosted")
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("free"))
    assert (summary.kind, summary.starts) == (ChangeKind.DOWNGRADE, date(2026, 12, 1))
    assert {"Custom roles", "Service accounts", "Audit log", "Seats: Unlimited → 5"} <= set(summary.losses)
    assert summary.gains == ()
    go(organization, who, plan("free"))
    row = subscription_of(organization)
    assert (row.plan, row.next_plan) == (plan("self-hosted"), plan("free"))
    assert AuditEntry.objects.filter(action="subscription.downgrade").exists()
    assert services.undo_change(actor=who, organization=organization).next_plan is None


def test_one_can_go_back_to_the_plan_one_had_though_it_is_not_offered(clock: Any):
    """BIL-3, the review's D1: also by way of others, and at once, for nothing is lost by it."""
    organization, who, subscription = leaves_self_hosted(clock)
    with_method(subscription)
    go(organization, who, plan("pro"))
    done = go(organization, who, plan("self-hosted"))
    assert (done.summary.kind, subscription_of(organization).plan.key) == (ChangeKind.UPGRADE, "self-hosted")
    other, somebody, _other = payer("free")
    with pytest.raises(NotFound):
        services.preview_plan(actor=somebody, organization=other, plan=plan("self-hosted"))


def test_one_can_go_back_before_the_period_is_closed(clock: Any):
    organization, who, _subscription = payer("self-hosted", name="aurora")
    go(organization, who, plan("free"))
    clock.move_to(datetime(2026, 12, 1, 3, tzinfo=UTC))
    go(organization, who, plan("self-hosted"))
    assert subscription_of(organization).plan.key == "self-hosted"


def test_an_operator_withdraws_the_plan_that_one_had_by_giving_another(clock: Any):
    """BIL-3: assigning a plan, also the present one, is the operator's word on what one may choose."""
    organization, who, subscription = leaves_self_hosted(clock)
    assign_plan(actor=SYSTEM, subscription=subscription, plan=plan("free"))
    with pytest.raises(NotFound):
        services.preview_plan(actor=who, organization=organization, plan=plan("self-hosted"))


def test_what_gives_and_takes_is_a_switch_when_the_period_ends():
    """BIL-8: Academic has 100 seats, Pro ten, and usage alerts; what begins to cost wants a way to pay first."""
    organization, who, subscription = payer("academic")
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("pro"))
    assert (summary.kind, summary.is_immediate, summary.now_usd) == (ChangeKind.SWITCH, False, Decimal(0))
    assert summary.gains == ("Usage alerts",)
    assert "Seats: 100 → 10" in summary.losses
    assert summary.needs_method
    with_method(subscription)
    go(organization, who, plan("pro"))
    assert subscription_of(organization).next_terms[0] == plan("pro")
    assert AuditEntry.objects.filter(action="subscription.switch").exists()


def test_seats_and_storage_that_do_not_fit_are_said_in_words(pro: Any):
    organization, who, _subscription = pro
    team = TeamFactory(organization=organization)
    for _number in range(6):
        make_member(team, Preset.ORGANIZATION_MEMBER)
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("free"))
    assert any("people have a seat, but Free includes only 5" in said for said in summary.warnings)


def test_only_billing_admins_change_plans(free: Any):
    organization, _who, _subscription = free
    team = TeamFactory(organization=organization)
    other = actor(make_member(team, Preset.ORGANIZATION_ADMIN))
    for act in (
        lambda who: services.preview_plan(actor=who, organization=organization, plan=plan("pro")),
        lambda who: services.change_plan(actor=who, organization=organization, plan=plan("pro"), confirm=""),
        lambda who: services.buy_storage(actor=who, organization=organization, extra_gb=1, confirm=""),
        lambda who: services.cancel(actor=who, organization=organization, confirm=""),
        lambda who: services.undo_change(actor=who, organization=organization),
    ):
        with pytest.raises(Forbidden):
            act(other)
        with pytest.raises(NotFound):
            act(actor(UserFactory()))


def test_what_ended_is_charged_by_its_own_terms_when_a_plan_changes_before_closing(free: Any, clock: Any):
    """On 1 December at 03:00 November is not closed yet; the upgrade closes it and pays December once, in full."""
    organization, who, subscription = free
    clock.move_to(datetime(2026, 12, 1, 3, tzinfo=UTC))
    done = go(organization, who, plan("pro"))
    subscription.refresh_from_db()
    assert subscription.closed_to == date(2026, 12, 1)
    assert done.invoice is not None
    assert done.invoice.total_usd == Decimal("60.00")
    close_all(datetime(2026, 12, 1, 12, tzinfo=UTC))
    assert [invoice.total_usd for invoice in Invoice.objects.all()] == [Decimal("60.00")]


def test_what_was_to_begin_with_the_period_has_begun_when_a_change_is_previewed_before_closing(
    pro: Any, clock: Any
):
    organization, who, subscription = pro
    go(organization, who, plan("free"))
    clock.move_to(datetime(2026, 12, 1, 3, tzinfo=UTC))
    summary = services.preview_plan(actor=who, organization=organization, plan=plan("pro"))
    assert (summary.before.plan.key, summary.now_usd) == ("free", Decimal("60.00"))
    done = services.change_plan(
        actor=who, organization=organization, plan=plan("pro"), confirm=summary.confirm
    )
    assert done.invoice is not None
    subscription.refresh_from_db()
    assert (subscription.plan.key, subscription.next_plan) == ("pro", None)


def test_another_organization_is_not_touched(free: Any):
    other = OrganizationFactory()
    go(free[0], free[1], plan("pro"))
    assert other.subscription.plan.key == "self-hosted"
