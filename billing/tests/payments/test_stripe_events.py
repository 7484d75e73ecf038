"""What Stripe tells us (BIL-7): signed, once, in any order; what it says of an object is read from Stripe."""

import json
import time
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from billing.gateways import gateway_named
from billing.models import GatewayEvent, PaymentMethod
from billing.payments import collecting, webhooks
from billing.payments import services as payment_methods
from billing.tasks import sweep_payments
from billing.tests.paying import add_card, open_invoice, payer
from common.errors import Unavailable
from tests.fakes.stripe import FAILING_CARD, Stripe, event, signed
from tests.waiting import until

pytestmark = pytest.mark.django_db
URL = "/stripe/webhook"


def post(payload: bytes, signature: str | None = None, client: Client | None = None) -> Any:
    header = signed(payload) if signature is None else signature
    client = client or Client(enforce_csrf_checks=True)
    return client.post(URL, payload, content_type="application/json", headers={"Stripe-Signature": header})


def test_a_wrong_stale_or_missing_signature_is_refused_and_kept_nowhere(stripe: Stripe):
    payload = event("payment_intent.succeeded", "pi_1")
    wrong = [
        signed(payload, secret="whsec_other"),
        signed(payload + b" "),
        signed(payload, at=time.time() - webhooks.TOLERANCE_S - 5),
        "",
        "t=1",
    ]
    for header in wrong:
        reply = post(payload, header)
        assert reply.status_code == 400
        assert "Invalid signature" in reply.json()["error"]
    assert not GatewayEvent.objects.exists()


@pytest.mark.parametrize(
    "payload", [b"{}", b"[]", b"no json", b'{"id": 1, "type": "x", "data": []}', b"\xff"]
)
def test_what_is_signed_and_no_event_is_refused(stripe: Stripe, payload: bytes):
    reply = post(payload)
    assert reply.status_code == 400
    assert "isn’t a Stripe event" in reply.json()["error"]


def test_a_body_that_is_too_long_is_not_read(stripe: Stripe):
    payload = event("x.y", "x" * webhooks.MAX_EVENT_BYTES)
    assert post(payload).status_code == 413


def test_without_a_secret_there_is_no_such_thing(settings: Any):
    assert post(event("x.y", "x")).status_code == 404
    assert Client().get(URL).status_code == 405


def test_an_event_counts_once_however_often_it_comes(stripe: Stripe, django_capture_on_commit_callbacks: Any):
    organization, who, subscription = payer("pro")
    begun = payment_methods.begin_setup(actor=who, organization=organization)
    ref = stripe.confirm_card(begun.client_secret)["id"]
    payload = event("setup_intent.succeeded", ref)
    for _again in range(3):
        with django_capture_on_commit_callbacks(execute=True):
            assert post(payload).json() == {"received": "evt_1"}
    method = PaymentMethod.objects.get()
    assert (method.subscription, method.last4, method.is_default) == (subscription, "4242", True)
    assert GatewayEvent.objects.get().handled_at is not None
    again = payment_methods.add_method(actor=who, organization=organization, setup=ref)
    assert again == method, "the browser says the same later"


def test_order_does_not_matter_because_the_object_is_read(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who)
    invoice = open_invoice(subscription)
    collecting.collect(invoice.pk)
    ref = invoice.payments.get().ref
    for number, kind in enumerate(["payment_failed", "succeeded", "created", "processing", "canceled"]):
        with django_capture_on_commit_callbacks(execute=True):
            assert post(event(f"payment_intent.{kind}", ref, f"evt_{number}")).status_code == 200
    invoice.refresh_from_db()
    assert (invoice.status, invoice.failure, invoice.payments.count()) == ("paid", "", 1)


def test_a_charge_that_nobody_noted_is_noted_by_its_event(
    stripe: Stripe, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
):
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who)
    invoice = open_invoice(subscription)
    with monkeypatch.context() as patch:
        patch.setattr(collecting, "record_result", lambda *_: None)  # as if it died there
        collecting.collect(invoice.pk)
    payment = invoice.payments.get()
    assert payment.status == "pending"
    with django_capture_on_commit_callbacks(execute=True):
        post(event("payment_intent.succeeded", payment.ref))
    invoice.refresh_from_db()
    assert invoice.status == "paid"


def test_a_card_that_is_detached_or_renewed_at_stripe_is_so_here(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, _subscription = payer("pro")
    first, second = add_card(stripe, organization, who), add_card(stripe, organization, who, FAILING_CARD)
    PaymentMethod.objects.filter(pk=second.pk).update(exp_year=2020)
    stripe.call("POST", f"/v1/payment_methods/{first.ref}/detach")
    with django_capture_on_commit_callbacks(execute=True):
        post(event("payment_method.detached", first.ref, "evt_1"))
        post(event("payment_method.automatically_updated", second.ref, "evt_2"))
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.removed_at is not None, first.is_default) == (True, False)
    assert (second.exp_year, second.is_default) == (2031, True)


def test_a_customer_that_is_deleted_at_stripe_takes_its_cards_along(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who)
    subscription.refresh_from_db()
    customer = subscription.customer_ref
    with django_capture_on_commit_callbacks(execute=True):
        post(event("customer.updated", customer, "evt_1"))
    assert payment_methods.methods_of(subscription).exists()
    stripe.call("DELETE", f"/v1/customers/{customer}")
    with django_capture_on_commit_callbacks(execute=True):
        post(event("customer.deleted", customer, "evt_2"))
    subscription.refresh_from_db()
    assert (subscription.gateway, subscription.customer_ref) == ("", "")
    assert not payment_methods.methods_of(subscription).exists()
    method = add_card(stripe, organization, who)
    assert method.is_default, "and it can begin again"


def test_what_is_not_ours_and_what_is_not_known_changes_nothing(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, _subscription = payer("pro")
    add_card(stripe, organization, who)
    before = list(PaymentMethod.objects.values())
    kinds = ["charge.refunded", "setup_intent.succeeded", "payment_intent.succeeded", "payment_method.updated",
             "customer.deleted", "customer.subscription.updated", "x"]  # fmt: skip
    with django_capture_on_commit_callbacks(execute=True):
        for number, kind in enumerate(kinds):
            assert post(event(kind, "seti_unknown", f"evt_{number}")).status_code == 200
    assert GatewayEvent.objects.filter(handled_at=None).count() == 0
    assert list(PaymentMethod.objects.values()) == before


def test_an_event_that_comes_while_stripe_is_down_is_handled_later(
    stripe: Stripe, django_capture_on_commit_callbacks: Any
):
    organization, who, _subscription = payer("pro")
    begun = payment_methods.begin_setup(actor=who, organization=organization)
    ref = stripe.confirm_card(begun.client_secret)["id"]
    assert post(event("setup_intent.succeeded", ref)).status_code == 200  # its task is lost
    row = GatewayEvent.objects.get()
    stripe.is_down = True
    with pytest.raises(Unavailable):
        webhooks.handle(row.pk)
    assert webhooks.sweep(timezone.now() + timedelta(minutes=5)) == 0
    stripe.is_down = False
    assert webhooks.sweep(timezone.now() + timedelta(minutes=10)) == 1
    assert PaymentMethod.objects.get().last4 == "4242"


def test_one_event_that_cannot_be_done_stops_nobody_s_payments(
    stripe: Stripe, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """BIL-7: an eleventh card, and a fault of ours: the event behind them is handled, and invoices are collected."""
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who)
    for number in range(payment_methods.MAX_METHODS - 1):
        subscription.payment_methods.create(gateway="stripe", ref=f"pm_{number}", brand="visa")
    begun = gateway_named("stripe").begin_setup(subscription)
    eleventh = webhooks.store(
        "evt_1", "setup_intent.succeeded", stripe.confirm_card(begun.client_secret)["id"]
    )
    faulty, last = webhooks.store("evt_2", "customer.updated", "cus_x"), webhooks.store("evt_3", "x.y", "z")
    invoice = open_invoice(subscription)

    def breaks(_ref: str) -> None:
        raise ValueError

    monkeypatch.setattr(webhooks, "_customer_changed", breaks)
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        sweep_payments()
    for row in (eleventh, faulty, last, invoice):
        row.refresh_from_db()
    assert "at most" in eleventh.failure
    assert [row.handled_at is not None for row in (eleventh, faulty, last)] == [True, False, True]
    assert f"event {faulty.pk} could not be handled" in caplog.text
    assert invoice.status == "paid"


def test_invoices_are_collected_though_the_sweep_of_events_fails(
    stripe: Stripe, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """BIL-7: and one invoice that fails holds up no other."""
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who)
    faulty, good = open_invoice(subscription), open_invoice(subscription)
    collect = collecting.collect

    def breaks(number: int) -> None:
        if number == faulty.pk:
            raise ValueError
        collect(number)

    def broken() -> int:
        raise ValueError

    monkeypatch.setattr(webhooks, "sweep", broken)
    monkeypatch.setattr(collecting, "collect", breaks)
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        sweep_payments()
    faulty.refresh_from_db()
    good.refresh_from_db()
    assert (faulty.status, good.status) == ("open", "paid")
    assert f"invoice {faulty.pk} could not be collected" in caplog.text


def test_stripe_s_own_events_arrive_at_a_server(stripe: Stripe, live_server: Any, transactional_db: None):
    """localstripe signs and posts them by itself, about a second after the payment."""
    organization, who, subscription = payer("pro")
    add_card(stripe, organization, who)
    stripe.tell(f"{live_server.url}{URL}")
    invoice = open_invoice(subscription)
    collecting.collect(invoice.pk)
    ours = {"kind": "payment_intent.succeeded", "object_ref": invoice.payments.get().ref}
    until(
        GatewayEvent.objects.filter(**ours).exists,
        "the event, before which those of the test before may come",
    )
    told = json.dumps(list(GatewayEvent.objects.values("kind", "object_ref", "event_ref")))
    assert "4242" not in told
