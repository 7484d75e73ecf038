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
from common.web.responses import fragment
from teams.access import TeamAction
from teams.models import Organization, Team
from teams.views.base import organization_of, team_of
from usage.access import BillingAction
from usage.policy import usage_policy
from usage.reports import sums
from usage.reports.categories import shown_categories
from usage.reports.csv_export import UsageExportRequest, export, last_months
from usage.reports.filters import BY, UsageFilter, periods_of
from usage.reports.page import usage_page
from usage.reports.usage_totals import metered_at, until_between
from usage.views.frame import frame_context


def _context(
    request: HttpRequest, payer: Organization | Team, team_ids: sums.TeamIds, *, of_team: bool
) -> dict[str, Any]:
    now, counted, anchor_day = timezone.now(), metered_at(), usage_policy().anchor_day_of(payer)
    usage_filter = UsageFilter.of(
        request.GET.dict(), anchor_day, now, of_team=of_team, measures=shown_categories()
    )
    until = (counted or now) if usage_filter.by == "month" else until_between(usage_filter.period, counted)
    page = usage_page(actor_of(request), team_ids, usage_filter, until, of_team=of_team)
    return {
        "usage": page,
        "usage_filter": usage_filter,
        "metered_at": counted,
        "csv_months": last_months(now),
        "periods": periods_of(anchor_day, now),
        "tabs": [(key, label, usage_filter.link(by=key, sort=None)) for key, label in BY.items()
                 if not (key == "team" and (of_team or usage_filter.team is not None))],
    }  # fmt: skip


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what an organization used, by month, team, project and person."""
    row = organization_of(request, entity, BillingAction.VIEW)
    context = _context(request, row, sums.teams_of(row), of_team=False) | {
        **frame_context(row, "usage"),
        "csv_url": reverse("usage:usage_csv", args=[row.name]),
    }
    return render(request, fragment(request, "usage/reports/organization.html", "usage"), context)


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def organization_csv(request: HttpRequest, entity: str) -> StreamingHttpResponse:
    """Download usage by calendar month, team and project as CSV; ``user=1`` splits it by person."""
    row = organization_of(request, entity, BillingAction.VIEW)
    return export(
        actor_of(request),
        sums.teams_of(row),
        UsageExportRequest.of(request.GET.dict(), timezone.now()),
        row.name,
    )


@declare(TeamAction.VIEW_USAGE)
@never_cache
@require_GET
def team(request: HttpRequest, entity: str) -> HttpResponse:
    """Show what a team used, by month, project and person."""
    row = team_of(request, entity, TeamAction.VIEW_USAGE)
    context = _context(request, row, [row.pk], of_team=True) | {
        "team": row,
        "is_billed": usage_policy().is_billed(row.organization_id),
        "allowance": usage_policy().allowance_of(actor_of(request), row),
        "csv_url": reverse("usage:team_usage_csv", args=[row.name]),
    }
    return render(request, fragment(request, "usage/reports/team.html", "usage"), context)


@declare(TeamAction.VIEW_USAGE)
@never_cache
@require_GET
def team_csv(request: HttpRequest, entity: str) -> StreamingHttpResponse:
    """Download one team's usage as CSV."""
    row = team_of(request, entity, TeamAction.VIEW_USAGE)
    return export(
        actor_of(request), [row.pk], UsageExportRequest.of(request.GET.dict(), timezone.now()), row.name
    )
