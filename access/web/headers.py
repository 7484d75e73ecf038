"""Headers of every answer that Django gives; the policy for scripts and styles is django-csp's."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "browsing-topics", "camera", "display-capture", "geolocation", "gyroscope", "hid",
        "magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip
"""What no page of ours asks a browser for; clipboard, full screen and passkeys are used."""


class HeadersMiddleware:
    """Keeps other sites from loading answers, features from being asked for, and personal pages out of caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add what the view has not said itself."""
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
