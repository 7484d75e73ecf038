"""The log: each line names the trace that it belongs to, and a collector that is away does not fill it."""

import logging
import time

from common.telemetry.tracing import spans

_EXPORTER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
_SILENT_S = 600.0


class _TraceFormatter(logging.Formatter):
    """Formats as another one does, and adds the trace."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record, which may have several lines; the first says the trace."""
        text = self._formatter.format(record)
        position = spans.position()
        if position is None or not position.trace_flags.sampled:
            return text
        line, separator, rest = text.partition("\n")
        return f"{line} trace_id={position.trace_id:032x}{separator}{rest}"


class _OnceInAWhile(logging.Filter):
    """Lets one line pass every ten minutes."""

    def __init__(self) -> None:
        super().__init__()
        self._next_at = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether this line may pass."""
        if record.levelno < logging.ERROR or time.monotonic() < self._next_at:
            return False
        self._next_at = time.monotonic() + _SILENT_S
        return True


def listen() -> None:
    """Name traces in all that this process logs from now on."""
    logging.getLogger(_EXPORTER).addFilter(_OnceInAWhile())
    for handler in logging.getLogger().handlers:
        if handler.formatter is not None:
            handler.setFormatter(_TraceFormatter(handler.formatter))
