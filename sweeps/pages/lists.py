"""The rows of a project's sweeps, and of those that were deleted."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from access.actor import Actor
from runs.models import Project
from runs.table.html import format_number
from sweeps.models import Sweep
from sweeps.names import sweep_page
from sweeps.selectors import deleted_sweeps_of, expected_runs

_MOST_DELETED = 200


@dataclass(frozen=True, slots=True)
class SweepRow:
    """A sweep in the list; ``sweep`` is counted (`sweeps.selectors.counted`)."""

    sweep: Any
    url: str
    expected: int | None
    percent: int | None
    """How many of the expected runs there are, 0-100; None where the sweep has no end."""
    best: str


def sweep_rows(sweeps: Iterable[Sweep]) -> list[SweepRow]:
    """Return the rows of counted sweeps; makes no query of its own."""
    return [_row(sweep) for sweep in sweeps]


def _row(sweep: Any) -> SweepRow:
    expected = expected_runs(sweep)
    percent = min(100, 100 * sweep.run_count // expected) if expected else None
    best = "" if sweep.best_value is None else format_number(sweep.best_value)
    return SweepRow(sweep, sweep_page(sweep), expected, percent, best)


@dataclass(frozen=True, slots=True)
class DeletedSweep:
    """A deleted sweep that can be restored."""

    sweep: Sweep
    deleted_at: datetime
    kept_until: datetime

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.sweep)

    @property
    def key(self) -> str:
        """What the form that restores it sends."""
        return self.sweep.uid


def deleted_rows(actor: Actor, project: Project) -> list[DeletedSweep]:
    """Return the deleted sweeps that the actor may restore, last deleted first."""
    kept = timedelta(days=settings.DELETED_KEPT_DAYS)
    rows = []
    for sweep in deleted_sweeps_of(actor, project)[:_MOST_DELETED]:
        at = sweep.deleted_at or timezone.now()
        rows.append(DeletedSweep(sweep, at, at + kept))
    return rows
