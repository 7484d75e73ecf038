"""Celery tasks of runs: finding crashes, folding logs, repairing the storage ledger, purging."""

from celery import shared_task

from runs.lifecycle import purge, storage_ledger
from runs.lifecycle import services as lifecycle
from runs.logs import compaction
from runs.projects import deletion, last_active
from runs.projects.access_requests import deliver_access_request  # noqa: F401 - workers look for tasks here
from teams.teams.deletion import forget_teams

BUDGET_S = 60.0


@shared_task(time_limit=300)
def find_crashed_runs() -> int:
    """End runs whose heartbeats stopped, and let projects be as active as their runs."""
    last_active.follow_heartbeats()
    return lifecycle.find_crashed_runs()


@shared_task(time_limit=300)
def fold_logs() -> int:
    """Fold the small blocks of console logs; returns how many runs' were."""
    return compaction.fold_logs(BUDGET_S)


@shared_task(time_limit=3600)
def repair_storage_ledger() -> int:
    """Repair the ledger of bytes where it differs from what runs store; returns of how many. Scheduled every night."""
    return storage_ledger.reconcile(1800.0)


@shared_task(time_limit=600)
def purge_runs() -> int:
    """Free what deleted runs held, once nobody can restore them; returns how many are done."""
    deletion.forget_projects()
    forget_teams()
    return purge.purge_runs(BUDGET_S)
