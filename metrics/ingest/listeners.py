"""Who is given the rows of a group once they are committed, as they are in memory: automations watch metrics there."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.store.codec import Batch

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Written:
    """Consecutive rows that a group has added to a stream; each row is told of once by the process that wrote it."""

    stream: int
    run_id: int
    kind: int
    row0: int
    batch: Batch


Listener = Callable[[Sequence[Written]], None]
_listeners: list[Listener] = []


def register_listener(listener: Listener) -> None:
    """Add who is told; it is called on the thread that answers clients, so it only puts things aside."""
    if listener not in _listeners:
        _listeners.append(listener)


def remove_listener(listener: Listener) -> None:
    """Undo `register_listener`."""
    if listener in _listeners:
        _listeners.remove(listener)


def tell(written: Callable[[], Sequence[Written]]) -> None:
    """Tell of what was committed; a listener that fails must not fail the group, which is durable."""
    if not _listeners:
        return
    rows = written()
    for listener in _listeners:
        try:
            listener(rows)
        except Exception:
            logger.exception("rows were committed, and a listener failed")
