"""Who asks the REST API and what they may reach at all.

Apart from ``access.rest.viewsets``, because DRF's settings import these classes while DRF's views are still being
imported.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, MethodNotAllowed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.throttling import BaseThrottle

from access.actor import ANONYMOUS, Actor
from access.callers.credentials import HOW, actor_of_header
from access.callers.elevation import HEADER, elevated
from access.limits.request_rates import spend_request
from access.web.requests import actor_of_user, address_of
from common.errors import Forbidden, Unauthenticated

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class ActorAuthentication(BaseAuthentication):
    """``request.auth`` is the Actor. A key in the header goes before the session; the session needs CSRF."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        """Return (user or None, actor).

        Raises:
            AuthenticationFailed: a key was sent that does not hold.
        """
        address = address_of(request)
        if request.headers.get("Authorization"):
            try:
                actor = actor_of_header(request.headers["Authorization"], address)
            except Unauthenticated as error:
                raise AuthenticationFailed(error.message) from error
            what = f"{request.method} {request.path}"
            return None, elevated(actor, request.headers.get(HEADER, ""), what=what)
        signed_in = SessionAuthentication().authenticate(request)
        if signed_in is None:
            return None, dataclasses.replace(ANONYMOUS, address=address)
        return signed_in[0], actor_of_user(signed_in[0], address=address)

    def authenticate_header(self, request: Request) -> str:
        """Make refusals 401 with a challenge."""
        return 'Basic realm="Runyard API"'


def actor_of(request: Request) -> Actor:
    """Return who is asking."""
    actor = request.auth
    return actor if isinstance(actor, Actor) else ANONYMOUS


def signed_in(request: Request) -> Actor:
    """Return who is asking.

    Raises:
        Unauthenticated: nobody is known to be.
    """
    actor = actor_of(request)
    if actor.user_id is None:
        raise Unauthenticated(f"Not signed in. {HOW}")
    return actor


def in_person(request: Request) -> Actor:
    """Return who is asking, with nothing between: for what no scope of a key names, such as joining a team.

    Raises:
        Unauthenticated: nobody is known to be.
        Forbidden: an API key with scopes.
    """
    actor = signed_in(request)
    if actor.scopes is not None:
        raise Forbidden("API keys with scopes cannot do this. Use a key without scopes, or the web page.")
    return actor


class DeclaredAction(BasePermission):
    """Default deny: a view without ``declared_access`` or a method without a declared action answers 405."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Pass only what is declared; rows are then filtered by the view's queryset.

        Nothing that someone unknown sends is read: what it takes decoded would be theirs to choose.

        Raises:
            MethodNotAllowed: nothing is declared.
            Unauthenticated: no one is known to ask for a change.
            Invalid: the query string has a parameter that the endpoint does not have.
        """
        actions: dict[str, str] = getattr(view, "object_actions", {})
        if getattr(view, "action", None) not in actions:
            raise MethodNotAllowed(request.method or "")
        if request.method not in SAFE_METHODS and not actor_of(request).is_signed_in:
            raise Unauthenticated(f"Not signed in. {HOW}")
        from access.rest.query_parameters import check_query  # it needs DRF's views, which import this module

        check_query(request, view)
        return True


class RequestRate(BaseThrottle):
    """So many requests a minute for each key, person or address."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request.

        Raises:
            TooManyRequests: it was one too many.
        """
        http, limit = request._request, settings.API_RATE
        spend_request(http, actor_of(request), what="rest", limit=limit, setting="RUNYARD_API_RATE")
        return True
