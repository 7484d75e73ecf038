"""Invoices: numbers, lines, and what becomes of them (BIL-10)."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import transaction

from access.actor import SYSTEM
from access.models import AuditEntry
from billing.invoices.drafts import LineDraft
from billing.invoices.issuing import issue
from billing.invoices.services import mark_failed, mark_paid, mark_void
from billing.models import Invoice, InvoiceKind, InvoiceStatus, Subscription
from billing.subscriptions.selectors import subscription_of
from tests.factories import OrganizationFactory, delivered
from usage.periods import Period

AT = datetime(2026, 12, 1, 6, tzinfo=UTC)
NOVEMBER = Period(date(2026, 11, 1), date(2026, 12, 1))

pytestmark = pytest.mark.django_db


def line(amount: str) -> LineDraft:
    return LineDraft("plan", "Pro plan", Decimal(1), "period", Decimal(amount), Decimal(amount))


def made(subscription: Subscription, amount: str = "60") -> Invoice:
    with transaction.atomic():
        invoice = issue(subscription, InvoiceKind.CHANGE, NOVEMBER, [line(amount)], AT)
    assert invoice is not None
    return invoice


def test_numbers_count_up_and_what_costs_nothing_takes_none():
    subscription = subscription_of(OrganizationFactory(name="acme"))
    first = made(subscription)
    with transaction.atomic():
        assert issue(subscription, InvoiceKind.CHANGE, NOVEMBER, [line("-5"), line("5")], AT) is None
    assert [first.number, made(subscription).number] == ["ACME-0001", "ACME-0002"]
    assert subscription.invoices_made == 2


def test_paid_failed_void_each_once():
    organization = OrganizationFactory(name="acme")
    invoice = made(subscription_of(organization))
    for _again in range(2):
        mark_failed(invoice=invoice, reason="Card declined.", at=AT, payment_ref="ch_1")
    mark_paid(invoice=invoice, payment_ref="ch_2", at=AT)
    row = mark_paid(invoice=invoice, payment_ref="ch_2", at=AT)
    assert (row.status, row.attempts) == (InvoiceStatus.PAID, 1)
    void = made(subscription_of(organization))
    for _again in range(2):
        mark_void(actor=SYSTEM, invoice=void)
    assert [mail.subject for mail in delivered()] == [
        "Invoice ACME-0001 for acme: $60.00",
        "Payment failed: invoice ACME-0001 for acme",
        "Receipt: invoice ACME-0001 for acme is paid",
        "Invoice ACME-0002 for acme: $60.00",
        "Invoice ACME-0002 for acme is void",
    ]
    acts = AuditEntry.objects.filter(action__startswith="invoice.").order_by("pk")
    assert [act.action for act in acts] == [
        "invoice.issue", "invoice.payment_failed", "invoice.pay", "invoice.issue", "invoice.void"
    ]  # fmt: skip
