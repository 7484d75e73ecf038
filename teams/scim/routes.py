"""The one route of SCIM."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from access.routes import declare
from teams.access import OrganizationAction


@declare(OrganizationAction.MANAGE_MEMBERS)
@csrf_exempt  # asks for a key in a header, which no other site's page can send; a session is never looked at
@never_cache
def scim(request: HttpRequest, entity: str, path: str) -> HttpResponse:
    """Serve every endpoint of an organization.

    The endpoints are imported with the first request: their schemas take a third of the time in which all other pages
    are imported, and few installations have an identity provider that asks.
    """
    from teams.scim import views

    return views.serve(request, entity, path)
