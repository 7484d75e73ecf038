"""Who gets the rows of a group once they are committed, as they are in memory: automations watch metrics there."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.store.codec import Batch

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CommittedRows:
    """Consecutive rows that a group has added to a stream; the process that wrote them hands them over once."""

    stream: int
    run_id: int
    kind: int
    row0: int
    batch: Batch


CommitObserver = Callable[[Sequence[CommittedRows]], None]
_observer: CommitObserver | None = None


def attach_observer(observer: CommitObserver) -> None:
    """Notify this one of commits from now on, in place of any other.

    It is called on the thread that answers clients, so it only queues what it is given.
    """
    global _observer  # noqa: PLW0603 - one per process, as the thread that it starts
    _observer = observer


def detach_observer(observer: CommitObserver) -> None:
    """Notify nobody any more, unless another one was attached meanwhile."""
    global _observer  # noqa: PLW0603
    if _observer == observer:
        _observer = None


def notify(written: Callable[[], Sequence[CommittedRows]]) -> None:
    """Hand over what was committed; an observer that fails must not fail the group, which is durable."""
    if _observer is None:
        return
    try:
        _observer(written())
    except Exception:
        logger.exception("rows were committed, and their observer failed")
