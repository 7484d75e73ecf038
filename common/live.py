"""Tell open pages that something changed: a group name, and cursors or ids, never the data itself.

The page then asks again over HTTP, where permissions are checked again. Redis may lose any of these messages;
pages catch up from the cursor they hold.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import BaseChannelLayer, get_channel_layer
from redis.exceptions import ConnectionError as RedisConnectionError

logger = logging.getLogger(__name__)

FLUSH_S = 0.05
"""Least time between two messages to one group; notices that come meanwhile are gathered into one."""


def run_group(run_id: int) -> str:
    """Name the group of one run's pages."""
    return f"run.{run_id}"


def project_group(project_id: int) -> str:
    """Name the group of one project's pages."""
    return f"project.{project_id}"


def user_group(user_id: int) -> str:
    """Name the group of one person's home page."""
    return f"user.{user_id}"


def _layer() -> BaseChannelLayer:
    layer = get_channel_layer()
    if layer is None:
        raise LookupError("settings.CHANNEL_LAYERS has no default")
    return layer


_serving: asyncio.AbstractEventLoop | None = None
_under_way: set[asyncio.Task[None]] = set()


def send_on(loop: asyncio.AbstractEventLoop | None) -> None:
    """Let `send` only hand over to the event loop a process serves with; None: whoever sends waits for Redis.

    A loop and a connection of its own for every message were half of what beginning and ending a run cost.
    """
    global _serving  # noqa: PLW0603 - one loop serves a process
    _serving = loop


def send(group: str, message: Mapping[str, Any]) -> None:
    """Send ``message`` to the group from synchronous code; a Redis that is away is logged, never raised."""
    send_each([(group, message)])


def send_each(messages: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Send messages to their groups, as `send`; the event loop is woken once for all of them."""
    if not messages:
        return
    if _serving is not None:
        with contextlib.suppress(RuntimeError):  # closed while the process ends: send from here
            _serving.call_soon_threadsafe(_begin, messages)
            return
    async_to_sync(_send_each)(messages)


def _begin(messages: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    task = asyncio.get_running_loop().create_task(_send_each(messages))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)


async def _send_each(messages: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    for group, message in messages:
        await _send(group, message)


async def _send(group: str, message: Mapping[str, Any]) -> bool:
    """Send and say whether that went well."""
    try:
        await _layer().group_send(group, {"type": "live.message", "message": dict(message)})
    except RedisConnectionError as error:  # away, or, beside a `manage.py` command, not started
        logger.warning("Live message to %s was not sent: %s", group, error)
        return False
    except Exception:
        logger.warning("Live message to %s was not sent", group, exc_info=True)
        return False
    return True


class Notifier:
    """Sends notices from one event loop: at once, then the latest of each group every ``FLUSH_S`` seconds."""

    def __init__(self) -> None:
        self._pending: dict[str, dict[str, Any]] = {}
        self._task: asyncio.Task[None] | None = None

    def notify(self, group: str, message: Mapping[str, Any]) -> None:
        """Keep the newest value of every field of ``message`` for the group; call on the event loop."""
        self._pending.setdefault(group, {}).update(message)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        while self._pending:
            pending, self._pending = self._pending, {}
            for group, message in pending.items():
                if not await _send(group, message):
                    return
            await asyncio.sleep(FLUSH_S)
