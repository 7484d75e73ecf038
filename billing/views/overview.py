"""The overview of an organization's billing: its plan, limits and use (BIL-1, BIL-2)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from billing.overview.selectors import overview_of
from teams.views.base import organization_of
from usage.access import BillingAction
from usage.views.frame import frame_context


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def overview(request: HttpRequest, entity: str) -> HttpResponse:
    """Show the plan, each limit with its use, and what else there is of billing."""
    organization = organization_of(request, entity, BillingAction.VIEW)
    context = overview_of(actor_of(request), organization)
    return render(
        request, "billing/overview/overview.html", {**frame_context(organization, "overview"), **context}
    )
