"""What ends a command that would go on for ever: a signal, or word from another thread."""

from __future__ import annotations

import os
import select
import signal
import time
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Ending:
    """Wakes the main thread, which waits in ``wait``; takes SIGTERM and the first SIGINT while it is entered.

    A second Ctrl-C does what it did before, so that who can't wait need not. A second SIGTERM changes nothing:
    timeout(1) sends two at once.

    A pipe and no Event: a handler runs in the main thread, which may just hold the Event's lock. Another pipe wakes the
    main thread when the system has given the signal to another thread, which interrupts nothing there.
    """

    def __init__(self) -> None:
        self.exit_code = 0
        """What the command ends with: 130 after Ctrl-C, as shells have it."""
        self._read, self._write = os.pipe()
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        self._wake_before = -1
        self._before: dict[int, object] = {}

    def __enter__(self) -> Ending:  # noqa: PYI034 - typing has Self from 3.11 on
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._on_signal)
        self._wake_before = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # as it was given to us
        signal.set_wakeup_fd(self._wake_before)
        for descriptor in (self._read, self._write, self._woken, self._wake):
            os.close(descriptor)

    def tell(self) -> None:
        """End it, from any thread."""
        os.write(self._write, b"-")

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; False when it has not come in time."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            ready = select.select([self._read, self._woken], [], [], left)[0]
            if self._read in ready or not ready:
                return bool(ready)
            os.read(self._woken, 512)  # our handler runs now, in this thread

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGINT:
            self.exit_code = 130
            signal.signal(number, self._before[number])  # type: ignore[arg-type]  # as it was given to us
        self.tell()
