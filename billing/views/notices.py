"""Closing notices of limits."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from access.routes import Open, declare
from access.web.requests import actor_of
from billing.limits.near_limits import parse_stages
from billing.limits.services import dismiss
from billing.models import Subscription
from common.rest.responses import is_key


@declare(Open.SIGNED_IN)
@require_POST
def close(request: HttpRequest) -> HttpResponse:
    """Close the notices that were read (``notice``, each a limit and a stage) of a subscription (``of``)."""
    key = request.POST.get("of", "")
    subscription = Subscription.objects.filter(pk=int(key)).first() if is_key(key) else None
    if subscription is not None:  # one that ended has nothing to close
        stages = parse_stages(request.POST.getlist("notice"))
        dismiss(actor=actor_of(request), subscription=subscription, notices=stages)
    if getattr(request, "htmx", False):
        return HttpResponse()
    back = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return redirect(back if is_ours else "runs:home")
