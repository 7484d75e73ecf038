"""Billing as one person meets it: where it opens, and the plan of one's own entity (BIL-1)."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.engine import visible
from access.routes import Open, declare
from access.web.requests import actor_of
from billing.billing_admins.contacts import billing_admin_names
from billing.limits.selectors import LimitKind, limits_of
from billing.overview.selectors import is_refused, trial_days_left
from billing.overview.tiles import tiles_of
from billing.subscriptions.billed import belongs_to_billed
from billing.subscriptions.selectors import subscription_of_team
from teams.members.selectors import admin_names, organization_memberships_of
from teams.models import Organization, Team, TeamKind
from usage.access import BillingAction


def _visible_organizations(request: HttpRequest) -> list[Organization]:
    """Return the organizations whose billing the viewer sees as one of them, by name."""
    actor = actor_of(request)
    mine = organization_memberships_of(actor).values("organization_id")
    rows = visible(
        actor, BillingAction.VIEW, Organization.objects.filter(pk__in=mine, deleted_at__isnull=True)
    )
    return list(rows.select_related("claim", "subscription__plan").order_by("name"))


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """Lead to the billing of the viewer's organization; of several they choose, of none it is their own plan."""
    seen = _visible_organizations(request)
    if len(seen) == 1:
        return redirect("billing:overview", seen[0].name)
    return redirect("billing:own")


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def own(request: HttpRequest) -> HttpResponse:
    """Show the plan and use of one's own entity, and the organizations whose billing one sees."""
    actor, now = actor_of(request), timezone.now()
    team = Team.objects.filter(memberships__user=actor.lookup_id, kind=TeamKind.PERSONAL).first()
    context: dict[str, Any] = {
        "organizations": _visible_organizations(request), "others": _others(request),
        "is_billed": belongs_to_billed(actor),
    }  # fmt: skip
    if team is not None:
        subscription = subscription_of_team(team)
        state = limits_of(subscription, now)
        context |= {
            "subscription": subscription, "plan": subscription.plan, "tiles": tiles_of(subscription, now),
            "storage": state.of(LimitKind.STORAGE), "period": state.period,
            "last_day": state.period.last_day, "enforced": settings.ENFORCE_LIMITS,
            "is_refused": is_refused(subscription, state), "trial_days_left": trial_days_left(subscription, now),
        }  # fmt: skip
    return render(request, "billing/overview/own.html", context)


def _others(request: HttpRequest) -> list[tuple[Organization, list[str]]]:
    """Return the viewer's organizations whose billing others look after, and who."""
    seen = {row.pk for row in _visible_organizations(request)}
    rows = [
        row.organization
        for row in organization_memberships_of(actor_of(request))
        if row.organization_id not in seen
    ]
    return [(row, billing_admin_names(row) or admin_names(row)) for row in rows]
