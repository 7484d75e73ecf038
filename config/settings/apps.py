"""Which apps, in which order requests pass them, and how templates are found."""

import django_stubs_ext

from config.env import ROOT

django_stubs_ext.monkeypatch()  # lets ModelAdmin[Run] and the like be written at run time

INSTALLED_APPS = [
    "common",
    "access",
    "accounts",
    "teams",
    "storage",
    "runs",
    "metrics",
    "wandb_api",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "channels",
    "csp",
    "django_htmx",
    "rest_framework",
    "template_partials",
    "config",  # last: what it composes is ready
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "access.web.AccessMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
APPEND_SLASH = False

TEMPLATES = [
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
                "common.context.shell",
            ],
            "builtins": [
                "common.templatetags.runyard",
                "django.templatetags.i18n",
                "django.templatetags.static",
            ],
        },
    }
]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["access.rest_policy.ActorAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["access.rest_policy.DeclaredAction"],
    "DEFAULT_PAGINATION_CLASS": "common.rest.Pages",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["common.rest_parsing.ShallowJSONParser"],
    "EXCEPTION_HANDLER": "common.rest.handle_exception",
    "UNAUTHENTICATED_USER": None,
}
