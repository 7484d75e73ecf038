"""Requests as a signed-in browser makes them, in this process: what each costs."""

import statistics
import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.test import Client

from accounts.models import User

ROUNDS, ENOUGH_S = 7, 6.0
"""A request is repeated so often, or until so much time is gone."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds by the clock, the first time and in the middle of those that follow, and bytes of the answer."""

    first_ms: float
    ms: float
    size: int

    def __str__(self) -> str:
        return f"{self.ms:9.1f} ms, the first time {self.first_ms:9.1f}, {self.size / 1e3:8.1f} kB"


class Browser:
    """Asks pages of the application."""

    def __init__(self, user: User) -> None:
        self._client = Client(headers={"Accept-Encoding": "gzip", "Host": "localhost"})
        self._client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])

    def _ask(self, address: str) -> tuple[float, int]:
        begin = time.perf_counter()
        answer: Any = self._client.get(address)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        taken = time.perf_counter() - begin
        if answer.status_code != 200:
            raise RuntimeError(f"{address}: {answer.status_code} {content[:300]!r}")
        return taken, len(content)

    def cost(self, address: str) -> Cost:
        """Ask for a page several times.

        Raises:
            RuntimeError: it was refused.
        """
        first, size = self._ask(address)
        taken: list[float] = []
        while len(taken) < ROUNDS and sum(taken) < ENOUGH_S:
            taken.append(self._ask(address)[0])
        return Cost(first * 1e3, statistics.median(taken) * 1e3, size)
