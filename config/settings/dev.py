"""For work on Runyard itself (`make dev`): tracebacks in the browser, nothing that is edited is cached."""

from config.settings.base import *

DEBUG = True
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
STATIC_FOLDERS = [*STATICFILES_DIRS, STATIC_ROOT]
STATIC_MAX_AGE_S = 0

# Without such a list of loaders, django-template-partials adds the one that caches templates.
TEMPLATES[0]["APP_DIRS"] = False
TEMPLATES[0]["OPTIONS"]["loaders"] = [
    (
        "template_partials.loader.Loader",
        [
            "django.template.loaders.filesystem.Loader",
            "django.template.loaders.app_directories.Loader",
        ],
    )
]
