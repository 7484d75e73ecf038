"""Background tasks as spans, below the request or task that sent them."""

import threading
from contextlib import AbstractContextManager
from typing import Any

from celery.signals import before_task_publish, task_failure, task_postrun, task_prerun

from common.telemetry.tracing import spans

_HEADER = "traceparent"


class _Running(threading.local):
    """The spans of this thread's tasks; eager ones are nested."""

    def __init__(self) -> None:
        self.spans: list[AbstractContextManager[None]] = []


_running = _Running()


def _sent(headers: dict[str, Any] | None = None, **_: Any) -> None:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if headers is not None:
        headers.pop(_HEADER, None)  # of the try before
        TraceContextTextMapPropagator().inject(headers)


def _began(task: Any = None, task_id: str = "", **_: Any) -> None:
    parent = getattr(task.request, _HEADER, None)
    attributes = {"messaging.system": "celery", "messaging.message.id": task_id, "runyard.task": task.name}
    context = spans.context_of(parent) if parent else None
    running = spans.span(task.name, "consumer", attributes, context=context)
    running.__enter__()
    _running.spans.append(running)


def _failed(exception: BaseException | None = None, **_: Any) -> None:
    spans.fail(type(exception).__name__)


def _ended(**_: Any) -> None:
    if _running.spans:
        _running.spans.pop().__exit__(None, None, None)


def listen() -> None:
    """Record the tasks that this process sends or runs from now on."""
    before_task_publish.connect(_sent)
    task_prerun.connect(_began)
    task_failure.connect(_failed)
    task_postrun.connect(_ended)
