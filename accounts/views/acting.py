"""Confirming one's identity through a sign-in provider, and ending impersonation."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import Open, declare
from accounts.operators import impersonation
from accounts.sign_in import security
from accounts.sign_in.reauthentication import is_fresh
from accounts.views.base import signed_in_user
from common.web.responses import page_of_ours


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def confirm(request: HttpRequest) -> HttpResponse:
    """For who has neither a password nor a second factor: sign in again through a provider, or set a password."""
    back = page_of_ours(request, request.GET.get("next", "/"))
    if is_fresh(request):
        return redirect(back)
    connections = security.connections_of(signed_in_user(request))
    context = {"providers": [one.provider for one in connections if one.provider], "next": back}
    return render(request, "accounts/sign_in/confirm.html", context)


@declare(Open.SIGNED_IN)
@require_POST
def stop_acting(request: HttpRequest) -> HttpResponse:
    """Be oneself again; harmless for who acts as nobody."""
    return impersonation.stop(request)
