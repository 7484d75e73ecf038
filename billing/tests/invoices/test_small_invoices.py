"""Invoices below the smallest amount that a card can be charged (BIL-7, BIL-10): nothing is due, nothing is lost."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from access.actor import SYSTEM
from access.models import AuditEntry
from billing.account_closure import unsettled
from billing.gateways import gateway_named
from billing.invoices import services as invoices
from billing.invoices.pdf import pdf_of
from billing.models import Invoice, InvoiceKind, Payment, Subscription
from billing.payments import collecting
from billing.payments import services as payment_methods
from billing.tests.paying import add_card, issued, open_invoice, payer
from common.errors import Conflict, Invalid
from tests.factories import delivered, make_key
from tests.fakes.stripe import SECRET_KEY, Stripe

pytestmark = pytest.mark.django_db


@pytest.fixture
def card_payer(stripe: Stripe) -> Any:
    organization, who, subscription = payer("free", name="aurora")
    add_card(stripe, organization, who)
    return organization, who, subscription


def small(
    subscription: Subscription, amount: str = "0.30", kind: InvoiceKind = InvoiceKind.CHANGE
) -> Invoice:
    made = issued(subscription, amount, kind)
    assert made is not None
    return made


def test_stripe_refuses_less_than_its_smallest_amount(stripe: Stripe, card_payer: Any):
    """What the gateway declares is what the fake, and Stripe, do."""
    gateway, invoice = gateway_named("stripe"), open_invoice(card_payer[2], "0.50")
    of = {"invoice": invoice, "method": card_payer[2].payment_methods.get(), "gateway": "stripe"}
    with pytest.raises(Invalid, match=r"at least \$0.50"):
        gateway.prepare(Payment.objects.create(**of, amount_usd=gateway.minimum_usd - Decimal("0.01")))
    assert gateway.prepare(Payment.objects.create(**of, amount_usd=gateway.minimum_usd))


def test_a_small_invoice_is_issued_and_neither_charged_nor_mailed(stripe: Stripe, card_payer: Any):
    """BIL-7, BIL-10, BIL-11: it has a number and an audit row, and holds up neither the card nor the organization."""
    organization, who, subscription = card_payer
    invoice = small(subscription)
    mails = len(delivered())
    collecting.collect(invoice.pk)
    assert (invoice.number, invoice.status) == ("AURORA-0001", "carried")
    assert (invoice.payments.count(), stripe.listed("payment_intents")) == (0, [])
    assert len(delivered()) == mails
    assert not [mail for mail in delivered() if "AURORA" in str(mail.subject)]
    entry = AuditEntry.objects.get(action="invoice.carry")
    assert entry.after == {"status": "carried", "total_usd": "0.30", "minimum_usd": "0.50"}
    with pytest.raises(Conflict, match="not open"):
        payment_methods.pay_now(actor=who, invoice=invoice)
    with pytest.raises(Conflict, match="not open"):
        invoices.mark_void(actor=SYSTEM, invoice=invoice)
    with pytest.raises(Conflict, match="not open"):
        invoices.mark_paid(invoice=invoice, payment_ref="x", at=invoice.issued_at)
    assert list(unsettled(organization)) == []
    payment_methods.remove_method(actor=who, method=subscription.payment_methods.get())


def test_the_next_period_s_invoice_charges_what_was_too_small(stripe: Stripe, card_payer: Any):
    """BIL-10: many small changes are no way to get something for nothing, and no change costs more than it said."""
    subscription = card_payer[2]
    first, second = small(subscription), small(subscription, "0.45")
    assert (second.total_usd, second.lines.count()) == (Decimal("0.45"), 1)
    monthly = small(subscription, "60", InvoiceKind.PERIOD)
    assert (monthly.status, monthly.total_usd) == ("open", Decimal("60.75"))
    assert [(line.category, line.description, str(line.amount_usd)) for line in monthly.lines.all()] == [
        ("plan", "Pro plan", "60.00"),
        ("carried", "Carried from AURORA-0001", "0.30"),
        ("carried", "Carried from AURORA-0002", "0.45"),
    ]
    for row in (first, second):
        row.refresh_from_db()
        assert (row.status, row.carried_to) == ("carried", monthly)
    collecting.collect(monthly.pk)
    assert stripe.charged_cents == 6075


def test_what_a_void_invoice_carried_waits_for_the_next(card_payer: Any):
    """BIL-10: an invoice with a wrong address is declared void; what was carried to it is still owed."""
    carried = small(card_payer[2])
    monthly = small(card_payer[2], "60", InvoiceKind.PERIOD)
    invoices.mark_void(actor=SYSTEM, invoice=monthly)
    carried.refresh_from_db()
    assert (carried.status, carried.carried_to) == ("carried", None)


@pytest.mark.parametrize(("amounts", "total"), [(["0.30"], None), (["0.30", "0.20"], "0.50")])
def test_a_period_without_charges_makes_an_invoice_once_enough_has_come_together(
    card_payer: Any, amounts: list[str], total: str | None
):
    """BIL-10: else there would be one of $0.30 each month, for ever."""
    for amount in amounts:
        small(card_payer[2], amount)
    made = issued(card_payer[2], "0", InvoiceKind.PERIOD)
    assert (str(made.total_usd) if made else None) == total


def test_a_small_invoice_of_a_period_is_carried_on_in_turn(card_payer: Any):
    """BIL-10."""
    small(card_payer[2], "0.10")
    monthly = small(card_payer[2], "0.15", InvoiceKind.PERIOD)
    assert (monthly.status, monthly.total_usd) == ("carried", Decimal("0.25"))
    waiting = Invoice.objects.filter(status="carried", carried_to=None)
    assert waiting.get() == monthly, "what it charges is on it"


def test_page_pdf_list_and_rest_say_that_nothing_is_due(card_payer: Any, client: Client):
    """BIL-10."""
    organization, _who, subscription = card_payer
    invoice = small(subscription)
    admin = organization.members.get().user
    client.force_login(admin)
    base = "/organizations/aurora/billing/invoices"
    page = client.get(f"{base}/AURORA-0001").content.decode()
    assert "so nothing is due" in page
    assert "Pay now" not in page
    assert "On the next invoice" in client.get(base).content.decode()
    head = {"Authorization": f"Bearer {make_key(admin)}"}
    told = client.get("/api/v1/organizations/aurora/invoices/AURORA-0001/", headers=head).json()
    assert (told["status"], told["total_usd"]) == ("carried", "0.30")
    as_open = Invoice.objects.get(pk=invoice.pk)
    as_open.status = "open"
    assert pdf_of(invoice) != pdf_of(as_open)
    monthly = small(subscription, "60", InvoiceKind.PERIOD)
    assert f"{base}/{monthly.number}" in client.get(f"{base}/AURORA-0001").content.decode()


def test_a_small_transfer_is_due_and_no_card_can_be_charged_for_it(stripe: Stripe, settings: Any):
    """BIL-7: people can send any amount."""
    organization, who, subscription = payer("free")
    settings.STRIPE_SECRET_KEY = ""
    invoice = open_invoice(subscription, "0.30")
    assert invoice.status == "open"
    settings.STRIPE_SECRET_KEY = SECRET_KEY
    add_card(stripe, organization, who)
    with pytest.raises(Conflict, match="Pay by bank transfer"):
        payment_methods.pay_now(actor=who, invoice=invoice)
