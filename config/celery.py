"""The Celery application: ``celery -A config.celery worker --beat``."""

import os
import warnings

from celery import Celery, beat
from celery.exceptions import SecurityWarning
from celery.signals import worker_init, worker_shutdown

from common.server import own_process

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")

# Containers often run as root. The warning is about pickled messages, which are never accepted here.
warnings.filterwarnings("ignore", "You're running the worker with superuser", SecurityWarning)

# The schedule of a worker is a thread of it: a process of its own would hold all that the worker has imported.
beat._Process = None  # type: ignore[assignment, misc]  # celery has no option for it

app = Celery("runyard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def _settle(**_: object) -> None:
    from common.telemetry.tracing import export  # which needs the settings

    export.start("worker")
    own_process.settle("worker")


@worker_shutdown.connect
def _send_last_traces(**_: object) -> None:
    from common.telemetry.tracing import export

    export.stop()
