"""Buckets whose requests are spans of the trace around them."""

from collections.abc import Callable
from typing import Any, cast

from common.telemetry.tracing import spans
from storage.backends.base import Backend

_REQUESTS = frozenset({"put", "read", "info", "delete", "begin_parts", "complete_parts", "give_up_parts"})
"""Of `Backend`; the others only sign. A read is traced until the bucket has answered, not to the end of its bytes."""


class _TracedBackend:
    def __init__(self, backend: Backend, scheme: str) -> None:
        self._backend, self._scheme = backend, scheme

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._backend, name)
        return self._traced(name, found) if name in _REQUESTS else found

    def _traced(self, name: str, request: Callable[..., Any]) -> Callable[..., Any]:
        def traced(*args: Any, **options: Any) -> Any:
            with spans.span(f"bucket {name}", "client", {"runyard.bucket": self._scheme}):
                return request(*args, **options)

        return traced


def traced(backend: Backend, scheme: str) -> Backend:
    """Return a backend as it is, or, where traces are exported, one that records its requests.

    Args:
        backend: Which.
        scheme: Of its URL, as "s3": what the spans tell of it.
    """
    return cast("Backend", _TracedBackend(backend, scheme)) if spans.are_exported() else backend
