"""How often something may happen: counted in Redis for all processes, or in this one where that is too slow."""

import logging
import math
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from redis.exceptions import RedisError

from common.crypto import keyed_hash

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a window's requests after this one."""

    limit: int
    remaining: int
    reset_s: int
    """Seconds until all are there again."""
    is_spent: bool
    """Whether this one was too many."""

    @property
    def headers(self) -> dict[str, str]:
        """How an answer tells it (the fields of the IETF's draft "RateLimit header fields")."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_s),
        }


def spend(
    what: str, caller: str, *, limit: int, window_s: int, amount: int = 1, part: str = ""
) -> Allowance | None:
    """Count one more of ``limit`` in the window (or several), in one round trip; None where nothing limits.

    That is for a limit of 0, and without a cache: working goes before slowing down. A ``part`` of the caller is
    counted, too, which limits nothing: `spent` says which part uses most.
    """
    if not limit:
        return None
    now = time.time()
    key = _key(what, caller, now, window_s)
    amount += _owed.pop((what, caller), 0)
    try:
        with _redis(key).pipeline(transaction=False) as pipe:
            pipe.incrby(key, amount).expire(key, window_s)
            if part:
                own = _key(what, part, now, window_s)
                pipe.incrby(own, amount).expire(own, window_s)
            so_far = pipe.execute()[0]
    except RedisError as error:
        logger.warning("%s could not be counted: %s", what, error)
        return None
    return Allowance(limit, max(0, limit - so_far), int(window_s - now % window_s) + 1, so_far > limit)


_owed: dict[tuple[str, str], int] = {}
_MOST_OWED = 10_000


def spend_later(what: str, caller: str, amount: int) -> None:
    """Let the caller's next request to this process count for so many more, which saves a round trip."""
    if len(_owed) < _MOST_OWED:
        _owed[what, caller] = _owed.get((what, caller), 0) + amount


def spent(what: str, callers: Sequence[str], *, window_s: int) -> list[int] | None:
    """Return how much each has spent in the present window, in one round trip; None where it is not known."""
    keys = [_key(what, caller, time.time(), window_s) for caller in callers]
    try:
        return [int(found or 0) for found in _redis(keys[0]).mget(keys)] if keys else []
    except RedisError:
        return None


def _key(what: str, caller: str, now: float, window_s: int) -> str:
    key: str = cache.make_key(f"rate:{what}:{keyed_hash('rate', caller)[:32]}:{int(now // window_s)}")
    return key


def _redis(key: str) -> Any:
    redis_cache: Any = cache
    return redis_cache._cache.get_client(key, write=True)


def count(what: str, caller: str, *, limit: int, window_s: int) -> int:
    """Count one more, and return the seconds to wait when it was one too many, else 0."""
    allowance = spend(what, caller, limit=limit, window_s=window_s)
    return allowance.reset_s if allowance is not None and allowance.is_spent else 0


class Pace:
    """How often things happen in this process: a steady rate, with so many saved up for when several come at once."""

    MOST_KEYS = 20_000

    def __init__(self, saved_s: float) -> None:
        """Let what is not used be saved for so many seconds."""
        self._saved_s = saved_s
        self._left: dict[Hashable, tuple[float, float]] = {}

    def wait_s(self, key: Hashable, rate: float) -> int:
        """Count one more of a thing that may happen ``rate`` times a second (0: ever); return the seconds to wait.

        What is refused is not counted, so that who asks again and again is not kept out for ever.
        """
        if not rate:
            return 0
        now, full = time.monotonic(), rate * self._saved_s
        left, at = self._left.get(key, (full, now))
        left = min(full, left + (now - at) * rate)
        if left < 1:
            return math.ceil((1 - left) / rate)
        if len(self._left) > self.MOST_KEYS:  # bounds memory; forgetting gives each its saved ones back
            self._left.clear()
        self._left[key] = left - 1, now
        return 0
