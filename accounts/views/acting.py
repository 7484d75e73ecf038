"""Showing once more who one is, where a provider knows it; and the end of acting as somebody else."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import Open, declare
from accounts import impersonation, security
from accounts.reauthentication import is_fresh
from accounts.views.base import signed_in_user


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def confirm(request: HttpRequest) -> HttpResponse:
    """For who has neither a password nor a second factor: sign in again through a provider, or set a password."""
    wanted = request.GET.get("next", "/")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    back = wanted if is_ours else "/"
    if is_fresh(request):
        return redirect(back)
    connections = security.connections_of(signed_in_user(request))
    context = {"providers": [one.provider for one in connections if one.provider], "next": back}
    return render(request, "accounts/confirm.html", context)


@declare(Open.SIGNED_IN)
@require_POST
def stop_acting(request: HttpRequest) -> HttpResponse:
    """Be oneself again; harmless for who acts as nobody."""
    return impersonation.stop(request)
