"""Ways by which money comes: bank transfer, and Stripe where the operator set it up (docs/operate/billing.md)."""

from django.conf import settings

from billing.gateways.base import Gateway
from billing.gateways.manual import ManualGateway
from billing.gateways.stripe import StripeGateway
from billing.models import Subscription

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
