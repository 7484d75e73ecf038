"""Celery's tasks as its signals tell of them; they come in the thread that runs the task."""

import threading
import time
from typing import Any

from celery import current_app
from celery.signals import task_failure, task_postrun, task_prerun, worker_ready

from common.telemetry import vitals
from common.telemetry.definitions import TASK_DURATION, TASKS, database_failed

OUTCOMES = {"SUCCESS": "success", "FAILURE": "failure", "RETRY": "retry"}


class _Running(threading.local):
    """When the tasks of this thread began; eager ones are nested."""

    def __init__(self) -> None:
        self.began: list[float] = []


_running = _Running()


def _began(**_: Any) -> None:
    _running.began.append(time.perf_counter())


def _ended(task: Any = None, state: str | None = None, **_: Any) -> None:
    TASKS.labels(task.name, OUTCOMES.get(state or "", "other")).inc()
    if _running.began:
        TASK_DURATION.labels(task.name).observe(time.perf_counter() - _running.began.pop())


def _failed(exception: BaseException | None = None, **_: Any) -> None:
    database_failed("task", exception)


def _worker_is_ready(**_: Any) -> None:
    vitals.watch("worker")
    for name in current_app.tasks:
        if not name.startswith("celery."):
            for outcome in OUTCOMES.values():
                TASKS.labels(name, outcome)  # a first failure is then a rise, which alerts look for


def listen() -> None:
    """Measure tasks, worker and schedule in this process from now on."""
    task_prerun.connect(_began)
    task_postrun.connect(_ended)
    task_failure.connect(_failed)
    worker_ready.connect(_worker_is_ready)
