"""What an automation would have done in the last days, by the same code that decides it (ALR-6)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from access.actor import Actor
from runs.models import Project, Run
from teams.models import Team


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """Once that it would have acted."""

    at: datetime
    run: Run
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What it would have done, the newest first."""

    firings: list[Firing]
    runs_looked_at: int
    is_cut: bool
    """Whether there were more runs or points than are looked at."""


def preview(
    *,
    actor: Actor,
    team: Team,
    project: Project | None,
    event: str,
    filter: Any,  # noqa: A002 - what it is called everywhere
    once_in_s: int = 86_400,
) -> Preview:
    """Return when an automation would have acted in the last seven days, on runs that the actor sees."""
    return Preview(firings=[], runs_looked_at=0, is_cut=False)
