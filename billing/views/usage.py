"""Pages of usage (BIL-5): of an organization, and of one team."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from billing.access import BillingAction
from billing.models import Subscription
from billing.pages import framed
from billing.selectors import sums
from billing.selectors.allowance import allowance_of
from billing.selectors.billed import is_billed
from billing.selectors.measures import measures_shown
from billing.selectors.usage import metered_at, until_between
from billing.selectors.usage_page import usage_page
from billing.selectors.usage_wanted import BY, Wanted, periods_of
from billing.subscriptions import subscription_of, subscription_of_team, teams_of
from billing.usage_csv import Asked, export, last_months
from common.web.responses import fragment
from teams.access import TeamAction
from teams.views.base import organization_of, team_of


def _context(
    request: HttpRequest, subscription: Subscription, team_ids: sums.TeamIds, *, of_team: bool
) -> dict[str, Any]:
    now, counted = timezone.now(), metered_at()
    wanted = Wanted.of(
        request.GET.dict(), subscription.anchor_day, now, of_team=of_team, measures=measures_shown()
    )
    until = (counted or now) if wanted.by == "month" else until_between(wanted.period, counted)
    page = usage_page(actor_of(request), team_ids, wanted, until, of_team=of_team)
    return {
        "usage": page,
        "wanted": wanted,
        "metered_at": counted,
        "csv_months": last_months(now),
        "periods": periods_of(subscription, now),
        "tabs": [(key, label, wanted.link(by=key, sort=None)) for key, label in BY.items()
                 if not (key == "team" and (of_team or wanted.team is not None))],
    }  # fmt: skip


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what an organization used, by month, team, project and person."""
    row = organization_of(request, entity, BillingAction.VIEW)
    subscription = subscription_of(row)
    context = _context(request, subscription, teams_of(subscription).values("pk"), of_team=False) | {
        **framed(row, "usage"),
        "csv_url": reverse("billing:usage_csv", args=[row.name]),
    }
    return render(request, fragment(request, "billing/usage.html", "usage"), context)


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def organization_csv(request: HttpRequest, entity: str) -> StreamingHttpResponse:
    """Download usage by calendar month, team and project as CSV; ``user=1`` splits it by person."""
    row = organization_of(request, entity, BillingAction.VIEW)
    team_ids = teams_of(subscription_of(row)).values("pk")
    return export(actor_of(request), team_ids, Asked.of(request.GET.dict(), timezone.now()), row.name)


@declare(TeamAction.VIEW_USAGE)
@never_cache
@require_GET
def team(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what a team used, by month, project and person."""
    row = team_of(request, entity, TeamAction.VIEW_USAGE)
    subscription = subscription_of_team(row)
    context = _context(request, subscription, [row.pk], of_team=True) | {
        "team": row,
        "is_billed": is_billed(subscription),
        "allowance": allowance_of(actor_of(request), row),
        "csv_url": reverse("billing:team_usage_csv", args=[row.name]),
    }
    return render(request, fragment(request, "billing/team_usage.html", "usage"), context)


@declare(TeamAction.VIEW_USAGE)
@never_cache
@require_GET
def team_csv(request: HttpRequest, entity: str) -> StreamingHttpResponse:
    """Download one team's usage as CSV."""
    row = team_of(request, entity, TeamAction.VIEW_USAGE)
    return export(actor_of(request), [row.pk], Asked.of(request.GET.dict(), timezone.now()), row.name)
