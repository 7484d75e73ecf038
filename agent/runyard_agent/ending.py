"""What ends a command that would go on for ever: a signal, or word from another thread."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Ending:
    """Wakes the main thread, which waits in ``wait``; takes SIGTERM and the first SIGINT while it is entered.

    A second Ctrl-C does what it did before, so that who can't wait need not. A second SIGTERM changes nothing:
    timeout(1) sends two at once.

    A pipe and no Event: a handler runs in the main thread, which may just hold the Event's lock.
    """

    def __init__(self) -> None:
        self.exit_code = 0
        """What the command ends with: 130 after Ctrl-C, as shells have it."""
        self._read, self._write = os.pipe()
        self._before: dict[int, object] = {}

    def __enter__(self) -> Ending:  # noqa: PYI034 - typing has Self from 3.11 on
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # as it was given to us
        os.close(self._read)
        os.close(self._write)

    def tell(self) -> None:
        """End it, from any thread."""
        os.write(self._write, b"-")

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; False when it has not come in time."""
        return bool(select.select([self._read], [], [], timeout_s)[0])

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGINT:
            self.exit_code = 130
            signal.signal(number, self._before[number])  # type: ignore[arg-type]  # as it was given to us
        self.tell()
