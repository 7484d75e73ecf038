"""Whether an organization is billed: an installation that bills nobody shows usage but no prices."""

from django.db.models import Exists, OuterRef, Q

from access.actor import Actor
from billing.models import Invoice, Plan, Subscription
from teams.models import Organization, OrganizationMember

_PRICES = (
    "price_usd", "hour_price_usd", "storage_price_usd", "extra_storage_price_usd", "ingestion_price_usd"
)  # fmt: skip


def _priced() -> Q:
    """Return a condition on plans: they can come to cost something, or their price is agreed on by contact."""
    condition = Q(by_contact=True)
    for name in _PRICES:
        condition |= Q(**{f"{name}__gt": 0})
    return condition


def billed() -> Q:
    """Return a condition on subscriptions: the organization is on a plan with a price, may choose one, or was invoiced.

    Personal entities choose no plan and get no invoice: they never are.
    """
    of_it = Q(pk=OuterRef("plan_id")) | Q(pk=OuterRef("next_plan_id"))
    left = Subscription.former_plans.through.objects.filter(subscription=OuterRef(OuterRef("pk")))
    offered = Q(is_offered=True) | Q(by_contact=True) | Q(pk__in=left.values("plan"))
    plans = Plan.objects.filter(_priced()).filter(of_it | offered)
    invoices = Invoice.objects.filter(subscription=OuterRef("pk"))
    return Q(organization__isnull=False) & (Q(Exists(plans)) | Q(Exists(invoices)))


def is_billed(subscription: Subscription) -> bool:
    """Say whether money comes into it; one query."""
    return Subscription.objects.filter(billed(), pk=subscription.pk).exists()


def is_billed_organization(organization: Organization) -> bool:
    """Say the same of an organization; one query."""
    return Subscription.objects.filter(billed(), organization=organization).exists()


def belongs_to_billed(actor: Actor) -> bool:
    """Say whether money comes into any organization that the actor is in; one query."""
    mine = OrganizationMember.objects.filter(user=actor.lookup_id, organization__deleted_at__isnull=True)
    return Subscription.objects.filter(billed(), organization__in=mine.values("organization")).exists()
