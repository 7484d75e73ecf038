"""Ends conversations with hosts that someone else chose, whatever they are doing.

Timeouts of sockets begin anew with each piece, so a host that sends a byte now and then keeps every one of them. A
deadline closes the sockets of a conversation instead, also those that connect, shake hands or send.
"""

import heapq
import itertools
import socket
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Self
from weakref import WeakSet

from common.safe_http.addresses import OutgoingError

_EVERY_S = 1.0
"""Between two looks whether anyone still waits."""


class _Clock:
    """One thread that calls functions at their times: a timer each would be a thread each."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._thread: threading.Thread | None = None

    def call_at(self, moment: float, function: Callable[[], None]) -> None:
        with self._changed:
            heapq.heappush(self._due, (moment, next(self._order), function))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                while not self._due or self._due[0][0] > now:
                    self._changed.wait(self._due[0][0] - now if self._due else None)
                    now = time.monotonic()
                _moment, _order, function = heapq.heappop(self._due)
            function()


_clock = _Clock()
_current: "ContextVar[Deadline | None]" = ContextVar("deadline", default=None)


class Deadline:
    """The end of a conversation. As a context, which may be entered again, it is what `watch` adds sockets to."""

    def __init__(self, whole_s: float, is_abandoned: Callable[[], bool] = lambda: False) -> None:
        """Begin to count; ``is_abandoned`` says that no one waits for the outcome any more, which ends it, too."""
        self.is_over = self.was_abandoned = False
        self._is_abandoned = is_abandoned
        self._whole_s, self._ends_at = whole_s, time.monotonic() + whole_s
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._lock = threading.Lock()
        self._is_armed = self._is_due = False
        self._outer: Deadline | None = None
        """The one that this one was entered under, which ends its sockets as well."""
        self._token: Token[Deadline | None] | None = None

    def __enter__(self) -> Self:
        """Begin to watch."""
        self._outer = _current.get()
        self._token = _current.set(self)
        self._arm()
        return self

    def __exit__(self, *_error: object) -> None:
        """Watch no longer."""
        with self._lock:
            self._is_armed = False
        if self._token is not None:
            _current.reset(self._token)

    def extend(self, seconds: float) -> None:
        """Let it end so many seconds from now."""
        with self._lock:
            self._ends_at = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until the end; raises where there are none."""
        self.check()
        return max(self._ends_at - time.monotonic(), 0.001)

    def check(self) -> None:
        """Raise once it is over."""
        if self.is_over:
            raise OutgoingError(f"took longer than {self._whole_s:g} s")

    def watch(self, watched: socket.socket) -> None:
        """Close this one at the end, too."""
        with self._lock:
            self.check()
            self._sockets.add(watched)
        if self._outer is not None:
            self._outer.watch(watched)

    def _arm(self) -> None:
        with self._lock:
            self._is_armed = True
            if not self._is_due:
                self._is_due = True
                self._call_soon()

    def _call_soon(self) -> None:
        _clock.call_at(min(self._ends_at, time.monotonic() + _EVERY_S), self._look)

    def _look(self) -> None:
        with self._lock:
            if not self._is_armed:
                self._is_due = False
                return
            self.was_abandoned = self._is_abandoned()
            if self._ends_at > time.monotonic() and not self.was_abandoned:
                self._call_soon()
                return
            self.is_over = True
            for each in self._sockets:
                try:
                    # Of the class below: that of a TLS socket first forgets to encrypt what another thread sends.
                    socket.socket.shutdown(each, socket.SHUT_RDWR)
                except OSError:  # over already
                    continue


def watch(watched: socket.socket | None) -> None:
    """Let the deadline that this code works under, if any, close a connection."""
    deadline = _current.get()
    if deadline is not None and watched is not None:
        deadline.watch(watched)
