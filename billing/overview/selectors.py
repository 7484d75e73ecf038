"""What the overview of billing shows: the plan, seats, use, and what leads on (BIL-2)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from access.actor import Actor
from access.engine import can, visible
from billing.billing_admins.contacts import billing_admin_names, plan_admins_message, sales_contact
from billing.gateways import gateway_and_method
from billing.limits.selectors import SEATS, LimitKind, Limits, limits_of, refused_from
from billing.models import Invoice, InvoiceStatus, PaymentMethod, Plan, Subscription
from billing.overview.tiles import tiles_of
from billing.plans.pricing import recurring_usd
from billing.plans.selectors import has_comparison, price_of
from billing.subscriptions.selectors import subscription_of
from billing.usage_alerts.selectors import alerts_sent
from storage.models import Holding
from teams.access import TeamAction
from teams.models import Organization, Team
from usage.access import BillingAction
from usage.formatting import gigabytes

_LAST = 3
_MOST_TEAMS = 5


@dataclass(frozen=True, slots=True)
class PaymentOverview:
    """What the cards of payment and invoices show."""

    method: PaymentMethod | None
    invoices: list[Invoice]
    open_usd: Any
    """What is due of all open invoices."""


def overview_of(actor: Actor, organization: Organization) -> dict[str, Any]:
    """Return what the page of an organization's billing shows, a fixed number of queries."""
    subscription, now = subscription_of(organization), timezone.now()
    state = limits_of(subscription, now)
    return {
        "subscription": subscription,
        "plan": subscription.plan,
        "price": price_of(subscription.plan),
        "recurring_usd": recurring_usd(subscription),
        "period": state.period,
        "next_plan": coming_plan(subscription),
        "trial_days_left": trial_days_left(subscription, now),
        "may_undo": subscription.has_next,
        "alerts_sent": alerts_sent(subscription, now),
        "seats": [limit for limit in state.all if limit.kind in SEATS],
        "storage": state.of(LimitKind.STORAGE),
        "last_day": state.period.last_day,
        "stores": _largest_teams(actor, organization),
        "enforced": settings.ENFORCE_LIMITS,
        "tiles": tiles_of(subscription, now),
        "refused_from": refused_from(subscription),
        "is_refused": is_refused(subscription, state),
        "money": _payment_overview(subscription),
        "admins": billing_admin_names(organization),
        "may_manage": can(actor, BillingAction.MANAGE, organization),
        "contacts": plan_admins_message(organization),
        "sales": sales_contact(),
        "has_comparison": has_comparison(subscription),
    }


def coming_plan(subscription: Subscription) -> Plan | None:
    """Return the plan from the period's end on, if it is another."""
    coming = subscription.next_plan
    return None if coming is None or coming.pk == subscription.plan_id else coming


def trial_days_left(subscription: Subscription, now: datetime) -> int:
    """Return for how many days a trial goes on, the one under way included; 0 for none."""
    if subscription.trial_ends_at is None:
        return 0
    return max(0, ceil((subscription.trial_ends_at - now) / timedelta(days=1)))


def is_refused(subscription: Subscription, state: Limits) -> bool:
    """Whether uploads of files are refused now."""
    since, storage = refused_from(subscription), state.of(LimitKind.STORAGE)
    return since is not None and since <= timezone.now() and storage is not None and storage.is_exceeded


def _largest_teams(actor: Actor, organization: Organization) -> list[tuple[Team, str]]:
    """Return the teams that hold most and whose storage the actor may manage, with how much that is."""
    teams = visible(actor, TeamAction.VIEW_USAGE, Team.objects.filter(organization=organization))
    stored = dict(
        Holding.objects.filter(team_id__in=teams.values("pk"))
        .values_list("team_id")
        .annotate(total=Sum("size_bytes"))
    )
    rows = sorted(teams, key=lambda team: (-stored.get(team.pk, 0), team.name))
    return [(team, gigabytes(stored.get(team.pk, 0))) for team in rows[:_MOST_TEAMS]]


def _payment_overview(subscription: Subscription) -> PaymentOverview:
    _gateway, method = gateway_and_method(subscription)
    invoices = Invoice.objects.filter(subscription=subscription)
    due = invoices.filter(status=InvoiceStatus.OPEN).aggregate(total=Sum("total_usd"))["total"]
    return PaymentOverview(method, list(invoices.order_by("-pk")[:_LAST]), due)
