"""Collecting invoices from a real Stripe-like process (BIL-7): once, whatever fails in between."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from access.actor import SYSTEM
from access.models import AuditEntry
from billing.changes.assignments import assign_payment
from billing.gateways import gateway_named, gateway_of
from billing.gateways import stripe as module
from billing.gateways.base import ChargeResult, ChargeState
from billing.invoices import services as invoices
from billing.models import Invoice, InvoiceStatus, Payment, PaymentStatus
from billing.payments import collecting
from billing.payments import services as payment_methods
from billing.tests.paying import add_card, open_invoice, payer
from common.errors import Conflict, Unavailable
from tests.factories import UserFactory, actor, delivered
from tests.fakes.stripe import ASKING_CARD, FAILING_CARD, GOOD_CARD, SECRET_KEY, Stripe

pytestmark = pytest.mark.django_db


class Died(BaseException):
    """The process, at this point."""


@pytest.fixture
def card_payer(stripe: Stripe) -> Any:
    organization, who, subscription = payer("pro", name="aurora")
    add_card(stripe, organization, who)
    subscription.refresh_from_db()
    return organization, who, subscription


def later(**by: int) -> Any:
    return timezone.now() + timedelta(**by)


def state_of(invoice: Invoice) -> tuple[str, list[str]]:
    invoice.refresh_from_db()
    return invoice.status, list(invoice.payments.order_by("pk").values_list("status", flat=True))


def test_a_card_on_file_pays_an_invoice_once(stripe: Stripe, card_payer: Any):
    invoice = open_invoice(card_payer[2], "61.25")
    for _again in range(3):
        collecting.collect(invoice.pk)
    assert state_of(invoice) == ("paid", ["succeeded"])
    (intent,) = stripe.listed("payment_intents")
    assert (intent["amount"], intent["currency"], intent["status"]) == (6125, "usd", "succeeded")
    assert intent["metadata"] == {"invoice": "AURORA-0001", "attempt": "1"}
    assert invoice.ref == intent["id"] == invoice.payments.get().ref
    assert {asked.version for asked in stripe.asked if asked.version} == {module.API_VERSION}
    assert "Receipt: invoice AURORA-0001 for aurora is paid" in [mail.subject for mail in delivered()]


def test_who_pays_by_transfer_from_now_on_still_pays_an_open_invoice_by_card(stripe: Stripe, card_payer: Any):
    """BIL-10: the operator's word is about invoices to come."""
    before = open_invoice(card_payer[2])
    assign_payment(actor=SYSTEM, subscription=card_payer[2], by_transfer=True, anchor_day=1)
    after = open_invoice(card_payer[2])
    for invoice in (before, after):
        collecting.collect(invoice.pk)
    assert (state_of(before), state_of(after)) == (("paid", ["succeeded"]), ("open", []))
    assert (before.by_transfer, after.by_transfer) == (False, True)


def test_issuing_asks_for_the_money_after_the_commit(
    stripe: Stripe, card_payer: Any, django_capture_on_commit_callbacks: Any
):
    with django_capture_on_commit_callbacks(execute=True):
        invoice = open_invoice(card_payer[2])
        invoices.schedule_collection(invoice)
        assert stripe.charged_cents == 0
    assert state_of(invoice) == ("paid", ["succeeded"])


def test_a_declined_card_is_tried_again_after_3_5_and_7_days_and_mailed_each_time(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, subscription = payer("pro", name="aurora")
    add_card(stripe, organization, who, FAILING_CARD)
    invoice = open_invoice(subscription)
    begin = timezone.now()
    tried: list[float] = []
    subjects: list[object] = []
    collecting.collect(invoice.pk)
    for hour in range(0, 24 * 17, 12):
        with time_machine.travel(begin + timedelta(hours=hour), tick=False):
            before = Payment.objects.count()
            collecting.sweep()
            if Payment.objects.count() > before:
                tried.append(hour / 24)
            subjects = [mail.subject for mail in delivered()]
    assert tried == pytest.approx([3, 8, 15], abs=0.6)
    assert state_of(invoice) == ("open", ["failed"] * 4)
    assert (invoice.attempts, invoice.next_attempt_at, invoice.failure) == (
        4,
        None,
        "Your card was declined.",
    )
    assert stripe.charged_cents == 0
    assert {intent["status"] for intent in stripe.listed("payment_intents")} == {"canceled"}
    assert subjects.count("Payment failed: invoice AURORA-0001 for aurora") == 4


def test_another_card_that_is_added_after_a_failure_pays_at_once(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who, FAILING_CARD)
    invoice = open_invoice(subscription)
    collecting.collect(invoice.pk)
    with django_capture_on_commit_callbacks(execute=True):
        method = add_card(stripe, organization, who, GOOD_CARD)
    assert method.is_default
    assert state_of(invoice) == ("paid", ["failed", "succeeded"])
    assert stripe.charged_cents == 6000


def test_a_card_that_wants_its_holder_fails_in_words_and_leaves_nothing_to_complete_later(stripe: Stripe):
    organization, who, subscription = payer("pro")
    setup = payment_methods.begin_setup(actor=who, organization=organization)
    asks = stripe.confirm_card(setup.client_secret, ASKING_CARD)
    assert asks["status"] == "requires_action"
    stripe.call(
        "POST", f"/v1/setup_intents/{asks['id']}/confirm", json={"client_secret": setup.client_secret}
    )
    payment_methods.add_method(actor=who, organization=organization, setup=asks["id"])
    invoice = open_invoice(subscription)
    collecting.collect(invoice.pk)
    assert state_of(invoice) == ("open", ["failed"])
    assert "cardholder" in invoice.failure
    assert [row["status"] for row in stripe.listed("payment_intents")] == ["canceled"]


@pytest.mark.parametrize("point", ["prepare", "stored", "charge", "note"])
def test_whatever_dies_in_between_is_found_by_the_sweep_and_charged_once(
    stripe: Stripe, card_payer: Any, monkeypatch: pytest.MonkeyPatch, point: str
):
    """Died: before the attempt has a name, before the charge, after it, and before its commit."""
    invoice, gateway = open_invoice(card_payer[2]), gateway_named("stripe")

    def dies_after(real: Any) -> Any:
        def call(*given: Any) -> Any:
            real(*given)
            raise Died

        return call

    def dies(*_: Any) -> ChargeResult:
        raise Died

    with monkeypatch.context() as patch:
        if point == "prepare":  # the gateway made it; its name was not stored
            patch.setattr(gateway, "prepare", dies_after(gateway.prepare))
        elif point == "stored":
            patch.setattr(gateway, "charge", dies)
        elif point == "charge":  # the money was taken; nothing of it was stored
            patch.setattr(gateway, "charge", dies_after(gateway.charge))
        else:
            patch.setattr(collecting, "record_result", dies)
        with pytest.raises(Died):
            collecting.collect(invoice.pk)
    assert state_of(invoice) == ("open", ["pending"])
    stripe.answers.clear()  # whoever wakes after days finds no idempotency key any more
    assert collecting.sweep(timezone.now()) == 0, "what began just now is left to its task"
    assert collecting.sweep(later(minutes=2)) == 1
    assert state_of(invoice) == ("paid", ["succeeded"])
    assert stripe.charged_cents == 6000


@pytest.mark.parametrize("path", ["payment_intents$", "/confirm$"])
def test_an_answer_that_is_lost_on_its_way_is_asked_for_again(stripe: Stripe, card_payer: Any, path: str):
    invoice = open_invoice(card_payer[2])
    stripe.loses = path
    collecting.collect(invoice.pk)
    assert state_of(invoice) == ("paid", ["succeeded"])
    assert stripe.charged_cents == 6000
    keys = [asked.key for asked in stripe.asked if asked.method == "POST" and "payment_intents" in asked.path]
    assert len(keys) == 3
    assert len(set(keys)) == 2, "the request that was repeated has the key it had"


def test_a_gateway_that_is_down_loses_nothing(stripe: Stripe, card_payer: Any):
    invoice = open_invoice(card_payer[2])
    stripe.is_down = True
    with pytest.raises(Unavailable):
        collecting.collect(invoice.pk)
    assert collecting.sweep(later(minutes=5)) == 0
    assert state_of(invoice) == ("open", ["pending"])
    assert invoice.attempts == 0, "nobody is blamed"
    stripe.is_down = False
    assert collecting.sweep(later(minutes=10)) == 1
    assert state_of(invoice) == ("paid", ["succeeded"])
    assert stripe.charged_cents == 6000


def test_a_gateway_that_is_slow_is_given_up_on_and_asked_again(
    stripe: Stripe, card_payer: Any, monkeypatch: pytest.MonkeyPatch
):
    invoice = open_invoice(card_payer[2])
    with monkeypatch.context() as impatient:
        impatient.setattr(module, "ANSWER_S", 0.5)
        impatient.setattr(module, "RETRIES", 0)
        module._client_of.cache_clear()
        stripe.slow_s = 1.5
        with pytest.raises(Unavailable):
            collecting.collect(invoice.pk)
    stripe.slow_s = 0
    module._client_of.cache_clear()
    assert collecting.sweep(later(minutes=5)) == 1
    assert state_of(invoice) == ("paid", ["succeeded"])
    assert stripe.charged_cents == 6000


def test_a_void_invoice_is_not_charged_even_if_the_attempt_was_prepared(
    stripe: Stripe, card_payer: Any, monkeypatch: pytest.MonkeyPatch
):
    invoice, gateway = open_invoice(card_payer[2]), gateway_named("stripe")

    def dies(*_: Any) -> ChargeResult:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(gateway, "charge", dies)
        with pytest.raises(Died):
            collecting.collect(invoice.pk)
    invoices.mark_void(actor=SYSTEM, invoice=invoice)
    collecting.sweep(later(minutes=5))
    assert state_of(invoice) == ("void", ["failed"])
    assert stripe.charged_cents == 0


@pytest.mark.parametrize("status", ["paid", "void"])
def test_money_that_comes_for_an_invoice_that_is_paid_or_void_is_told_to_the_operator(
    stripe: Stripe, card_payer: Any, caplog: pytest.LogCaptureFixture, status: str
):
    """BIL-7, BIL-11: in the log of the server, and in the audit log."""
    invoice = open_invoice(card_payer[2])
    if status == "paid":
        collecting.collect(invoice.pk)
    else:
        invoices.mark_void(actor=SYSTEM, invoice=invoice)
    twice = Payment.objects.create(invoice=invoice, gateway="stripe", ref="pi_other", amount_usd=60)
    for _again in range(2):
        collecting.record_result(twice, ChargeResult(ChargeState.SUCCEEDED))
    assert caplog.text.count("give it back") == 1
    assert state_of(invoice)[0] == status
    entry = AuditEntry.objects.get(action="invoice.surplus_payment")
    assert (entry.organization_id, entry.object_id) == (card_payer[0].pk, str(invoice.pk))
    assert entry.after == {"status": status, "payment": "pi_other", "amount_usd": "60.00"}


def test_an_operator_settles_no_invoice_while_it_is_charged(stripe: Stripe, card_payer: Any, settings: Any):
    """BIL-7: else the money that comes would be a surplus; where Stripe is gone for good, nothing is to wait for."""
    boss = replace(actor(UserFactory(is_operator=True)), elevated=True)
    invoice = open_invoice(card_payer[2])
    stripe.is_down = True
    with pytest.raises(Unavailable):
        collecting.collect(invoice.pk)
    with pytest.raises(Conflict, match="in progress"):
        invoices.mark_paid(actor=boss, invoice=invoice, payment_ref="B-1", at=timezone.now())
    with pytest.raises(Conflict, match="in progress"):
        invoices.mark_void(actor=boss, invoice=invoice, reason="Sent twice.")
    with pytest.raises(Conflict, match="in progress"):
        payment_methods.pay_now(actor=card_payer[1], invoice=invoice)
    assert state_of(invoice) == ("open", ["pending"])
    settings.STRIPE_SECRET_KEY = ""
    invoices.mark_void(actor=boss, invoice=invoice, reason="Sent twice.")
    assert state_of(invoice) == ("void", ["pending"])


def test_without_stripe_invoices_wait_for_a_transfer():
    organization, who, subscription = payer("pro")
    details = {"billing_name": "Aurora Labs", "billing_address": "1 Main Street"}
    payment_methods.change_details(actor=who, organization=organization, **details)
    payment_methods.add_method(actor=who, organization=organization)
    invoice = open_invoice(subscription)
    collecting.collect(invoice.pk)
    assert collecting.sweep(later(days=30)) == 0
    assert state_of(invoice) == (InvoiceStatus.OPEN, [])
    assert gateway_of(subscription).key == "manual"
    with pytest.raises(Conflict):
        payment_methods.pay_now(actor=who, invoice=invoice)


def test_a_transfer_that_is_open_can_be_charged_to_a_card_that_is_added(
    stripe: Stripe, settings: Any, django_capture_on_commit_callbacks: Any
):
    organization, who, subscription = payer("pro")
    settings.STRIPE_SECRET_KEY = ""
    invoice = open_invoice(subscription)
    assert invoice.gateway == "manual"
    settings.STRIPE_SECRET_KEY = SECRET_KEY
    with django_capture_on_commit_callbacks(execute=True):
        add_card(stripe, organization, who)
    collecting.sweep(later(days=1))
    assert state_of(invoice) == ("open", []), "a transfer may be on its way"
    with django_capture_on_commit_callbacks(execute=True):
        payment_methods.pay_now(actor=who, invoice=invoice)
    assert state_of(invoice) == ("paid", [PaymentStatus.SUCCEEDED])
    with pytest.raises(Conflict):
        payment_methods.pay_now(actor=who, invoice=invoice)


def test_an_invoice_that_waits_for_a_card_is_charged_when_one_is_added(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, subscription = payer("pro")
    invoice = open_invoice(subscription)
    collecting.collect(invoice.pk)
    assert state_of(invoice) == ("open", [])
    with django_capture_on_commit_callbacks(execute=True):
        add_card(stripe, organization, who)
    assert state_of(invoice) == ("paid", ["succeeded"])


def test_a_transfer_that_was_reminded_of_thrice_is_tried_again_after_pay_now_fails(
    stripe: Stripe, settings: Any, django_capture_on_commit_callbacks: Any
):
    """BIL-7: reminders are no failed charges."""
    organization, who, subscription = payer("pro")
    settings.STRIPE_SECRET_KEY = ""
    invoice = open_invoice(subscription)
    for days in (15, 22, 29, 36):
        invoices.remind_overdue(later(days=days))
    invoice.refresh_from_db()
    assert (invoice.reminders, invoice.attempts, invoice.next_attempt_at) == (3, 0, None)
    settings.STRIPE_SECRET_KEY = SECRET_KEY
    add_card(stripe, organization, who, FAILING_CARD)
    with django_capture_on_commit_callbacks(execute=True):
        payment_methods.pay_now(actor=who, invoice=invoice)
    assert state_of(invoice) == ("open", ["failed"])
    assert invoice.attempts == 1
    assert invoice.next_attempt_at is not None
    assert later(days=2) < invoice.next_attempt_at < later(days=4)
