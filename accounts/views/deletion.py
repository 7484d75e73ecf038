"""Settings, section Delete account (ACC-9)."""

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.routes import declare
from access.web.requests import actor_of
from accounts.access import AccountAction
from accounts.lifecycle.deletion import delete_account, obstacles_of
from accounts.sign_in.reauthentication import reauthenticated
from accounts.views.base import signed_in_user
from common.errors import DomainError


@declare(AccountAction.DELETE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated
def delete(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays, take the username, and say goodbye."""
    user = signed_in_user(request)
    error = ""
    if request.method == "POST":
        try:
            delete_account(actor=actor_of(request), user=user, typed=request.POST.get("username", ""))
        except DomainError as refusal:
            error = refusal.message
        else:
            logout(request)
            messages.success(request, _("Your account %(name)s has been deleted.") % {"name": user.username})
            return redirect("account_login")
    context = {"obstacles": obstacles_of(user), "error": error}
    return render(request, "settings/delete.html", context, status=422 if error else 200)
