"""A command as a child of ours: what it prints passes through, signals and stops are passed on."""

from __future__ import annotations

import codecs
import contextlib
import errno
import math
import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Callable

from runyard_agent.terminal import Terminal

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""What shells answer for a command that can't be started."""
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_STOP = 0
"""Written where signals are, whose numbers begin at 1."""
_CHUNK_BYTES = 65536
_TICK_S = 0.5
_LINGER_S = 1.0
"""How long others may go on printing through the command's streams after it ended."""

Take = Callable[[str, bool], None]


class CannotStart(Exception):
    """A command can't be started; the exit code is what shells answer."""

    def __init__(self, command: str, error: OSError) -> None:
        is_missing = error.errno == errno.ENOENT
        super().__init__(f"{command}: {'command not found' if is_missing else error.strerror}")
        self.exit_code = NOT_FOUND if is_missing else NOT_EXECUTABLE


class Wrapped:
    """A command in a session of its own.

    Where ours is a terminal the command has one, too: what is typed, Ctrl-C as well, and the size of the window
    reach it through that. Otherwise it has pipes, and our own input.

    Args:
        environment: all of the command's.
        sigterm_after_s: how long a command that is stopped may take after its SIGINT.
        sigkill_after_s: how long after the SIGTERM that follows.
        say: tells what is done to it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        sigterm_after_s: float,
        sigkill_after_s: float,
        say: Callable[[str], None],
    ) -> None:
        self._command, self._environment, self._say = command, environment, say
        self._steps = [
            (signal.SIGINT, sigterm_after_s),
            (signal.SIGTERM, sigkill_after_s),
            (signal.SIGKILL, math.inf),
        ]
        self._step_at = math.inf
        self._wake_read, self._wake_write = os.pipe()
        for end in (self._wake_read, self._wake_write):
            os.set_blocking(end, False)
        self._terminal = Terminal()
        self._outputs: list[_Output] = []
        self._process: subprocess.Popen[bytes]

    def __enter__(self) -> Wrapped:  # noqa: PYI034 - Self came with Python 3.11
        """Start the command.

        Raises:
            CannotStart: it is not there, or can't be executed.
        """
        self._old_handlers = {
            number: signal.signal(number, _wake)
            for number in (*_PASSED_ON, signal.SIGCHLD, signal.SIGWINCH)
            if signal.getsignal(number)
            is not signal.SIG_IGN  # as under nohup, or of what a shell started with &
        }
        self._old_wake = signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        try:
            self._start()
        except OSError as error:
            self.__exit__()
            raise CannotStart(self._command[0], error) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._terminal.restore()
        for output in self._outputs:
            output.close()
        self._give_back_signals()
        os.close(self._wake_read)
        os.close(self._wake_write)

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        """Ask the command to end, harder and harder; may be called from any thread."""
        with contextlib.suppress(OSError):
            os.write(self._wake_write, bytes([_STOP]))

    def wait(self, take: Take, tick: Callable[[], None]) -> int:
        """Pass everything through until the command ends; return its exit code as shells tell it.

        Args:
            take: gets what was printed, and whether to stderr.
            tick: called twice a second.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_read, selectors.EVENT_READ, self._heed)
            for output in self._outputs:
                selector.register(output.source, selectors.EVENT_READ, partial(output.pass_on, take))
            if self._terminal.is_typed_at:
                selector.register(0, selectors.EVENT_READ, self._terminal.type)
            ends_at = math.inf
            while time.monotonic() < ends_at and self._is_on():
                for key, _ in selector.select(_TICK_S):
                    if not key.data():
                        selector.unregister(key.fd)
                self._press()
                tick()
                if ends_at == math.inf and self._process.poll() is not None:
                    ends_at = time.monotonic() + _LINGER_S
        code = self._process.wait()
        return 128 - code if code < 0 else code

    def _start(self) -> None:
        terminal = self._terminal
        self._process = subprocess.Popen(
            self._command,
            env=dict(self._environment),
            stdin=terminal.stream(0, None),
            stdout=terminal.stream(1, subprocess.PIPE),
            stderr=terminal.stream(2, subprocess.PIPE),
            start_new_session=True,
            preexec_fn=terminal.adopt if terminal.is_used else None,  # noqa: PLW1509 - no thread was started yet
        )
        terminal.begin()
        for target, pipe in ((1, self._process.stdout), (2, self._process.stderr)):
            if pipe:
                self._outputs.append(_Output(os.dup(pipe.fileno()), target, is_error=target == 2))
                pipe.close()
        for target, master in terminal.masters.items():
            is_echo = target == 1 and not terminal.shows_output
            self._outputs.append(
                _Output(master, 0 if is_echo else target, is_error=target == 2, is_echo=is_echo)
            )

    def _is_on(self) -> bool:
        return self._process.poll() is None or any(
            each.is_open and not each.is_echo for each in self._outputs
        )

    def _heed(self) -> bool:
        """Take the signals and the stop that arrived."""
        for number in os.read(self._wake_read, 512):
            if number == _STOP and self._step_at == math.inf and len(self._steps) == 3:
                self._step_at = 0.0
            elif number == signal.SIGWINCH:
                self._terminal.resize()
            elif number in _PASSED_ON:
                self._signal(signal.Signals(number))
        return True

    def _press(self) -> None:
        """Take the next step of a stop when its time has come."""
        if time.monotonic() < self._step_at or not self._steps:
            return
        number, patience_s = self._steps.pop(0)
        self._say(f"the run was stopped on the web: the command gets {number.name}")
        self._signal(number)
        self._step_at = time.monotonic() + patience_s

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    def _give_back_signals(self) -> None:
        signal.set_wakeup_fd(self._old_wake)
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)


class _Output:
    """One stream of the command, and where it goes on to."""

    def __init__(self, source: int, target: int, *, is_error: bool, is_echo: bool = False) -> None:
        self.source, self.is_echo, self.is_open = source, is_echo, True
        self._target, self._is_error = target, is_error
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        os.set_blocking(source, False)

    def pass_on(self, take: Take) -> bool:
        """Pass on what is there; False at the end, and when nobody reads it any more."""
        try:
            chunk = os.read(self.source, _CHUNK_BYTES)
        except BlockingIOError:
            return True
        except OSError:  # a pseudo terminal that nobody holds
            chunk = b""
        if not self._write(chunk) or not chunk:
            self.close()  # the command gets SIGPIPE, as it would without us
        text = self._decoder.decode(chunk, final=not chunk)
        if text and not self.is_echo:
            take(text, self._is_error)
        return self.is_open

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            os.close(self.source)

    def _write(self, chunk: bytes) -> bool:
        try:
            while chunk:
                select.select([], [self._target], [])  # whoever gave us the stream may have made it not block
                chunk = chunk[os.write(self._target, chunk) :]
        except OSError:
            return False
        return True


def _wake(number: int, frame: object) -> None:
    """Take a signal; its number is written to the wake-up descriptor."""
