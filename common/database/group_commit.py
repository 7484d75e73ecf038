"""Group commit for coroutines: what comes while one group is being written makes up the next.

It waits for nothing: who comes alone is written at once, alone.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

from common.telemetry.tracing import spans

if TYPE_CHECKING:
    from opentelemetry.trace import SpanContext

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Waiting(Generic[Item, Answer]):
    item: Item
    answer: "asyncio.Future[Answer]"
    request: "SpanContext | None"
    """The span of who waits, if it is traced."""


class GroupCommit(Generic[Item, Answer]):
    """Writes items of an event loop together, in a thread of its pool."""

    def __init__(
        self, write: "Callable[[Sequence[Item]], Sequence[Answer | Exception]]", *, at_most: int
    ) -> None:
        """Take what writes a group, durable when it returns: an answer or an error for each item."""
        self._write = write
        self._at_most = at_most
        self._waiting: WeakKeyDictionary[asyncio.AbstractEventLoop, list[_Waiting[Item, Answer]]] = (
            WeakKeyDictionary()
        )
        self._writing: set[asyncio.Task[None]] = set()

    async def store(self, item: Item) -> Answer:
        """Write an item with others and return its answer.

        Raises:
            Exception: its error; nothing of it is stored.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
        mine, waiting = _Waiting(item, answer, spans.position()), self._waiting.get(loop)
        if waiting is not None:
            waiting.append(mine)
        else:
            self._waiting[loop] = [mine]
            task = loop.create_task(self._write_all(loop))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return await answer

    async def _write_all(self, loop: asyncio.AbstractEventLoop) -> None:
        """Write groups until nobody waits."""
        try:
            while waiting := self._waiting[loop]:
                group, self._waiting[loop] = waiting[: self._at_most], waiting[self._at_most :]
                await self._write_group(group)
        finally:
            del self._waiting[loop]

    async def _write_group(self, group: "list[_Waiting[Item, Answer]]") -> None:
        try:
            with spans.group_span(
                "group commit", [each.request for each in group], {"runyard.items": len(group)}
            ):
                answers = await asyncio.to_thread(self._write, [each.item for each in group])
        except Exception as error:  # noqa: BLE001 - each who waits gets it
            answers = [error] * len(group)
        for each, answer in zip(group, answers, strict=True):
            if each.answer.done():  # its client went away
                continue
            if isinstance(answer, Exception):
                each.answer.set_exception(answer)
            else:
                each.answer.set_result(answer)
