"""Ways by which money comes: bank transfer, and Stripe where the operator set it up (docs/operate/billing.md)."""

from django.conf import settings

from billing.gateways.base import Gateway
from billing.gateways.manual import ManualGateway
from billing.gateways.stripe import StripeGateway
from billing.models import PaymentMethod, Subscription

MANUAL, STRIPE = ManualGateway(), StripeGateway()


def automatic_gateways() -> list[Gateway]:
    """Return the gateways that are set up and take money by themselves."""
    return [STRIPE] if settings.STRIPE_SECRET_KEY else []


def gateway_named(key: str) -> Gateway:
    """Return a gateway; one that is not set up, or not known, is bank transfer."""
    return next((gateway for gateway in automatic_gateways() if gateway.key == key), MANUAL)


def gateway_of(subscription: Subscription) -> Gateway:
    """Return by which gateway a payer adds ways to pay: Stripe where it is set up, unless operators chose otherwise."""
    return MANUAL if subscription.pays_by_transfer else gateway_named(STRIPE.key)


def gateway_and_method(subscription: Subscription) -> tuple[Gateway, PaymentMethod | None]:
    """Return by which gateway the next invoice is paid, and the method; None where there is none yet."""
    if subscription.pays_by_transfer:
        methods = subscription.payment_methods.filter(gateway=MANUAL.key, removed_at=None)
        return MANUAL, methods.first()
    default = _default(subscription)
    if default is None:
        return gateway_of(subscription), None
    return gateway_named(default.gateway), default


def card_of(subscription: Subscription) -> PaymentMethod | None:
    """Return what open invoices of cards, and *Pay now*, are charged to; None where bank transfer is the default."""
    default = _default(subscription)
    return default if default is not None and gateway_named(default.gateway).is_automatic else None


def _default(subscription: Subscription) -> PaymentMethod | None:
    return subscription.payment_methods.filter(is_default=True, removed_at=None).first()
