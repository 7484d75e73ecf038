"""How much of one kind of work a process does at once, and how much of that for one caller.

Work that waits occupies a thread, so few wait; a caller who fills their share is refused, not everyone.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from common.budgets.budget import current
from common.errors import DomainError, TooManyRequests, Unavailable

_LOOK_S = 0.1


class Gate:
    """Lets so many pass at once. Of those that wait, who has the least under way goes first, then who came first."""

    def __init__(self, *, at_once: int, each: int, waiting: int = 0, wait_s: float = 0) -> None:
        """Take the limits.

        Args:
            at_once: How many pass at once.
            each: How many of these for one caller.
            waiting: How many of one caller wait besides; twice as many of all.
            wait_s: How long.
        """
        self._at_once, self._each, self._most_waiting, self._wait_s = at_once, each, waiting, wait_s
        self._changed = threading.Condition()
        self._running: Counter[str] = Counter()
        self._waiting: list[tuple[str, object]] = []

    @contextmanager
    def passing(self, caller: str) -> Iterator[None]:
        """Wait for a place, and occupy it for the length of the block.

        Raises:
            TooManyRequests: this caller has too much under way.
            Unavailable: all have.
            ClientGone: no one waits for it any more.
        """
        self._enter(caller)
        try:
            yield
        finally:
            with self._changed:
                self._running[caller] -= 1
                if not self._running[caller]:
                    del self._running[caller]
                self._changed.notify_all()

    def _enter(self, caller: str) -> None:
        budget, ends_at, me = current(), time.monotonic() + self._wait_s, (caller, object())
        with self._changed:
            self._waiting.append(me)
            try:
                while not self._is_next(me):
                    if self._has_no_place(caller) or time.monotonic() >= ends_at:
                        raise self._refusal(caller)
                    budget.look_for_client()
                    self._changed.wait(min(_LOOK_S, max(0.0, ends_at - time.monotonic())))
                self._running[caller] += 1
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()

    def _is_next(self, me: tuple[str, object]) -> bool:
        if self._running.total() >= self._at_once or self._running[me[0]] >= self._each:
            return False
        able = [one for one in self._waiting if self._running[one[0]] < self._each]
        return min(able, key=lambda one: self._running[one[0]]) is me

    def _has_no_place(self, caller: str) -> bool:
        own = sum(one[0] == caller for one in self._waiting)
        return own > self._most_waiting or len(self._waiting) > 2 * self._most_waiting

    def _refusal(self, caller: str) -> DomainError:
        if self._running[caller] >= min(self._each, self._at_once):
            return TooManyRequests(
                _("Too many of your requests of this kind are under way; wait until they have ended."),
                wait_s=5,
            )
        return Unavailable(_("The server is busy with many requests of this kind; try again in a minute."))
