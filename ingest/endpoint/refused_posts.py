"""Posts that a limit refused: gathered in this process, kept now and then, told on timelines of runs (wish 20).

Never a write for each: who is refused is refused often.
"""

import asyncio
import logging

from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from runs.ingest.refused_posts import Refused, keep_refused

logger = logging.getLogger(__name__)

FIRST_S, EVERY_S = 5.0, 60.0
"""How long after the first refusal all that came is kept, and how often while there are more."""
MOST = 10_000
"""Pairs of a run and a setting; further ones are not noted, which bounds memory."""


class Gathered:
    """What was refused and is not kept yet. Lives on one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, str], Refused] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, run_id: int, setting: str) -> None:
        """Note that a post of a run was refused now, by the limit of a setting."""
        now, key = timezone.now(), (run_id, setting)
        known = self._waiting.get(key)
        if known is not None:
            known.count += 1
            known.last_at = now
        elif len(self._waiting) < MOST:
            self._waiting[key] = Refused(run_id, setting, 1, now, now)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._keep_on())

    async def _keep_on(self) -> None:
        await asyncio.sleep(FIRST_S)
        while self._waiting:
            await self.keep()
            await asyncio.sleep(EVERY_S)

    async def keep(self) -> None:
        """Keep what was gathered; without a database it is lost, since a note is worth no retry."""
        waiting, self._waiting = self._waiting, {}
        if waiting:
            await asyncio.to_thread(_keep, list(waiting.values()))


def _keep(refused: list[Refused]) -> None:
    close_old_connections()
    try:
        keep_refused(refused)
    except DatabaseError:
        logger.warning("refused posts of %d runs could not be noted", len(refused), exc_info=True)
    finally:
        close_old_connections()


gathered = Gathered()
