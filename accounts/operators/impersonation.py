"""An operator acts as a person, to see what they see: for an hour at most, with a reason, and never unsaid.

The session stays the operator's, so nothing of the person's own sign-in is touched; each request asks anew whether both
may go on. Whatever the person's actor does is written down under both names. What only they themselves do is refused:
views marked by `person_only` or by `reauthentication`, all of allauth, and the actions that
`access.actor.deny_while_impersonating` names.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.web.refusals import refusal
from access.web.requests import actor_of_user, address_of
from accounts.access import AccountAction
from accounts.models import User, UserKind
from accounts.sign_in.reauthentication import not_for_another
from common.errors import Conflict, Invalid

LASTS = timedelta(hours=1)
SESSION_KEY = "acting_as"
BEGIN, END = "account.impersonate", "account.impersonate_end"
MARK = "person_only"
_ALLAUTH = "allauth."
TIME_OVER = 4401
"""Close code of a socket whose listener no longer acts as the person."""
V = TypeVar("V", bound=Callable[..., Any])


def person_only(view: V) -> V:
    """Close a view, or a class of views, to an operator who acts as the person.

    Decorators that use `functools.wraps` keep the mark, so that it may stand above or below them.
    """
    setattr(view, MARK, True)
    return view


def is_person_only(view: Callable[..., Any]) -> bool:
    """Whether a view is closed to operators who act as somebody: by a mark, or because allauth serves it.

    Allauth's views are closed by their package, so that one that an upgrade brings is closed as well.
    """
    view_class = getattr(view, "view_class", None) or getattr(view, "cls", None)
    if getattr(view, MARK, False) or getattr(view_class, MARK, False):
        return True
    return str(getattr(view_class or view, "__module__", "")).startswith(_ALLAUTH)


@dataclass(frozen=True, slots=True)
class Impersonation:
    """Who acts as whom, and until when."""

    operator: User
    user: User
    until: datetime


def may_be_acted_as(user: User) -> bool:
    """Whether an operator can act as this user at all."""
    return user.is_active and user.kind == UserKind.PERSON and not user.is_operator


@transaction.atomic
def begin(*, actor: Actor, user: User, reason: str) -> dict[str, Any]:
    """Write down who begins to act as whom, and why; returns what the session keeps of it.

    Raises:
        Invalid: no reason is given.
        Conflict: the account is an operator's, a program's, or switched off.
    """
    require(actor, AccountAction.ADMINISTER, user)
    if not reason.strip():
        raise Invalid(_("Enter a reason; it is kept in the audit log."))
    if not may_be_acted_as(user):
        raise Conflict(
            _("You cannot act as %(name)s: only as an active person who is not an operator.") % {"name": user}
        )
    until = timezone.now() + LASTS
    record(actor, BEGIN, user, after={"reason": reason.strip()[:500], "until": until.isoformat()})
    return {"user": user.pk, "until": until.isoformat()}


def acting_of(session: Any, operator: Any) -> Impersonation | None:
    """Return who acts by a session, None where nobody does or may any longer."""
    state = session.get(SESSION_KEY)
    if not state or not getattr(operator, "is_staff", False):
        return None
    until = datetime.fromisoformat(state["until"])
    user = User.objects.select_related("claim").filter(pk=state["user"]).first()
    if user is None or not may_be_acted_as(user) or until <= timezone.now():
        return None
    user.impersonated_by = operator.username
    return Impersonation(operator, user, until)


def end(request: HttpRequest, operator: Any) -> User | None:
    """Stop acting, and write it down; returns as whom the operator acted."""
    state = request.session.pop(SESSION_KEY, None)
    user = User.objects.filter(pk=state["user"]).first() if state else None
    if user is not None:
        record(actor_of_user(operator, address=address_of(request)), END, user)
    return user


class ImpersonationMiddleware:
    """Makes the request the person's as whom its operator acts; ``request.acting`` says so to pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # programs bring keys and no session
        if settings.SESSION_COOKIE_NAME in request.COOKIES and SESSION_KEY in request.session:
            operator = request.user
            acting = acting_of(request.session, operator)
            if acting is None:
                end(request, operator)
                return redirect(request.get_full_path()) if request.method == "GET" else redirect("/")
            request.user, request.acting = acting.user, acting  # type: ignore[attr-defined]  # for templates
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Refuse what only the person does (`reauthenticated` refuses its own); signing out ends the acting alone."""
        if getattr(request, "acting", None) is None:
            return None
        name = request.resolver_match.view_name if request.resolver_match else ""
        if name == "account_logout" and request.method == "POST":
            return stop(request)
        if is_person_only(view):
            return refusal(request, not_for_another(request))
        return None


def stop(request: HttpRequest) -> HttpResponse:
    """Give the operator their own session back, and the page of whom they acted as."""
    acting: Impersonation | None = getattr(request, "acting", None)
    if acting is None:
        return redirect("/")
    end(request, acting.operator)
    messages.success(request, _("You are no longer acting as %(name)s.") % {"name": acting.user})
    return redirect("admin:accounts_user_change", acting.user.pk)


Application = Callable[[Any, Any, Any], Awaitable[None]]


def impersonating_sockets(inner: Application) -> Application:
    """Wrap WebSockets' application: they listen as who the pages are shown to."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        acting = await database_sync_to_async(_acting_of_scope)(scope)
        if acting is None:
            await inner(scope, receive, send)
        else:
            await listen_as(acting, inner, scope, receive, send)

    return application


async def listen_as(acting: Impersonation, inner: Application, scope: Any, receive: Any, send: Any) -> None:
    """Serve a socket as the person until the hour is over."""
    left_s = (acting.until - timezone.now()).total_seconds()
    try:
        await asyncio.wait_for(inner({**scope, "user": acting.user}, receive, send), left_s)
    except TimeoutError:
        await send({"type": "websocket.close", "code": TIME_OVER})


def _acting_of_scope(scope: Any) -> Impersonation | None:
    session = scope.get("session") or {}
    return acting_of(session, scope["user"]) if SESSION_KEY in session else None
