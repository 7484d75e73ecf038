"""Plans side by side (BIL-2)."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from billing.billing_admins.contacts import plan_admins_message, sales_contact
from billing.plans.selectors import comparison_of
from billing.subscriptions.selectors import subscription_of
from teams.views.base import organization_of
from usage.access import BillingAction
from usage.views.frame import frame_context


@declare(BillingAction.VIEW)
@never_cache
@require_GET
def compare(request: HttpRequest, entity: str) -> HttpResponse:
    """Compare the plan of an organization with those there are; billing admins choose one."""
    organization = organization_of(request, entity, BillingAction.VIEW)
    subscription = subscription_of(organization)
    frame = frame_context(organization, "overview")
    context = {
        **frame,
        "subscription": subscription,
        "comparison": comparison_of(subscription, is_billed=frame["is_billed"]),
        "may_manage": can(actor_of(request), BillingAction.MANAGE, organization),
        "contacts": plan_admins_message(organization),
        "enforced": settings.ENFORCE_LIMITS,
        "sales": sales_contact(),
    }
    return render(request, "billing/plans/comparison.html", context)
