"""What Stripe sends us: each event is kept once, and then the object it is about is read from Stripe.

So neither the order in which events come nor what they say of the object matters, and an event that comes again, or
was lost and is found by the sweep, changes nothing.
"""

import json
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from celery import signature
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from access.actor import SYSTEM
from billing import gateways
from billing.models import GatewayEvent, Payment, PaymentMethod, Subscription
from billing.payments import collecting
from billing.payments import services as payment_methods
from common.database.commits import after_commit
from common.errors import DomainError, Invalid, NotFound, Unavailable

logger = logging.getLogger(__name__)

TOLERANCE_S = 300
"""How old a signature may be."""
MAX_EVENT_BYTES = 256 * 1024
"""Stripe's are a few kilobytes."""
TRIED_FOR = timedelta(days=3)
"""So long the sweep goes on with an event that could not be handled."""


def require_configured() -> None:
    """Refuse events where none are expected.

    Raises:
        NotFound: no secret is set up for these.
    """
    if not settings.STRIPE_WEBHOOK_SECRET:
        raise NotFound("No Stripe webhook is set up: RUNYARD_STRIPE_WEBHOOK_SECRET is empty.")


def receive(payload: bytes, signature: str) -> GatewayEvent:
    """Keep an event that Stripe signed, and ask for it to be handled; one that is known is left alone.

    Raises:
        NotFound: no secret is set up for these.
        Invalid: the signature is missing, wrong or too old, or it is no event; the message says which.
    """
    import stripe

    require_configured()
    try:
        stripe.WebhookSignature.verify_header(
            payload.decode(), signature, settings.STRIPE_WEBHOOK_SECRET, TOLERANCE_S
        )
        event = json.loads(payload)
        ref, kind, about = str(event["id"]), str(event["type"]), event["data"]["object"]
        return store(ref, kind, str(about.get("id") or ""))
    except stripe.SignatureVerificationError as error:
        raise Invalid(f"Invalid signature: {error.user_message or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Invalid("This isn’t a Stripe event.") from None


@transaction.atomic
def store(event_ref: str, kind: str, object_ref: str) -> GatewayEvent:
    """Store an event once, and ask for it to be handled."""
    event, is_new = GatewayEvent.objects.get_or_create(
        gateway=gateways.STRIPE.key,
        event_ref=event_ref[:120],
        defaults={"kind": kind[:80], "object_ref": object_ref[:120]},
    )
    if is_new:
        # by its name: tasks import what handles events
        after_commit(signature("billing.tasks.handle_event").delay, event.pk)
    return event


def handle(event_id: int) -> None:
    """Do what an event asks for, once or as often as it takes; what is refused is kept as its failure.

    Raises:
        Unavailable: Stripe does not answer; the event waits.
    """
    event = GatewayEvent.objects.get(pk=event_id)
    if event.handled_at is not None:
        return
    failure = ""
    act = _handler_of(event.kind)
    if act is not None and settings.STRIPE_SECRET_KEY:
        try:
            act(event.object_ref)
        except Unavailable:
            raise
        except DomainError as error:
            failure = error.message[:300]
            logger.warning(
                "event %s (%s) of Stripe changed nothing: %s", event.event_ref, event.kind, failure
            )
    rows = GatewayEvent.objects.filter(pk=event.pk, handled_at=None)
    rows.update(handled_at=timezone.now(), failure=failure)


def sweep(now: datetime | None = None) -> int:
    """Handle events whose task was lost; returns how many were looked at. One that fails holds up no other."""
    now = now or timezone.now()
    waiting = GatewayEvent.objects.filter(
        handled_at=None, received_at__lte=now - collecting.SWEEP_DELAY, received_at__gt=now - TRIED_FOR
    )
    numbers = list(waiting.order_by("pk").values_list("pk", flat=True)[: collecting.BATCH_SIZE])
    for looked_at, number in enumerate(numbers):
        try:
            handle(number)
        except Unavailable:
            return looked_at
        except Exception:
            logger.exception("event %s could not be handled", number)
    return len(numbers)


def _handler_of(kind: str) -> Callable[[str], None] | None:
    """Return what is done about a kind of event; None: nothing."""
    if kind == "setup_intent.succeeded":
        return _setup_ended
    by_group = {
        "payment_intent": _payment_moved,
        "payment_method": _method_changed,
        "customer": _customer_changed,
    }
    group, _, rest = kind.partition(".")
    return by_group.get(group) if "." not in rest else None


def _setup_ended(ref: str) -> None:
    """Add the card, should the browser not have come back to say so."""
    customer = gateways.STRIPE.customer_of_setup(ref)
    subscription = Subscription.objects.filter(gateway=gateways.STRIPE.key, customer_ref=customer).first()
    if customer and subscription is not None:
        facts = gateways.STRIPE.finish_setup(subscription, ref)
        payment_methods.attach_method(SYSTEM, subscription, gateways.STRIPE.key, facts)


def _payment_moved(ref: str) -> None:
    payment = (
        Payment.objects.filter(gateway=gateways.STRIPE.key, ref=ref).order_by("pk").first() if ref else None
    )
    if payment is not None:
        collecting.refresh(payment)


def _method_changed(ref: str) -> None:
    """Take over what the bank says of a card, such as its new expiry; end one that was detached."""
    rows = PaymentMethod.objects.filter(gateway=gateways.STRIPE.key, ref=ref, removed_at=None)
    method = rows.select_related("subscription").first()
    if method is None:
        return
    facts = gateways.STRIPE.facts_of(ref)
    if facts is None:
        payment_methods.detach_method(method)
    else:
        rows.update(
            brand=facts.brand, last4=facts.last4, exp_month=facts.exp_month, exp_year=facts.exp_year,
            updated_at=timezone.now(),
        )  # fmt: skip


def _customer_changed(ref: str) -> None:
    """Forget the cards of a customer that was deleted at Stripe; all else of customers is ours."""
    rows = Subscription.objects.filter(gateway=gateways.STRIPE.key, customer_ref=ref)
    subscription = rows.first() if ref else None
    if subscription is None or gateways.STRIPE.has_customer(ref):
        return
    for method in subscription.payment_methods.filter(gateway=gateways.STRIPE.key, removed_at=None):
        payment_methods.detach_method(method)
    rows.update(gateway="", customer_ref="")
