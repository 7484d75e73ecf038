"""Our terminal, as far as we have one, and the one that a wrapped command gets in its place."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import termios
import tty
from typing import Any

_INPUT, _OUTPUT, _ERROR = 0, 1, 2


class Terminal:
    """A pseudo terminal for each of our streams that is a terminal: output and errors apart, so that both are known.

    Input and output share the first one, which controls the command: Ctrl-C reaches it through that, and us not at all.
    """

    def __init__(self) -> None:
        ours = [descriptor for descriptor in (_INPUT, _OUTPUT, _ERROR) if _is_terminal(descriptor)]
        self._ours = ours[0] if ours else -1
        self._modes: list[Any] | None = None
        self.masters: dict[int, int] = {}
        """Where what the command writes to its stream 1 or 2 is read."""
        self._input = -1
        """Where what is typed goes, unless the command has our own input."""
        self._slaves: dict[int, int] = {}
        if _INPUT in ours or _OUTPUT in ours:
            self.masters[_OUTPUT], slave = self._pair()
            self._slaves |= {descriptor: slave for descriptor in (_INPUT, _OUTPUT) if descriptor in ours}
        if _INPUT in ours:
            self._input = self.masters[_OUTPUT]
        if _ERROR in ours:
            self.masters[_ERROR], self._slaves[_ERROR] = self._pair()
        self.shows_output = _OUTPUT in ours
        """Whether the first pseudo terminal carries more than the echo of what is typed."""

    def stream(self, descriptor: int, otherwise: int | None) -> int | None:
        """Return what a stream of the command is opened on."""
        return self._slaves.get(descriptor, otherwise)

    def adopt(self) -> None:
        """Make the pseudo terminal control this process, which leads a session: called in the child."""
        for descriptor in self._slaves:
            with contextlib.suppress(OSError):
                fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
                return

    @property
    def is_used(self) -> bool:
        return bool(self._slaves)

    def begin(self) -> None:
        """Let the child alone hold its ends, and pass on every key as it is typed, if we are in the foreground."""
        for slave in set(self._slaves.values()):
            os.close(slave)
        if self._input < 0 or os.tcgetpgrp(_INPUT) != os.getpgrp():
            return
        self._modes = termios.tcgetattr(_INPUT)
        tty.setraw(_INPUT, termios.TCSADRAIN)
        if not self.shows_output:  # others still write to our terminal, such as the tee we are piped to
            modes = termios.tcgetattr(_INPUT)
            modes[1] |= termios.OPOST
            termios.tcsetattr(_INPUT, termios.TCSADRAIN, modes)

    @property
    def is_typed_at(self) -> bool:
        """Whether what is typed is ours to pass on."""
        return self._modes is not None

    def type(self) -> bool:
        """Pass on what was typed; False when the terminal is gone."""
        try:
            typed = os.read(_INPUT, 4096)
        except OSError:
            return False
        with contextlib.suppress(OSError):  # as a terminal does whose buffer is full
            os.write(self._input, typed)
        return bool(typed)

    def resize(self) -> None:
        """Give the command's terminals the size of ours."""
        size = fcntl.ioctl(self._ours, termios.TIOCGWINSZ, bytes(8))
        for master in self.masters.values():
            with contextlib.suppress(OSError):
                fcntl.ioctl(master, termios.TIOCSWINSZ, size)

    def restore(self) -> None:
        """Leave our terminal as we found it."""
        if self._modes is not None:
            termios.tcsetattr(_INPUT, termios.TCSADRAIN, self._modes)
            self._modes = None

    def _pair(self) -> tuple[int, int]:
        """Return both ends of a pseudo terminal with the modes and the size of ours."""
        master, slave = pty.openpty()
        termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(self._ours))
        fcntl.ioctl(master, termios.TIOCSWINSZ, fcntl.ioctl(self._ours, termios.TIOCGWINSZ, bytes(8)))
        return master, slave


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False
