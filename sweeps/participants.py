"""What apps above follow of sweeps: each change is told in the transaction that makes it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from django.db import DatabaseError

from runs.models import Run
from sweeps.models import Sweep

logger = logging.getLogger(__name__)


class SweepEvent(StrEnum):
    """What happens to sweeps."""

    FINISHED = "SWEEP_FINISHED"
    """No run is left to come, or somebody stopped or canceled it."""
    NEW_BEST = "SWEEP_NEW_BEST"
    """A run has ended with a better value of the metric than all before it."""
    RUN_ENDED = "SWEEP_RUN_ENDED"
    """A run has ended, however it did; who follows counts failures."""


@dataclass(frozen=True, slots=True)
class SweepChange:
    """One event; ``sweep`` has its project and team loaded."""

    event: SweepEvent
    sweep: Sweep
    run: Run | None = None
    value: float | None = None
    """Of a new best: its metric."""
    ended_by_id: int | None = None
    """Of one that has finished: who stopped or canceled it."""


_followers: list[Callable[[SweepChange], None]] = []


def register_follower(follow: Callable[[SweepChange], None]) -> None:
    """Add who is told of every change; called once in an ``AppConfig.ready``."""
    _followers.append(follow)


def happened(change: SweepChange) -> None:
    """Tell all followers; the fault of one does not undo the change, unless the database is what failed."""
    for follow in _followers:
        try:
            follow(change)
        except DatabaseError:  # the transaction is lost in any case
            raise
        except Exception:
            logger.exception("%s failed for %s, which is stored nevertheless", follow, change.event)
