"""The gate of web pages: declared routes only, refusals of services as pages."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from access.actor import Actor
from access.limits.request_rates import user_caller
from access.routes import Open, declaration_of
from access.web.refusals import refusal
from access.web.requests import actor_of
from common.budgets.budget import current
from common.budgets.statements import refusal_of
from common.errors import DomainError, Forbidden, NotFound
from common.rate_limits import Allowance
from common.web.origins import origin_of

Forwarding = Callable[[Actor, dict[str, Any]], dict[str, Any] | None]
"""Takes the parts of an address at which nothing is; returns those where it is now, None where it does not know."""

_forwardings: list[Forwarding] = []


def register_forwarding(forwarding: Forwarding) -> None:
    """Add what knows where things have gone that the actor may see; called in ``AppConfig.ready``."""
    if forwarding not in _forwardings:
        _forwardings.append(forwarding)


def _redirect_to_new_address(request: HttpRequest) -> HttpResponseBase | None:
    """Lead to where the page is now; what was posted is posted there."""
    match = request.resolver_match
    if match is None:
        return None
    for forwarding in _forwardings:
        parts = forwarding(actor_of(request), match.kwargs)
        if parts is not None:
            query = request.GET.urlencode()
            path = reverse(match.view_name, kwargs=parts) + (f"?{query}" if query else "")
            return redirect(path, preserve_request=True)
    return None


def _has_nul(request: HttpRequest, kwargs: dict[str, Any]) -> bool:
    """Whether a part of the address has a NUL, which PostgreSQL refuses in every comparison."""
    given = [value for _, values in request.GET.lists() for value in values]
    return any("\x00" in str(text) for text in [*kwargs.values(), *given])


class AccessMiddleware:
    """Refuses undeclared routes, sends strangers to sign in, and shows refusals of services as pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # what `build_absolute_uri` begins with, also for allauth and the REST framework
        request._current_scheme_host = origin_of(request)  # type: ignore[attr-defined]  # a cached property of Django's
        response = self.get_response(request)
        allowance = getattr(request, "allowance", None)
        if isinstance(allowance, Allowance):
            for name, value in allowance.headers.items():
                response[name] = value
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Check the route's declaration before its view runs."""
        if _has_nul(request, kwargs):
            return refusal(request, NotFound(_("Names cannot contain a NUL character.")))
        need = declaration_of(view)
        if need is None:
            return HttpResponse("This route declares no access.", status=405)
        if need is not Open.ANYONE and request.user.is_authenticated:
            current().caller = user_caller(request.user.pk)
        if need is Open.SIGNED_IN and not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if need is Open.OPERATOR and not getattr(request.user, "is_operator", False):
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            # Django passes to process_exception only what views raise
            error = Forbidden(_("Only operators of this installation can open this page."), action="operator")
            return self.process_exception(request, error)
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Show a DomainError; leave others to the log."""
        error = refusal_of(error) or error
        if not isinstance(error, DomainError):
            return None
        return (_redirect_to_new_address(request) if isinstance(error, NotFound) else None) or refusal(
            request, error
        )
