"""Organizations that pay: with a card on file, on a plan, with an open invoice."""

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actor import Actor
from billing.invoices.drafts import LineDraft
from billing.invoices.issuing import issue
from billing.models import Invoice, InvoiceKind, PaymentMethod, Plan, Subscription
from billing.payments import services as payment_methods
from billing.subscriptions.selectors import subscription_of
from teams.models import Organization
from tests.factories import OrganizationFactory, UserFactory, actor
from tests.fakes.stripe import GOOD_CARD, Stripe
from tests.plans import offer_plans
from usage.periods import period_at


def plan(key: str) -> Plan:
    """Return a plan as a fresh installation seeds it, where an operator offers Free and Pro."""
    offer_plans()
    return Plan.objects.get(key=key)


def payer(on: str = "free", **named: Any) -> tuple[Organization, Actor, Subscription]:
    """Return an organization on a plan, its billing admin and its subscription."""
    admin = UserFactory()
    organization = OrganizationFactory(admin=admin, **named)
    Subscription.objects.filter(organization=organization).update(plan=plan(on))
    return organization, actor(admin), subscription_of(organization)


def add_card(
    stripe: Stripe, organization: Organization, who: Actor, number: str = GOOD_CARD
) -> PaymentMethod:
    """Add a card as the page does."""
    setup = payment_methods.begin_setup(actor=who, organization=organization)
    confirmed = stripe.confirm_card(setup.client_secret, number)
    return payment_methods.add_method(actor=who, organization=organization, setup=confirmed["id"])


def issued(subscription: Subscription, amount: str, kind: InvoiceKind = InvoiceKind.CHANGE) -> Invoice | None:
    """Issue an invoice of so many dollars, if that makes one."""
    now, price = timezone.now(), Decimal(amount)
    drafts = [LineDraft("plan", "Pro plan", Decimal(1), "period", price, price)]
    with transaction.atomic():
        return issue(subscription, kind, period_at(now), drafts, now)


def open_invoice(subscription: Subscription, amount: str = "60") -> Invoice:
    """Issue an invoice of so many dollars."""
    made = issued(subscription, amount)
    assert made is not None
    return made
