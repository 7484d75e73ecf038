"""Sending spans to a collector: OTLP over HTTP, by a thread that no request waits for."""

import os
import socket
from typing import Any

from django.conf import settings

from common import VERSION
from common.telemetry.tracing import database, logs, spans, tasks

TIMEOUT_S = 5
"""For one batch, and for the last ones when a process ends."""
_exporting: Any = None


def start(process: str) -> None:
    """Export the traces of this process from now on, if a collector is named.

    Args:
        process: Which it is, "web" or "worker".
    """
    global _exporting  # noqa: PLW0603 - one for the process
    if not settings.TRACES_URL or _exporting is not None:
        return
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(
        endpoint=f"{settings.TRACES_URL}/v1/traces",
        headers=settings.TRACES_HEADERS,
        timeout=TIMEOUT_S,
        compression=Compression.Gzip,
    )
    _exporting = _provider(process)
    _exporting.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=TIMEOUT_S * 1000))
    spans.begin(_exporting.get_tracer("runyard", VERSION))
    database.listen()
    tasks.listen()
    logs.listen()


def stop() -> None:
    """Send what is left, for a few seconds at most."""
    global _exporting  # noqa: PLW0603 - one for the process
    if _exporting is not None:
        spans.begin(None)
        _exporting.shutdown()
        _exporting = None


def _provider(process: str) -> Any:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from common.telemetry.tracing.sampling import ShareOfRequestsAndTasks

    resource = Resource.create(
        {
            "service.name": os.environ.get("OTEL_SERVICE_NAME", "runyard"),
            "service.version": VERSION,
            "service.instance.id": f"{socket.gethostname()}:{os.getpid()}",
            "runyard.process": process,
        }
    )
    sampler = ShareOfRequestsAndTasks(settings.TRACES_SHARE)
    return TracerProvider(sampler=sampler, resource=resource, shutdown_on_exit=False)
