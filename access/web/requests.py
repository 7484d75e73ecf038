"""The adapter for web pages: actor from the session, declared routes only, refusals as pages."""

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from access.actor import ANONYMOUS, Actor, ActorKind
from access.resource_paths import path_of
from access.routes import Open, declaration_of, declare
from common.errors import DomainError, Forbidden, NotFound
from common.rate_limits import Allowance

GONE = "runyard.gone"
"""In an ASGI scope: the event that is set when the client closes the connection."""


def gone_of(request: HttpRequest) -> Callable[[], bool]:
    """Return what says whether the client has left; never, where the server cannot know."""
    event = getattr(request, "scope", {}).get(GONE)
    return event.is_set if event is not None else lambda: False


def address_of(request: HttpRequest) -> str:
    """Return the caller's IP address; behind a declared proxy the last one it forwarded."""
    return _address(str(request.META.get("REMOTE_ADDR", "")), request.headers.get("X-Forwarded-For", ""))


def address_in(scope: dict[str, Any], headers: dict[bytes, bytes]) -> str:
    """As `address_of`, of a request that does not pass Django's handler."""
    return _address((scope.get("client") or ("",))[0], headers.get(b"x-forwarded-for", b"").decode("latin-1"))


def _address(connected: str, forwarded: str) -> str:
    if forwarded and getattr(settings, "USE_X_FORWARDED_HOST", False):
        return forwarded.rpartition(",")[2].strip()
    return connected


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


def keep_actor(request: HttpRequest, actor: Actor) -> None:
    """Let `actor_of` return who asks an API, for code that reads it from the request."""
    request.actor = request.path, actor  # type: ignore[attr-defined]  # as above


def _has_nul(request: HttpRequest, kwargs: dict[str, Any]) -> bool:
    """Whether a part of the address has a NUL, which PostgreSQL refuses in every comparison."""
    given = [value for _, values in request.GET.lists() for value in values]
    return any("\x00" in str(text) for text in [*kwargs.values(), *given])


def lead(request: HttpRequest, route: str, *args: Any, **names: Any) -> HttpResponse:
    """Redirect to a page of ours, with the query of the request."""
    query = request.META.get("QUERY_STRING", "")
    return redirect(reverse(route, args=args, kwargs=names) + (f"?{query}" if query else ""))


def leads_to(route: str, need: Open = Open.ANYONE) -> Callable[..., HttpResponse]:
    """Return a view that leads to the page of a route, which takes the same names and checks who may see it."""

    @declare(need)
    def view(request: HttpRequest, **names: Any) -> HttpResponse:
        return lead(request, route, **names)

    return view


Forwarding = Callable[[Actor, dict[str, Any]], dict[str, Any] | None]
"""Takes the parts of an address at which nothing is; returns those where it is now, None where it does not know."""

_forwardings: list[Forwarding] = []


def register_forwarding(forwarding: Forwarding) -> None:
    """Add what knows where things have gone that the actor may see; called in ``AppConfig.ready``."""
    if forwarding not in _forwardings:
        _forwardings.append(forwarding)


def _forwarded(request: HttpRequest) -> HttpResponseBase | None:
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


class AccessMiddleware:
    """Refuses undeclared routes, sends strangers to sign in, and shows refusals of services as pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
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
        if not isinstance(error, DomainError):
            return None
        return (_forwarded(request) if isinstance(error, NotFound) else None) or refusal(request, error)


def refusal(request: HttpRequest, error: DomainError) -> HttpResponseBase:
    """Return a refusal as a page, or as JSON to a script."""
    if "text/html" not in request.headers.get("Accept", "") and not request.headers.get("HX-Request"):
        body = {"error": {"code": error.code, "message": error.message, "detail": error.detail}}
        return JsonResponse(body, status=error.status, headers=dict(error.headers))
    if isinstance(error, NotFound) and not request.user.is_authenticated and request.method == "GET":
        return redirect_to_login(request.get_full_path())
    reply = render(request, _page_of(error), _context_of(request, error), status=error.status)
    for name, value in error.headers.items():
        reply[name] = value
    return reply


def _page_of(error: DomainError) -> str:
    return {403: "403.html", 404: "404.html", 429: "429.html"}.get(error.status, "400.html")


def _context_of(request: HttpRequest, error: DomainError) -> dict[str, Any]:
    """Return what a page of refusal says; whoever is signed in can ask why (`teams.views.explain`)."""
    if not isinstance(error, Forbidden):
        return {"message": error.message}
    is_askable = request.user.is_authenticated and isinstance(error.thing, Model)
    path = path_of(error.thing) if is_askable else ""
    return {"message": error.message, "missing_action": error.action, "missing_on": path}
