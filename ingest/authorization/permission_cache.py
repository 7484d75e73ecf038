"""Remembered rights of streams: who may log to which run, for ten seconds at most.

An SDK posts every 15 s, so each of its posts finds a right that has run out. Asking again takes as much CPU as all the
rest of a post; hence who asks for one run of a key asks for the others of that key, too, in the same query, and nobody
else asks for that key meanwhile: a busy server must not be asked the more the longer it takes.

Only positive answers are remembered. They are dropped when a key, role, membership or visibility changes in this
process, or in another one (web, worker, a command), which says so over Redis. Where nobody can say it, because Redis
is away when this process begins to listen, nothing is remembered.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.layers import get_channel_layer

from access.signals import rights_changed
from common import live

logger = logging.getLogger(__name__)

PERMISSION_TTL_S = 10.0
GROUP = "rights"
UNUSED_AFTER_S = 60.0
"""A run that has not posted for so long is no longer checked along with others."""
_MAX = 10_000
_MAX_RUNS_A_CHECK = 500
"""At once; SQLite takes a condition of at most 1,000 parts."""
_LISTEN_AGAIN_S = 1.0

Names = tuple[str, str, str]
"""Entity, project and id, as a run's path has them."""


@dataclass(slots=True)
class _Permission:
    run_id: int
    until: float
    used_at: float


@dataclass(slots=True)
class _InflightCheck:
    runs: set[Names]
    is_answered: asyncio.Event = field(default_factory=asyncio.Event)


class PermissionCache:
    """What each key, as its header has it, gives access to."""

    def __init__(self) -> None:
        self._known: dict[str, dict[Names, _Permission]] = {}
        self._count = 0
        self._inflight: dict[str, _InflightCheck] = {}
        self._waiting: dict[str, set[Names]] = {}
        """Runs that the next check covers, too."""
        self._listener: asyncio.Task[None] | None = None
        self._is_listening = False
        self.generation = 0
        """Rises with every change of rights: what was asked before one is not remembered after it."""

    def get(self, authorization: str, names: Names) -> int | None:
        """Return the run's key while the answer is fresh."""
        right = self._known.get(authorization, {}).get(names)
        if right is None:
            return None
        right.used_at = time.monotonic()
        return right.run_id if right.until > right.used_at else None

    async def wait_for_inflight(self, authorization: str, names: Names) -> int | None:
        """Wait while others check runs of the key; return the answer when theirs covers this run, too."""
        while (check := self._inflight.get(authorization)) is not None:
            if names not in check.runs:
                self._waiting.setdefault(authorization, set()).add(names)
            await check.is_answered.wait()
            known = self.get(authorization, names)
            if known is not None:
                return known
        return None

    @contextlib.contextmanager
    def single_flight(self, authorization: str, names: Names) -> Iterator[list[Names]]:
        """Give the runs to check, after `wait_for_inflight`: this one, those that wait, all of the key in use."""
        since = time.monotonic() - UNUSED_AFTER_S
        known = self._known.get(authorization, {})
        for unused in [names for names, right in known.items() if right.used_at < since]:
            del known[unused]
            self._count -= 1
        due = {names, *self._waiting.pop(authorization, ())}
        stale_first = sorted(known.keys() - due, key=lambda names: known[names].until)
        runs = [*due, *stale_first][:_MAX_RUNS_A_CHECK]
        check = self._inflight[authorization] = _InflightCheck(set(runs))
        try:
            yield runs
        finally:
            del self._inflight[authorization]
            check.is_answered.set()

    def remember(self, authorization: str, found: Mapping[Names, int], *, generation: int) -> None:
        """Cache positive answers that were requested in ``generation``; call on the event loop."""
        if self._listener is None or self._listener.done():
            self._is_listening = False
            self._listener = asyncio.get_running_loop().create_task(self._listen())
        if not self._is_listening or generation != self.generation:
            return
        if self._count > _MAX:  # bounds memory; forgetting costs each a query
            self._clear()
        known = self._known.setdefault(authorization, {})
        now, before = time.monotonic(), len(known)
        for names, run_id in found.items():
            used_at = known[names].used_at if names in known else now
            known[names] = _Permission(run_id, now + PERMISSION_TTL_S, used_at)
        self._count += len(known) - before

    def _clear(self) -> None:
        self._known.clear()
        self._count = 0

    def forget(self) -> None:
        """Drop everything."""
        self.generation += 1
        self._clear()

    async def _listen(self) -> None:
        while True:
            try:
                layer: Any = get_channel_layer()
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
                self._is_listening = True
                while True:
                    await layer.receive(channel)
                    self.forget()
            except Exception:
                logger.warning("not told of changed rights; none are remembered", exc_info=True)
            self._is_listening = False
            self.forget()
            await asyncio.sleep(_LISTEN_AGAIN_S)


permissions = PermissionCache()


def forget_everywhere(**_: Any) -> None:
    """Forget here and tell the other processes."""
    permissions.forget()
    live.send(GROUP, {"type": "rights"})


rights_changed.connect(forget_everywhere, dispatch_uid="ingest.authorization.permission_cache")
