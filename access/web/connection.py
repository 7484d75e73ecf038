"""``/accounts/connection/``: what this server takes a request for, so that ``doctor`` can compare."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import Open, declare
from access.web.requests import address_of


@declare(Open.ANYONE)
@never_cache
@require_GET
def connection(request: HttpRequest) -> JsonResponse:
    """Return the URL that this server builds for its own start page, and the address that it takes for the client's."""
    return JsonResponse({"url": request.build_absolute_uri("/"), "address": address_of(request)})
