"""When an automation would have acted, as previews say it."""

from dataclasses import dataclass
from datetime import datetime

from runs.models import Run
from sweeps.models import Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """Once that it would have acted."""

    at: datetime
    why: str
    run: Run | None = None
    """The run that it would have acted for; of events of sweeps None."""
    sweep: Sweep | None = None
    """Of events of sweeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What it would have done, the newest first."""

    firings: list[Firing]
    runs_looked_at: int = 0
    sweeps_looked_at: int = 0
    is_cut: bool = False
    """Whether there were more runs, sweeps, points or occasions than are looked at."""
