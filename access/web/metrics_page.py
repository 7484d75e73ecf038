"""`/metrics`: for a scraper that has the token, and for operators who are signed in."""

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from access.routes import Open, declare
from common.errors import Forbidden
from common.telemetry.exposition import expose


def _has_token(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if not settings.METRICS_TOKEN or scheme.lower() != "bearer":
        return False
    return constant_time_compare(given.strip(), settings.METRICS_TOKEN)


def _not_signed_in(request: HttpRequest) -> HttpResponse:
    if "text/html" in request.headers.get("Accept", ""):
        return redirect_to_login(request.get_full_path())
    message = "Send the token of RUNYARD_METRICS_TOKEN as a Bearer token, or sign in as an operator."
    body = {"error": {"code": "unauthenticated", "message": message, "detail": None}}
    return JsonResponse(body, status=401, headers={"WWW-Authenticate": 'Bearer realm="Runyard"'})


@declare(Open.ANYONE)  # the token is checked here, and before the session: a scrape needs no database
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer a scrape.

    Raises:
        Forbidden: signed in, but no operator.
    """
    if not _has_token(request):
        if not request.user.is_authenticated:
            return _not_signed_in(request)
        if not request.user.is_operator:
            raise Forbidden("Only operators of this installation can read its metrics.", action="operator")
    content, content_type = expose(request.headers.get("Accept", ""))
    return HttpResponse(content, content_type=content_type, headers={"Cache-Control": "no-store"})
