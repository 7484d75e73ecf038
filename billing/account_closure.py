"""What must be settled or handed over before an organization or an account ends, and what of billing goes with them.

Subscriptions, invoices and ledgers stay: they are history, and speak of who is gone by name or number.
"""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor
from accounts.lifecycle.participants import Obstacle
from accounts.models import User
from billing.billing_admins import services as admins
from billing.models import Invoice, InvoiceStatus, Subscription
from billing.plans import pricing
from billing.subscriptions.billed import is_billed_organization
from billing.subscriptions.selectors import subscription_of
from billing.subscriptions.usage import use_of
from common.errors import Conflict
from teams.models import Organization, OrganizationMember, Team
from usage.periods import Period, period_of
from usage.units import ZERO


def unsettled(organization: Organization) -> Iterator[str]:
    """Yield what keeps an organization from ending, in whole sentences: what it pays for, owes, or will owe."""
    subscription, names = subscription_of(organization), {"organization": organization.name}
    plan, extra_gb = subscription.next_terms
    is_free = subscription.is_trial and subscription.next_plan is None
    if not is_free and (monthly := pricing.terms_usd(plan, extra_gb)):
        text = _(
            "%(organization)s pays for the plan %(plan)s: %(amount)s US dollars a month. Cancel it first."
        )
        yield text % {**names, "plan": plan.name, "amount": monthly}
    numbers = Invoice.objects.filter(subscription=subscription, status=InvoiceStatus.OPEN).order_by("pk")
    if open_ones := list(numbers.values_list("number", flat=True)[:5]):
        text = _("%(organization)s has unpaid invoices: %(numbers)s.")
        yield text % {**names, "numbers": ", ".join(open_ones)}
    if owed := not_invoiced_usd(subscription, timezone.now()):
        text = _(
            "%(organization)s has used %(amount)s US dollars above its plan. This must be invoiced first."
        )
        yield text % {**names, "amount": owed}


def not_invoiced_usd(subscription: Subscription, now: datetime) -> Decimal:
    """Return what use beyond the plan costs in the periods that are not closed."""
    plan = subscription.plan
    if not any((plan.hour_price_usd, plan.storage_price_usd, plan.ingestion_price_usd)):
        return ZERO
    total = ZERO
    for period in _open_periods(subscription, now):
        lines = pricing.usage_lines(subscription, use_of(subscription, period).amounts, period)
        total += pricing.overage_usd(lines)
    return total


def _open_periods(subscription: Subscription, now: datetime) -> Iterator[Period]:
    first = subscription.closed_to or subscription.created_at.date()
    period = period_of(first, subscription.anchor_day)
    while period.starts_at <= now:
        yield period
        period = period.next(subscription.anchor_day)


def end_organization(_actor: Actor, organization: Organization) -> None:
    """Refuse to end an organization that is not settled.

    Its billing admins stay on record: the last invoice goes to them (`billing.invoices.mails`).

    Raises:
        Conflict: what is to be settled.
    """
    if reasons := list(unsettled(organization)):
        raise Conflict(" ".join(reasons))


def obstacles_of(user: User) -> Iterator[Obstacle]:
    """Yield whose billing somebody must hand over before their account ends; where they are alone, what to settle."""
    for organization in _administered_by(user):
        names = {"organization": organization.name}
        if organization.stays:  # type: ignore[attr-defined]  # annotated
            if admins.is_last(organization, user):
                text = (
                    _(
                        "You are the only billing admin of %(organization)s. Transfer billing to "
                        "another admin."
                    )
                    if is_billed_organization(organization)
                    else _("You are the only usage admin of %(organization)s. Make another admin one first.")
                )
                yield Obstacle(text % names, reverse("billing:roles", args=[organization.name]))
            continue
        for text in unsettled(organization):
            yield Obstacle(text, reverse("billing:overview", args=[organization.name]))


def _administered_by(user: User) -> QuerySet[Organization]:
    """Return the organizations that somebody is billing admin, or the only admin, of; ``stays``: others are in it."""
    others = OrganizationMember.objects.filter(organization=OuterRef("pk")).exclude(user=user)
    teams = Team.objects.live().filter(organization=OuterRef("pk"))
    chief = Q(members__user=user, members__role__preset=Preset.ORGANIZATION_ADMIN)
    return (
        Organization.objects.filter(Q(billing_admins__user=user) | chief, deleted_at__isnull=True)
        .annotate(stays=Q(Exists(others)) | Q(Exists(teams)))
        .distinct()
        .order_by("name")
    )
