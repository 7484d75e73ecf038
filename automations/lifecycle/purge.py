"""What is left of runs that are purged."""

from automations.models import AutomationRun, MetricCursor
from runs.lifecycle.purge import remove_some
from runs.models import Run


def remove_of_run(run: Run, limit: int) -> int:
    """Remove when automations acted for a run, and how far they looked at it; returns how many rows went."""
    gone = remove_some(AutomationRun.objects.filter(run=run), limit)
    if gone < limit:
        gone += remove_some(MetricCursor.objects.filter(run=run), limit - gone)
    return gone
