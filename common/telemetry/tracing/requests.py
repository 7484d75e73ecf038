"""Requests as spans."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.http import HttpRequest, HttpResponseBase

from common.telemetry.tracing import spans

_UNTRACED = {"probes", "static"}
"""Surfaces of which there is nothing to learn."""


def request_span(surface: str, scope: Any) -> AbstractContextManager[None]:
    """Record a request from its head to the end of its answer, below the span of who sent it, if that says so."""
    if not spans.are_exported() or surface in _UNTRACED:
        return nullcontext()
    parent = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"traceparent"), "")
    attributes = {
        "http.request.method": scope["method"],
        "url.scheme": scope["scheme"],
        "runyard.surface": surface,
    }
    return spans.span(f"{scope['method']} {surface}", "server", attributes, context=spans.context_of(parent))


def answered(status: int) -> None:
    """Say what the current request was answered."""
    spans.describe(None, {"http.response.status_code": status})
    if status >= 500:
        spans.fail(str(status))


class RouteMiddleware:
    """Names the span of a request by the route of its page; the path itself may be a credential."""

    sync_capable, async_capable = True, False

    def __init__(self, get_response: Any) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        response: HttpResponseBase = self._get_response(request)
        return response

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        """Take the route, once it is known."""
        if request.resolver_match is not None:
            route = f"/{request.resolver_match.route}"
            spans.describe(f"{request.method} {route}", {"http.route": route})
