"""What the views of billing share."""

from django.http import HttpRequest

from access.web import actor_of
from billing.access import BillingAction
from teams.models import Organization
from teams.selectors import organization_named


def organization_of(request: HttpRequest, name: str, action: str = BillingAction.VIEW) -> Organization:
    """Return the organization of a page of billing; raises as `teams.selectors.organization_named`."""
    return organization_named(actor_of(request), name, action)
