"""What runs do by themselves."""

from celery import shared_task

from runs.lifecycle import purge, storage_ledger
from runs.lifecycle import services as lifecycle
from runs.logs import compaction
from runs.projects import access_requests, deletion
from teams.teams.deletion import forget_teams

BUDGET_S = 60.0


@shared_task(time_limit=300)
def find_crashed_runs() -> int:
    """End runs whose heartbeats stopped."""
    return lifecycle.find_crashed_runs()


@shared_task(time_limit=300)
def fold_logs() -> int:
    """Fold the small blocks of console logs; returns how many runs' were."""
    return compaction.fold_logs(BUDGET_S)


@shared_task(time_limit=3600)
def settle_holdings() -> int:
    """Let the ledger of bytes say what runs hold; returns of how many it said something else. Scheduled every night."""
    return storage_ledger.reconcile(1800.0)


@shared_task(time_limit=600)
def purge_runs() -> int:
    """Free what deleted runs held, once nobody can restore them; returns how many are done."""
    deletion.forget_projects()
    forget_teams()
    return purge.purge_runs(BUDGET_S)


@shared_task(acks_late=True, time_limit=60)
def deliver_access_request(team_id: int, name: str, user_id: int) -> None:
    """Bring a request for access to a restricted project to whoever decides, if there is such a project."""
    access_requests.keep_request(team_id=team_id, name=name, user_id=user_id)
