"""Ways to pay as they are kept and removed (BIL-7)."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actor import SYSTEM
from billing.gateways import gateway_named
from billing.gateways.base import MethodFacts
from billing.payments import services as payment_methods
from billing.tasks import sweep_payments
from billing.tests.paying import add_card, payer
from common.errors import Conflict, Invalid
from tests.fakes.stripe import FAILING_CARD, Stripe

pytestmark = pytest.mark.django_db
CARD = MethodFacts("pm_1", "visa", "4242", 12, 2031)


def test_a_way_to_pay_that_was_removed_is_not_answered_as_if_it_were_added():
    """BIL-7: a setup that is finished again after its card was removed."""
    _organization, who, subscription = payer("free")
    method = payment_methods.attach_method(who, subscription, "stripe", CARD)
    assert payment_methods.attach_method(who, subscription, "stripe", CARD) == method, "the same one again"
    payment_methods.remove_method(actor=who, method=method)
    with pytest.raises(Conflict, match="was removed"):
        payment_methods.attach_method(SYSTEM, subscription, "stripe", CARD)


def test_another_payer_s_card_is_not_answered_either():
    """BIL-7."""
    payment_methods.attach_method(SYSTEM, payer("free")[2], "stripe", CARD)
    with pytest.raises(Conflict, match="not added for this organization"):
        payment_methods.attach_method(SYSTEM, payer("free")[2], "stripe", CARD)


def test_a_removed_card_is_detached_however_long_its_task_was_lost(
    stripe: Stripe, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """BIL-7: the broker lost the task, then Stripe was down; one that Stripe will not let go holds up no other."""
    organization, who, subscription = payer("free")
    stuck = payment_methods.attach_method(who, subscription, "stripe", CARD)
    method = add_card(stripe, organization, who)
    other = add_card(stripe, organization, who, FAILING_CARD)
    for removed in (stuck, method):
        payment_methods.remove_method(actor=who, method=removed)
    gateway = gateway_named("stripe")
    forget = gateway.forget

    def refuses_one(ref: str) -> None:
        if ref == stuck.ref:
            raise Invalid("It stays.")
        forget(ref)

    monkeypatch.setattr(gateway, "forget", refuses_one)

    def swept(minutes: int) -> bool:
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            sweep_payments()
        method.refresh_from_db()
        return method.forgotten_at is not None

    stripe.is_down = True
    assert not swept(5)
    stripe.is_down = False
    assert stripe.call("GET", f"/v1/payment_methods/{method.ref}")["customer"], "still chargeable"
    assert swept(10)
    assert f"payment method {stuck.pk} is removed, and the gateway keeps it" in caplog.text
    assert not stripe.call("GET", f"/v1/payment_methods/{method.ref}")["customer"]
    other.refresh_from_db()
    assert other.forgotten_at is None
    stripe.asked.clear()
    swept(15)
    assert not [asked for asked in stripe.asked if asked.path.endswith("/detach")], "told once"
