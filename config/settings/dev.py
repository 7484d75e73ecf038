"""For work on Runyard itself: tracebacks in the browser, unhashed static files."""

from config.settings.base import *

DEBUG = True
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
