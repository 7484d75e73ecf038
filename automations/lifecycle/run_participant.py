"""The part of `automations` in the life of a run: what they noted of it is purged with it."""

from automations.models import AutomationRun, MetricCursor
from runs.lifecycle.participants import RunParticipant
from runs.lifecycle.purge import delete_rows
from runs.models import Run


class AutomationsRunParticipant(RunParticipant):
    """When automations acted for it, and how far they looked at its metrics."""

    def delete_batch(self, run: Run, limit: int) -> int:
        """Delete what was noted."""
        deleted = delete_rows(AutomationRun.objects.filter(run=run), limit)
        if deleted < limit:
            deleted += delete_rows(MetricCursor.objects.filter(run=run), limit - deleted)
        return deleted
