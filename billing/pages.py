"""What the views of billing share."""

from typing import Any

from django.http import HttpRequest

from access.web.requests import actor_of
from billing.access import BillingAction
from billing.selectors.billed import is_billed_organization
from teams.models import Organization
from teams.teams.selectors import organization_named


def organization_of(request: HttpRequest, name: str, action: str = BillingAction.VIEW) -> Organization:
    """Return the organization of a page of billing; raises as `teams.teams.selectors.organization_named`."""
    return organization_named(actor_of(request), name, action)


def framed(organization: Organization, tab: str) -> dict[str, Any]:
    """Return what the frame of an organization's pages needs: whether they tell of money, and which tab is open."""
    return {"organization": organization, "tab": tab, "is_billed": is_billed_organization(organization)}
