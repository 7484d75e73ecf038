"""What a browser or a script gets where a service refuses."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import render

from access.resource_paths import path_of
from common.errors import DomainError, Forbidden, NotFound


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
