"""What happens on each request of a signed-in browser."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext as _

from access.routes import Open, declaration_of
from accounts.models import User
from accounts.sign_in.security import record_activity


class SessionActivityMiddleware:
    """Keeps "last active" of the list of sessions; allauth's own would write on every request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.session.session_key and request.user.is_authenticated:
            record_activity(request)
        return self.get_response(request)


class LanguageOfUserMiddleware:
    """The language that the signed-in person chose, before what the browser asks for (UI-9).

    Runs after Django's LocaleMiddleware, which looks at the cookie and at Accept-Language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # programs bring keys and no session; asking for their user would only make answers depend on a cookie
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            user = request.user
            if isinstance(user, User) and user.language in dict(settings.LANGUAGES):
                translation.activate(user.language)
                request.LANGUAGE_CODE = user.language
        return self.get_response(request)


class OperatorsMiddleware:
    """Sends operators without a second factor to set one up, where RUNYARD_OPERATORS_NEED_MFA asks for one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Let no page of operators open; who may open it at all was asked before."""
        if not settings.OPERATORS_NEED_MFA or declaration_of(view) is not Open.OPERATOR:
            return None
        if not isinstance(request.user, User) or is_mfa_enabled(request.user):
            return None
        messages.warning(
            request, _("Operators need a second factor here: add an authenticator app or a passkey.")
        )
        return redirect("accounts:security")
