"""Routes that Django serves; names of people and projects come last, so that they never hide a page."""

import sys
from typing import cast

from django.contrib import admin
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import include, path, re_path
from django.utils.translation import gettext as _
from django.views.defaults import server_error

from access.openapi import views as openapi_views
from access.routes import Open, declare, declare_module
from access.web import connection, metrics_page, styleguide
from access.web.refusals import refusal
from access.web.requests import redirecting_view
from accounts.views import verification
from common.database.sql import what_failed
from common.errors import TooManyRequests, Unavailable
from common.server import health
from config.admin.registration import register_models

register_models()
declare_module("allauth", Open.ANYONE)  # each of its views checks for itself what it needs
declare_module("django.contrib.admin", Open.OPERATOR)
declare_module(
    "django.views.generic.base", Open.ANYONE
)  # allauth's former addresses, which lead to its present ones


@declare(Open.ANYONE)
def admin_login(request: HttpRequest) -> HttpResponse:
    """Sign in to the admin through allauth, where second factors and rate limits are."""
    from django.contrib.auth.views import redirect_to_login

    return redirect_to_login(request.GET.get("next", "/admin/"))


def handler429(request: HttpRequest) -> HttpResponse:
    """Answer for allauth's rate limits, all of which are per minute (ACC-23)."""
    error = TooManyRequests(_("Too many attempts. Wait a minute, then try again."), wait_s=60)
    return cast("HttpResponse", refusal(request, error))


def handler500(request: HttpRequest) -> HttpResponseBase:
    """Tell a database that is locked, full or away as 503, in words that need no database, for clients to ask again."""
    error = sys.exc_info()[1]
    if not isinstance(error, OperationalError | InterfaceError):
        return server_error(request)
    message = what_failed(error)
    if request.path.startswith("/api/"):
        body = {"error": {"code": Unavailable.code, "message": message, "detail": None}}
        return JsonResponse(body, status=Unavailable.status)
    return HttpResponse(message, status=Unavailable.status, content_type="text/plain")


urlpatterns = [
    path("healthz", declare(Open.ANYONE)(health.healthz)),
    path("ready", declare(Open.ANYONE)(health.ready)),
    path("metrics", metrics_page.metrics),
    path("styleguide", styleguide.styleguide, name="styleguide"),
    path("login", redirecting_view("account_login")),
    path("admin/login/", admin_login),
    path("admin/", admin.site.urls),
    path("accounts/connection/", connection.connection, name="connection"),
    path("accounts/confirm-email/", verification.waiting, name="account_email_verification_sent"),
    path("accounts/confirm-email/<str:key>/", verification.confirm, name="account_confirm_email"),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        verification.reset,
        name="account_reset_password_from_key",
    ),
    path("accounts/email/", redirecting_view("accounts:emails", Open.SIGNED_IN), name="account_email"),
    path("accounts/2fa/", redirecting_view("accounts:security", Open.SIGNED_IN), name="mfa_index"),
    path(
        "accounts/2fa/webauthn/",
        redirecting_view("accounts:security", Open.SIGNED_IN),
        name="mfa_list_webauthn",
    ),
    path(
        "accounts/3rdparty/",
        redirecting_view("accounts:security", Open.SIGNED_IN),
        name="socialaccount_connections",
    ),
    path(
        "accounts/sessions/", redirecting_view("accounts:security", Open.SIGNED_IN), name="usersessions_list"
    ),
    path("accounts/", include("allauth.urls")),
    path("", include("wandb_api.urls")),
    path("", include("accounts.urls")),
    path("", include("teams.urls")),
    path("", include("storage.urls")),
    path("", include("exports.urls")),
    path("api/docs", openapi_views.docs, name="api-docs"),
    path("api/v1/openapi.json", openapi_views.as_json, name="api-openapi"),
    path("api/v1/openapi.yaml", openapi_views.as_yaml, name="api-openapi-yaml"),
    path("api/v1/", include("accounts.api.urls")),
    path("api/v1/", include("teams.api.urls")),
    path("api/v1/", include("storage.api.urls")),
    path("api/v1/", include("ingest.api.urls")),
    path("api/v1/", include("runs.api.urls")),
    path("api/v1/", include("artifacts.api.urls")),
    path("api/v1/", include("metrics.api.urls")),
    path("api/v1/", include("sweeps.api.urls")),
    path("api/v1/", include("alerts.api.urls")),
    path("api/v1/", include("automations.api.urls")),
    path("api/v1/", include("usage.api.urls")),
    path("api/v1/", include("billing.api.urls")),
    path("api/v1/", include("exports.api.urls")),
    re_path("^api/", openapi_views.unknown_endpoint, name="api-nothing"),
    path("", include("artifacts.urls")),
    path("", include("alerts.urls")),
    path("", include("automations.urls")),
    path("", include("usage.urls")),
    path("", include("billing.urls")),
    path("", include("sweeps.urls")),
    path("", include("wandb_api.page_urls")),
    path("", include("metrics.urls")),
    path("", include("runs.urls")),
]
