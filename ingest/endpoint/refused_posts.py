"""Posts that a limit refused: gathered in this process, saved now and then, shown on timelines of runs (wish 20).

Never a write for each: who is refused is refused often.
"""

import asyncio
import logging

from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from runs.ingest.refused_posts import RefusedPostCount, record_refused_posts

logger = logging.getLogger(__name__)

FIRST_S, EVERY_S = 5.0, 60.0
"""How long after the first refusal all that came is saved, and how often while there are more."""
MAX_WAITING = 10_000
"""Pairs of a run and a setting; further ones are not recorded, which bounds memory."""


class RefusedPostBuffer:
    """What was refused and is not saved yet. Lives on one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, str], RefusedPostCount] = {}
        self._task: asyncio.Task[None] | None = None

    def record(self, run_id: int, setting: str) -> None:
        """Record that a post of a run was refused now, by the limit of a setting."""
        now, key = timezone.now(), (run_id, setting)
        known = self._waiting.get(key)
        if known is not None:
            known.count += 1
            known.last_at = now
        elif len(self._waiting) < MAX_WAITING:
            self._waiting[key] = RefusedPostCount(run_id, setting, 1, now, now)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._save_regularly())

    async def _save_regularly(self) -> None:
        await asyncio.sleep(FIRST_S)
        while self._waiting:
            await self.save()
            await asyncio.sleep(EVERY_S)

    async def save(self) -> None:
        """Save what was gathered; without a database it is lost, since it is worth no retry."""
        waiting, self._waiting = self._waiting, {}
        if waiting:
            await asyncio.to_thread(_save, list(waiting.values()))


def _save(refused: list[RefusedPostCount]) -> None:
    close_old_connections()
    try:
        record_refused_posts(refused)
    except DatabaseError:
        logger.warning("refused posts of %d runs could not be saved", len(refused), exc_info=True)
    finally:
        close_old_connections()


buffer = RefusedPostBuffer()
