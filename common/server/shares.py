"""How much of a web process one address uses: places in its threads, and long answers that it is being sent."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock
from typing import Any

from django.conf import settings

from common.errors import TooManyRequests


class ThreadShares:
    """How many requests of each address are with the threads; more of them wait, where they occupy none."""

    def __init__(self, each: int) -> None:
        """Take how many of one address there may be."""
        self._each = each
        self._of: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def of(self, address: str, leaving: "asyncio.Future[Any]") -> AsyncIterator[bool]:
        """Wait for a place; gives False to a client that has left meanwhile, which ``leaving`` is done for."""
        places, users = self._of.get(address) or (asyncio.Semaphore(self._each), 0)
        self._of[address] = places, users + 1
        try:
            if await _acquired(places, leaving):
                try:
                    yield True
                finally:
                    places.release()
            else:
                yield False
        finally:
            places, users = self._of[address]
            self._of[address] = places, users - 1
            if users == 1:
                del self._of[address]


async def _acquired(places: asyncio.Semaphore, leaving: "asyncio.Future[Any]") -> bool:
    if not places.locked():
        return await places.acquire()
    waiting = asyncio.create_task(places.acquire())
    await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
    return waiting.done() or not waiting.cancel()


class LongAnswers:
    """Answers under way that wait for their clients to read them, which takes memory and, to make them, a thread."""

    def __init__(self) -> None:
        """Begin with none."""
        self._sending: Counter[str] = Counter()
        self._lock = Lock()

    def begin(self, address: str) -> None:
        """Count one more.

        Raises:
            TooManyRequests: this address, or all together, have too many.
        """
        with self._lock:
            for count, limit, setting in (
                (self._sending[address], settings.STREAMS_EACH, "RUNYARD_STREAMS_EACH"),
                (self._sending.total(), settings.STREAMS_MAX, "RUNYARD_STREAMS_MAX"),
            ):
                if count >= limit:
                    text = f"At most {limit} long answers are sent at the same time (setting {setting})."
                    raise TooManyRequests(f"{text} Try again later.", wait_s=10, setting=setting)
            self._sending[address] += 1

    def end(self, address: str) -> None:
        """Count one less."""
        with self._lock:
            self._sending[address] -= 1
            if not self._sending[address]:
                del self._sending[address]


class LongAnswer:
    """That of one request, if it turns out to be long: views that know so say it before they begin to work."""

    def __init__(self, answers: LongAnswers, address: str) -> None:
        """Begin with one that is not."""
        self._answers, self._address = answers, address
        self._has_begun = False

    def begin(self) -> None:
        """Count it, once; raises TooManyRequests as `LongAnswers.begin`."""
        if not self._has_begun:
            self._answers.begin(self._address)
            self._has_begun = True

    def end(self) -> None:
        """Count it no longer."""
        if self._has_begun:
            self._answers.end(self._address)
            self._has_begun = False
