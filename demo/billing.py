"""How the demo's organization pays: the plan Pro, by bank transfer, with a year of invoices, and prices of its own."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from demo.people import ORGANIZATION
from demo.usage import MONTHS

if TYPE_CHECKING:
    from billing.models import Invoice, Subscription
    from teams.models import Organization

DETAILS = {
    "billing_name": "Aurora Labs GmbH",
    "billing_address": "Accounts payable\nLichtweg 12\n10115 Berlin\nGermany",
    "tax_id": "DE000000000",
    "purchase_order": "PO-2291",
}
PRICES: dict[str, Any] = {
    "currency": "EUR",
    "gpu_hour_price": Decimal("1.85"),
    "storage_gb_price": Decimal("0.04"),
    "kwh_price": Decimal("0.31"),
}
SEATS, VIEW_ONLY_SEATS = 25, 10
PAID_AFTER = timedelta(days=9)


def make_billing() -> None:
    """Choose the plan, close the months of the past, and note what was paid; `demo.usage` has made the use."""
    from access.web.requests import actor_of_user
    from accounts.models import User
    from billing.payments.services import change_details
    from billing.usage_alerts.services import check_usage
    from teams.models import Organization
    from usage.chargeback.services import set_prices

    _offer_plans()
    organization = Organization.objects.get(name=ORGANIZATION)
    ada = actor_of_user(User.objects.get(username="ada"))
    subscription = _subscribe(organization)
    change_details(actor=ada, organization=organization, **DETAILS)
    set_prices(actor=ada, organization=organization, **PRICES)
    _pay_by_transfer(subscription)
    _close(subscription)
    check_usage()


def _offer_plans() -> None:
    """Do what an operator does who hosts for others."""
    from access.actor import SYSTEM
    from billing.models import Plan
    from billing.plans.services import save_plan

    for plan in Plan.objects.filter(key__in=("free", "pro", "enterprise")):
        plan.is_offered, plan.by_contact = plan.key != "enterprise", plan.key == "enterprise"
        save_plan(actor=SYSTEM, plan=plan)


def _subscribe(organization: "Organization") -> "Subscription":
    """Put the organization on Pro since a year; here Pro has every switch, so that every page of the demo works."""
    from billing.models import Plan, Subscription

    switches = [field.name for field in Plan._meta.fields if field.name.startswith("has_")]
    plan = Plan.objects.get(key="pro")
    for name in switches:
        setattr(plan, name, name != "has_many_billing_admins")
    plan.seats, plan.view_only_seats = SEATS, VIEW_ONLY_SEATS
    plan.save()
    subscription = Subscription.objects.get(organization=organization)
    now = datetime.now(UTC)
    months = now.year * 12 + now.month - 1 - MONTHS
    begin = datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
    subscription.plan, subscription.created_at = plan, begin
    subscription.save()
    return subscription


def _pay_by_transfer(subscription: "Subscription") -> None:
    from access.actor import SYSTEM
    from billing.gateways import MANUAL
    from billing.gateways.base import BANK_TRANSFER, MethodFacts
    from billing.payments.services import attach_method

    attach_method(SYSTEM, subscription, MANUAL.key, MethodFacts(ref=uuid4().hex, brand=BANK_TRANSFER))


def _close(subscription: "Subscription") -> None:
    """Close the months; their mails were sent in their time, so nothing is sent now."""
    from django.db import transaction

    from accounts.models import OutboxMail
    from billing.invoices.closing import close_ended, grace_before
    from billing.models import Invoice, UsageAlert

    with transaction.atomic():
        newest = OutboxMail.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        close_ended(subscription, grace_before(datetime.now(UTC)))
        invoices = list(Invoice.objects.filter(subscription=subscription).order_by("sequence"))
        for invoice in invoices:
            _date(invoice, is_paid=invoice is not invoices[-1])
        for alert in UsageAlert.objects.filter(subscription=subscription):
            at = datetime.combine(alert.period_start, time(9), UTC) + timedelta(days=20)
            UsageAlert.objects.filter(pk=alert.pk).update(at=at)
        OutboxMail.objects.filter(pk__gt=newest).delete()


def _date(invoice: "Invoice", *, is_paid: bool) -> None:
    """Let an invoice be as old as its period tells."""
    from billing.invoices.services import mark_paid
    from billing.models import Invoice, PeriodClose

    issued = datetime.combine(invoice.period_end, time(6), UTC)
    shift = issued - invoice.issued_at
    Invoice.objects.filter(pk=invoice.pk).update(
        issued_at=issued,
        due_at=invoice.due_at + shift,
        next_attempt_at=invoice.next_attempt_at and invoice.next_attempt_at + shift,
    )
    PeriodClose.objects.filter(
        subscription=invoice.subscription_id, period_start=invoice.period_start
    ).update(closed_at=issued)
    if is_paid:
        reference = f"SEPA {invoice.period_end:%Y%m}-{invoice.sequence:04}"
        mark_paid(invoice=invoice, payment_ref=reference, at=issued + PAID_AFTER)
