"""Asking once more who is there before a dangerous act: a browser that was left open is not its owner.

A sign-in counts for RUNYARD_REAUTHENTICATION_M minutes; then pages behind `reauthenticated` ask for the password or a
second factor. What was sent is kept meanwhile and done after it (allauth resumes it); a fragment, which has no page of
its own to come back to, asks to be sent again.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlsplit

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import STATE_SESSION_KEY
from allauth.core.internal.httpkit import serialize_request
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from access.actor import ANONYMOUS
from access.web.refusals import refusal
from accounts.models import User
from common.errors import Forbidden

V = TypeVar("V", bound=Callable[..., Any])
MARK = "asks_who_is_there"
_SIGNED_IN_AT = "signed_in_at"
_MOST_KEPT_BYTES = 100_000
"""Of what was typed and waits in the session; more is asked for again."""


def begin(request: HttpRequest, **_more: object) -> None:
    """Note when somebody signed in."""
    request.session[_SIGNED_IN_AT] = time.time()


def is_fresh(request: HttpRequest) -> bool:
    """Whether the person at this browser has shown who they are a short while ago."""
    records = get_authentication_records(request, request.user if isinstance(request.user, User) else None)
    shown = [request.session.get(_SIGNED_IN_AT, 0), *(record.get("at", 0) for record in records)]
    return bool(time.time() - max(shown) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT)


def asks_by_key(request: HttpRequest) -> bool:
    """Whether a program asks by an API key: nobody can be asked, and the key's scopes say how far it reaches."""
    _path, actor = getattr(request, "actor", ("", ANONYMOUS))
    return actor.key_id is not None


def reauthenticated(view: V) -> V:
    """Let a view run only for who has shown a short while ago who they are; asks, else, and goes on then.

    Nobody does these things for somebody else: an operator who acts as a person is refused.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        reply = check(request)
        return view(request, *args, **kwargs) if reply is None else reply

    setattr(checked, MARK, True)
    return checked  # type: ignore[return-value]  # as functools.wraps says


def reauthenticated_post(view: V) -> V:
    """As `reauthenticated`, for a view that shows a page on GET and does the dangerous thing on POST."""
    guarded = reauthenticated(view)

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        chosen = guarded if request.method == "POST" else view
        reply: HttpResponseBase = chosen(request, *args, **kwargs)
        return reply

    setattr(checked, MARK, True)
    return checked  # type: ignore[return-value]  # as above


def check(request: HttpRequest) -> HttpResponseBase | None:
    """Return what to answer instead of doing something dangerous, None where nothing is in the way."""
    if getattr(request.user, "impersonated_by", ""):
        return refusal(request, not_for_another(request))
    if not request.user.is_authenticated:
        return None  # the view sends strangers to sign in, or hides what they may not see
    return None if is_fresh(request) else ask(request)


def not_for_another(request: HttpRequest) -> Forbidden:
    """Return the refusal of what only the person themselves does."""
    names = {"name": request.user.get_username()}
    text = _("You are acting as %(name)s. Only %(name)s can do this: stop acting as them first.")
    return Forbidden(text % names, action="impersonation")


def ask(request: HttpRequest) -> HttpResponseBase:
    """Lead to the page that asks for the password or a second factor, and keep what was sent."""
    methods = get_adapter().get_reauthentication_methods(request.user)
    url = str(methods[0]["url"]) if methods else reverse("accounts:confirm")
    is_fragment = bool(request.headers.get("HX-Request"))
    if request.method == "GET":
        back = (
            _page_of(request.headers.get("HX-Current-URL", "/")) if is_fragment else request.get_full_path()
        )
    elif methods and not is_fragment and _store_request(request):
        back = request.path  # its query is kept with it; allauth compares the path alone
    else:
        messages.info(
            request, _("Your identity is confirmed, but nothing has changed yet. Please try again.")
        )
        back = _page_of(request.headers.get("HX-Current-URL") or request.headers.get("Referer") or "/")
    url = f"{url}?{urlencode({'next': back})}"
    return HttpResponse(status=204, headers={"HX-Redirect": url}) if is_fragment else redirect(url)


def resumed(request: HttpRequest) -> dict[str, str]:
    """Give templates `resumed_from`: the page whose form was sent before it was asked who is there, or "".

    Allauth answers what was resumed at its own address, which nobody can load again; the script of every page
    (`assets/ts/pages/shell.ts`) puts this one in its place.
    """
    route = request.resolver_match.route if request.resolver_match else ""
    if not route.endswith("reauthenticate/") or f"/{route}" == request.path:
        return {"resumed_from": ""}
    return {"resumed_from": _page_of(request.META.get("HTTP_REFERER", "")) or request.path}


def _page_of(url: str) -> str:
    """Return the path of one of our pages, which the browser names with its host."""
    page = urlsplit(url)
    path = "/" + page.path.lstrip("/") if page.path else ""  # two slashes would begin another host
    return path + (f"?{page.query}" if page.query else "")


def _store_request(request: HttpRequest) -> bool:
    """Keep what was sent until it is known who sent it; secrets, files and very much text are not."""
    is_secret = hasattr(request, "sensitive_post_parameters")  # as the view is marked for error reports
    if is_secret or request.FILES or len(kept := serialize_request(request)) > _MOST_KEPT_BYTES:
        return False
    request.session[STATE_SESSION_KEY] = {"request": kept}
    return True
