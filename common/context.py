"""What every page's shell needs, read from settings and the request alone: no queries."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, Any]:
    """Give templates the support contact, the sign-up policy and django-csp's nonce under django-htmx's name."""
    return {
        "csp_nonce": getattr(request, "csp_nonce", ""),
        "signup_open": settings.SIGNUP_OPEN,
        "support_contact": settings.SUPPORT_CONTACT,
    }
