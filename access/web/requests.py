"""The adapter for web pages: the actor of a request, and redirects."""

from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from access.actor import ANONYMOUS, Actor, ActorKind
from access.routes import Open, declare
from common.web.client_addresses import client_address


def address_of(request: HttpRequest) -> str:
    """Return the caller's IP address, "" where there is none."""
    return client_address(
        str(request.META.get("REMOTE_ADDR", "")), request.headers.get("X-Forwarded-For", "")
    )


def address_in(scope: dict[str, Any], headers: dict[bytes, bytes]) -> str:
    """As `address_of`, of a request that does not pass Django's handler."""
    return client_address(
        (scope.get("client") or ("",))[0], headers.get(b"x-forwarded-for", b"").decode("latin-1")
    )


def actor_of_user(user: Any, *, address: str = "", elevated: bool = False) -> Actor:
    """Return the actor of a signed-in user object, or ANONYMOUS."""
    if user is None or not user.is_authenticated:
        return ANONYMOUS
    kind = ActorKind.SERVICE if user.is_service_account else ActorKind.PERSON
    return Actor(
        kind=kind,
        user_id=user.pk,
        name=user.get_username(),
        address=address,
        elevated=elevated and user.is_operator,
        impersonated_by=getattr(user, "impersonated_by", ""),
    )


def actor_of(request: HttpRequest) -> Actor:
    """Return who is asking; built once per request and path: a request that waited for a password is resumed."""
    path, actor = getattr(request, "actor", ("", None))
    if actor is None or path != request.path:
        elevated = request.path.startswith("/admin/")
        actor = actor_of_user(request.user, address=address_of(request), elevated=elevated)
        request.actor = request.path, actor  # type: ignore[attr-defined]  # the one attribute this adapter adds
    return cast("Actor", actor)


def operator_of(request: HttpRequest) -> Actor:
    """Return the viewer of a page for operators outside the admin, with their rights; the route has checked them."""
    return actor_of_user(request.user, address=address_of(request), elevated=True)


def set_actor(request: HttpRequest, actor: Actor) -> None:
    """Let `actor_of` return who asks an API, for code that reads it from the request."""
    request.actor = request.path, actor  # type: ignore[attr-defined]  # as above


def redirect_with_query(request: HttpRequest, route: str, *args: Any, **names: Any) -> HttpResponse:
    """Redirect to a page of ours, with the query of the request."""
    query = request.META.get("QUERY_STRING", "")
    return redirect(reverse(route, args=args, kwargs=names) + (f"?{query}" if query else ""))


def redirecting_view(route: str, need: Open = Open.ANYONE) -> Callable[..., HttpResponse]:
    """Return a view that leads to the page of a route, which takes the same names and checks who may see it."""

    @declare(need)
    def view(request: HttpRequest, **names: Any) -> HttpResponse:
        return redirect_with_query(request, route, **names)

    return view
