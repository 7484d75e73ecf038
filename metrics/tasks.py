"""Celery tasks of the metric store: packing streams, sweeping segments."""

from celery import shared_task

from metrics.store import compaction, sweeping

BUDGET_S = 60.0


@shared_task(time_limit=600)
def pack_streams() -> int:
    """Pack long tails into segments; returns how many were written."""
    report = compaction.pack_due_streams(BUDGET_S)
    return report.packed + report.merged


@shared_task(time_limit=600)
def sweep_segments() -> int:
    """Free what no segment names."""
    return sweeping.sweep()
