"""What the views of billing share."""

from django.http import HttpRequest

from access.web.requests import actor_of
from teams.models import Organization
from teams.teams.selectors import organization_named
from usage.access import BillingAction


def organization_of(request: HttpRequest, name: str, action: str = BillingAction.VIEW) -> Organization:
    """Return the organization of a page of billing; raises as `teams.teams.selectors.organization_named`."""
    return organization_named(actor_of(request), name, action)
