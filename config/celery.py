"""The Celery application: ``celery -A config.celery worker --beat``."""

import os
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")

# Containers often run as root. The warning is about pickled messages, which are never accepted here.
warnings.filterwarnings("ignore", "You're running the worker with superuser", SecurityWarning)

app = Celery("runyard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
