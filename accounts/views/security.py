"""The sections Emails, GitHub and Security of one's settings, and the way out to a sign-in provider."""

from typing import Any, cast

from allauth.account.utils import get_next_redirect_url
from allauth.account.views import EmailView
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from requests import RequestException

from access.routes import Open, declare
from accounts.operators.impersonation import person_only
from accounts.sign_in import providers, security
from accounts.sign_in.reauthentication import reauthenticated, reauthenticated_post
from accounts.views.base import signed_in_user


class EmailsView(EmailView):  # type: ignore[misc]  # allauth has no type stubs
    """Settings, section Emails (ACC-30 to ACC-34): allauth's rules, our table."""

    template_name = "accounts/email_addresses/list.html"
    success_url = reverse_lazy("accounts:emails")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add how one signs in with each address, and the providers that may prove another."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        user = signed_in_user(self.request)
        connections = security.connections_of(user)
        rows = sorted(context["emailaddresses"], key=lambda row: (not row.primary, row.email))
        context["rows"] = [(row, security.methods_of(user, row, connections)) for row in rows]
        context["providers"] = providers.enabled_providers()
        return context


emails = declare(Open.SIGNED_IN)(person_only(reauthenticated_post(never_cache(EmailsView.as_view()))))


@declare(Open.SIGNED_IN)
@person_only
@never_cache
@require_GET
def security_page(request: HttpRequest) -> HttpResponse:
    """Settings, section Security: password, second factors, passkeys, sessions, sign-in methods."""
    user = signed_in_user(request)
    factors = list(Authenticator.objects.filter(user=user).order_by("pk"))
    codes = next((one for one in factors if one.type == Authenticator.Type.RECOVERY_CODES), None)
    connections = security.connections_of(user)
    connected = {connection.account.provider for connection in connections}
    context = {
        "totp": next((one for one in factors if one.type == Authenticator.Type.TOTP), None),
        "passkeys": [one for one in factors if one.type == Authenticator.Type.WEBAUTHN],
        "codes": codes,
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else 0,
        "sessions": security.sessions_of(request, user),
        "connections": connections,
        "others": [row for row in providers.enabled_providers() if row.slug not in connected],
        "has_password": user.has_usable_password(),
    }
    return render(request, "accounts/sign_in/security.html", context)


@declare(Open.SIGNED_IN)
@person_only
@require_POST
def session_end(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign out one other browser; one whose session has ended meanwhile is signed out, too."""
    security.end_sessions(request, signed_in_user(request), pk)
    messages.success(request, _("Browser signed out."))
    return redirect("accounts:security")


@declare(Open.SIGNED_IN)
@person_only
@require_POST
def sessions_end(request: HttpRequest) -> HttpResponse:
    """Sign out all other browsers."""
    count = security.end_sessions(request, signed_in_user(request), None)
    text = ngettext("%(n)d other browser signed out.", "%(n)d other browsers signed out.", count)
    messages.success(request, text % {"n": count})
    return redirect("accounts:security")


@declare(Open.SIGNED_IN)
@person_only
@require_POST
@reauthenticated
def connection_end(request: HttpRequest, pk: int) -> HttpResponse:
    """Disconnect a sign-in method."""
    security.end_connection(request, signed_in_user(request), pk)
    return redirect("accounts:security")


@declare(Open.SIGNED_IN)
@person_only
@never_cache
@require_GET
def github(request: HttpRequest) -> HttpResponse:
    """Settings, section GitHub integration (ACC-7)."""
    found = security.connections_of(signed_in_user(request))
    context = {
        "provider": providers.provider_of(providers.GITHUB),
        "connection": next((one for one in found if one.account.provider == providers.GITHUB), None),
    }
    return render(request, "accounts/sign_in/github.html", context)


@declare(Open.ANYONE)
@person_only
@never_cache
@require_POST
def continue_with(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Leave for a provider, by a page of ours: a form may not redirect to other hosts (``form-action``)."""
    provider = get_adapter().get_provider(request, slug)
    process = "connect" if request.POST.get("process") == "connect" else "login"
    try:
        answer: HttpResponseBase = provider.redirect(
            request, process, next_url=get_next_redirect_url(request)
        )
    except ImmediateHttpResponse as error:
        return cast("HttpResponseBase", error.response)
    except (OAuth2Error, RequestException, KeyError, ValueError):  # its configuration cannot be read
        return render(request, "socialaccount/authentication_error.html", {"provider": provider}, status=502)
    url = answer.headers.get("Location", "")
    return (
        render(request, "socialaccount/leaving.html", {"provider": provider, "url": url}) if url else answer
    )
