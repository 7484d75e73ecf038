"""Which apps, in which order requests pass them, and how templates are found."""

from typing import Any

import django_stubs_ext

from config.env import ROOT
from config.settings.database import REPLICA_URL
from config.settings.log import TRACES_URL

django_stubs_ext.monkeypatch()  # lets ModelAdmin[Run] and the like be written at run time

INSTALLED_APPS = [
    "common",
    "access",
    "accounts",
    "teams",
    "storage",
    "runs",
    "artifacts",
    "metrics",
    "sweeps",
    "alerts",
    "automations",
    "usage",
    "billing",
    "exports",
    "ingest",
    "wandb_api",
    "config.admin.app.OperatorsAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "accounts.credentials.usersessions.SessionsConfig",
    "channels",
    "csp",
    "django_htmx",
    "rest_framework",
    "template_partials",
    "config",  # last: what it composes is ready
]

MIDDLEWARE = [
    *(["common.telemetry.tracing.requests.RouteMiddleware"] if TRACES_URL else []),
    *(["common.database.replica.routing.ReplicaMiddleware"] if REPLICA_URL else []),
    "django.middleware.security.SecurityMiddleware",
    "access.web.headers.HeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.operators.impersonation.ImpersonationMiddleware",
    "accounts.middleware.LanguageOfUserMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.SessionActivityMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "access.web.middleware.AccessMiddleware",
    "accounts.middleware.OperatorsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csrf",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.sign_in.reauthentication.resumed",
                "common.web.context_processors.shell",
            ],
            "builtins": [
                "accounts.templatetags.settings_pages",
                "common.templatetags.runyard",
                "teams.templatetags.teams",
                "django.templatetags.i18n",
                "django.templatetags.static",
            ],
        },
    }
]
