"""What one request may cost in processor time; and that it ends when its client has left."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NoReturn, TypeVar

from django.conf import settings
from django.utils.translation import gettext as _

from common.errors import Invalid

T = TypeVar("T")

LONG_BYTES = 1024 * 1024
"""An answer that is longer waits in memory for its client to read it."""


class TooExpensive(Invalid):
    """More than one request may cost. Not a 413 or 429: the same request will not succeed later either."""

    code = "too_expensive"


class ClientGone(BaseException):
    """Ends a request that no one waits for; not an `Exception`, which views and libraries turn into answers."""


class Budget:
    """What a request has cost so far, beginning with `budget_of`, in the thread that works for it."""

    setting = "RUNYARD_REQUEST_MAX_S"
    only_reads = True
    """Whether nothing is lost when it ends in the middle; what writes goes on though its client has left."""

    def __init__(self, is_gone: Callable[[], bool] = lambda: False, *, caller: str = "") -> None:
        """Take what ends it.

        Args:
            is_gone: Says whether the client has left.
            caller: Whose share of the process it uses: an address, until it is known which account asks.
        """
        self._is_gone, self.caller = is_gone, caller
        self.begin_long_answer: Callable[[], None] = lambda: None
        """Says that the answer will be long, before work for it begins; raises TooManyRequests."""
        self.begin()
        self._elsewhere = 0.0
        self._reserved: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Count the processor time of this thread from now on."""
        self._began = time.thread_time()

    @property
    def seconds(self) -> float:
        """Processor time so far: of this thread, and of processes that worked for it."""
        return time.thread_time() - self._began + self._elsewhere

    @property
    def most_s(self) -> int:
        """Processor time that it may take."""
        return int(settings.REQUEST_MAX_S)

    @property
    def left_s(self) -> float:
        """Processor time that is left."""
        return max(0.0, self.most_s - self.seconds)

    @property
    def out_of_time(self) -> "TooExpensive":
        """The refusal of what takes too much processor time."""
        return too_expensive(self.most_s, _("seconds of processor time"), self.setting)

    def add(self, seconds: float) -> None:
        """Count processor time that was spent elsewhere."""
        self._elsewhere += seconds

    def is_abandoned(self) -> bool:
        """Say whether no one waits for what is read any more."""
        return self.only_reads and self._is_gone()

    @property
    def is_over(self) -> bool:
        """Whether the request should end: it has used its time, or its client has left."""
        return self.is_abandoned() or self.seconds > self.most_s

    def look(self) -> None:
        """End the request when it is over."""
        self.look_for_client()
        if self.seconds > self.most_s:
            self.stop(self.out_of_time)

    def look_for_client(self) -> None:
        """End the request when its client has left."""
        if self.is_abandoned():
            self.stop(None)

    def through(self, parts: Iterable[T]) -> Iterator[T]:
        """Pass on rows or blocks of them, looking before each."""
        for part in parts:
            self.look()
            yield part

    def stop(self, error: Invalid | None) -> NoReturn:
        """Raise what ends the request; None: its client has left."""
        if error is None:
            raise ClientGone
        raise error

    def at_end(self, release: Callable[[], None]) -> None:
        """Let something go when the request has ended."""
        self._reserved.append(release)

    def end(self) -> None:
        """Let go of what was reserved."""
        while self._reserved:
            self._reserved.pop()()


def too_expensive(limit: int, what: str, setting: str) -> TooExpensive:
    """Return the refusal that states a limit."""
    return TooExpensive(
        _("One request may cost at most %(limit)s %(what)s (setting %(setting)s); ask for less at once.")
        % {"limit": limit, "what": what, "setting": setting}
    )


class _Unlimited(Budget):
    """Of what no client waits for: tasks and commands."""

    left_s = property(lambda self: float(self.most_s))
    is_over = False

    def __setattr__(self, name: str, value: object) -> None:
        """Keep no caller: this one is of all that has none."""
        super().__setattr__(name, "" if name == "caller" else value)

    def look(self) -> None:
        """Go on."""

    def add(self, seconds: float) -> None:
        """Count nothing."""

    def at_end(self, release: Callable[[], None]) -> None:
        """Let it go at once: nothing says when such work ends."""
        release()


_UNLIMITED = _Unlimited()
_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


def current() -> Budget:
    """Return the budget of the request that this code works for; one without limits outside of requests."""
    return _current.get() or _UNLIMITED


@contextmanager
def budget_of(budget: Budget) -> Iterator[Budget]:
    """Make a budget the current one."""
    token = _current.set(budget)
    budget.begin()
    try:
        yield budget
    finally:
        _current.reset(token)
        budget.end()
