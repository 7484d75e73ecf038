"""Routes that Django serves; names of people and projects come last, so that they never hide a page."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import include, path

from access import telemetry
from access.routes import Open, declare, declare_module
from common import health

declare_module("allauth", Open.ANYONE)  # each of its views checks for itself what it needs
declare_module("django.contrib.admin", Open.OPERATOR)


@declare(Open.ANYONE)
def admin_login(request: HttpRequest) -> HttpResponse:
    """Sign in to the admin through allauth, where second factors and rate limits are."""
    from django.contrib.auth.views import redirect_to_login

    return redirect_to_login(request.GET.get("next", "/admin/"))


@declare(Open.ANYONE)
def login_alias(request: HttpRequest) -> HttpResponse:
    """Keep the short address that people type."""
    return redirect("account_login")


admin.site.site_header = "Runyard"
admin.site.site_title = "Runyard"

urlpatterns = [
    path("healthz", declare(Open.ANYONE)(health.healthz)),
    path("ready", declare(Open.ANYONE)(health.ready)),
    path("metrics", telemetry.metrics),
    path("login", login_alias),
    path("admin/login/", admin_login),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
    path("", include("wandb_api.urls")),
    path("", include("accounts.urls")),
    path("", include("teams.urls")),
    path("api/v1/", include("runs.api_urls")),
    path("api/v1/", include("metrics.api_urls")),
    path("", include("metrics.urls")),
    path("", include("runs.urls")),
]
