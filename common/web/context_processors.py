"""What every page's shell needs, without a query: from the request, and one read of the cache."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from common import installation_settings


def shell(request: HttpRequest) -> dict[str, Any]:
    """Give templates the sign-up policy, the announcement and django-csp's nonce under django-htmx's name."""
    return {
        "csp_nonce": getattr(request, "csp_nonce", ""),
        "signup_open": SimpleLazyObject(lambda: installation_settings.signup() == "open"),
        "announcement": SimpleLazyObject(installation_settings.announcement),
        "support_contact": SimpleLazyObject(installation_settings.support_contact),
    }
