"""What this process prints by Python, copied on its way. What its children or C code print is not seen here."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any, Callable

from runyard_agent.console import Console, Line


class Capture:
    """Takes the place of ``sys.stdout.write`` and ``sys.stderr.write`` until it is released.

    The streams themselves stay, so that handlers of ``logging`` that hold them are heard, too.
    """

    def __init__(self, emit: Callable[[Line], None]) -> None:
        self._console, self._lock = Console(emit), threading.RLock()
        self._wrapped: list[tuple[Any, Any, Any]] = []
        for is_error, stream in enumerate((sys.stdout, sys.stderr)):
            if stream is not None and not (is_error and stream is sys.stdout):
                self._wrap(stream, is_error=bool(is_error))

    def say(self, text: str) -> None:
        """Write to stderr without copying it."""
        write = next((old for stream, old, _ in self._wrapped if stream is sys.stderr), None)
        tell(text, write)

    def tick(self) -> None:
        """Let progress bars go on; called about once a second."""
        with self._lock:
            self._console.tick()

    def release(self) -> None:
        """Leave the streams as they were; another who wrapped them since keeps them."""
        for stream, old, new in self._wrapped:
            if stream.__dict__.get("write") is new if hasattr(stream, "__dict__") else False:
                with contextlib.suppress(AttributeError):
                    del stream.write
                    if stream.write != old:
                        stream.write = old
        self._wrapped.clear()

    def close(self) -> None:
        """Release the streams, and tell what has no end of line."""
        self.release()
        with self._lock:
            self._console.close()

    def _wrap(self, stream: Any, *, is_error: bool) -> None:
        old = stream.write

        def write(text: str) -> Any:
            written = old(text)
            if self._wrapped:
                with self._lock:
                    self._console.feed(text, is_error=is_error)
            return written

        with contextlib.suppress(AttributeError):  # a stream of somebody's own may not let us
            stream.write = write
            self._wrapped.append((stream, old, write))


_telling = threading.RLock()


def tell(text: str, write: Callable[[str], Any] | None = None) -> None:
    """Tell a sentence to the person at the terminal."""
    with _telling, contextlib.suppress(Exception):  # stderr may be closed, or of somebody's own
        (write or sys.stderr.write)(f"runyard: {text}\n")
        sys.stderr.flush()


# stderr has a lock of its own: forked while our thread tells something, a child would wait for that for ever
os.register_at_fork(
    before=_telling.acquire, after_in_parent=_telling.release, after_in_child=_telling.release
)
