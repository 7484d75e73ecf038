"""The part of `metrics` in the life of a run: its points are counted and purged with it."""

from collections.abc import Collection
from typing import Any

from metrics.diagnostics import lost_lines
from metrics.series import selectors
from metrics.store import deletion, store_size
from runs.lifecycle.participants import RunParticipant, TimelineMark
from runs.lifecycle.storage_ledger import HISTORY
from runs.models import Run


class MetricsRunParticipant(RunParticipant):
    """Its history and system metrics."""

    def delete_batch(self, run: Run, limit: int) -> int:
        """Delete points."""
        return deletion.delete_rows(run, limit)

    def stored_bytes(self, category: str, run_ids: Collection[int]) -> dict[int, int]:
        """Return the bytes of history and system metrics."""
        return store_size.stored_sizes(run_ids) if category == HISTORY else {}

    def timeline_marks(self, run: Run) -> list[TimelineMark]:
        """Mark lines that never came."""
        return lost_lines.gap_marks(run)

    def last_line_at(self, run_id: int) -> float | None:
        """Return the time of the last line."""
        return selectors.last_line_at(run_id)

    def first_begin(self, run_id: int) -> float | None:
        """Return when the first line says that the run began."""
        return selectors.first_begin(run_id)

    def last_values(self, run_id: int) -> dict[str, Any]:
        """Return what a summary of the lines has."""
        return selectors.last_values(run_id)
