"""What runs really store, and that the ledger of bytes says the same (BIL-4).

Files are entered as they come and go. History and logs come with every post, and a group commit has no time for books:
they are settled where their bytes take another form (packed, folded), where a run ends, is rewound or purged, and once
a night for what came late. In between, the ledger lacks what is in a tail that is still short.
"""

import time
from collections.abc import Collection

from django.core.cache import cache
from django.db import transaction
from django.db.models import Sum

from common.database.sql import execute_in
from runs.lifecycle import participants
from runs.models import Run, RunFile
from storage.models import Holding
from storage.services import move_bytes, repair_balances, settle_bytes

FILE, HISTORY, LOG = "file", "history", "log"
CATEGORIES = (FILE, LOG, HISTORY)
"""What runs store; `RunParticipant.stored_bytes` says how much of each."""
_StoredBytes = tuple[int, int, int, str, int]
"""(run, project, team, category, bytes)"""
_RUNS_AT_ONCE = 500
_CHECKED_TO = "runs.holdings.checked_to"
"""In the cache: the last run that a pass came to before its time was over. Who loses it begins again."""


def file_bytes(run_ids: Collection[int]) -> dict[int, int]:
    """Return the sizes of runs' files added up; content that several have counts for each."""
    files = RunFile.objects.filter(run_id__in=run_ids).values("run_id").order_by()
    return dict(files.annotate(size=Sum("size_bytes")).values_list("run_id", "size"))


def log_bytes(run_ids: Collection[int]) -> dict[int, int]:
    """Return the sizes of runs' console logs as they are stored."""
    rows = execute_in(
        "SELECT run_id, SUM(LENGTH(payload)) FROM runs_logblock WHERE run_id IN",
        list(run_ids),
        "GROUP BY run_id",
    )
    return {run_id: int(size) for run_id, size in rows}


def settle_run(run_id: int, *categories: str) -> None:
    """Make the ledger say what a run stores now, of all categories unless some are named.

    Call it in the transaction that changed what is stored, which has locked the run.
    """
    # read after the lock, since the run may have been moved while this waited for it
    [(team_id, project_id, user_id)] = execute_in(
        "SELECT project.team_id, project.id, run.user_id FROM runs_run run"
        " JOIN runs_project project ON project.id = run.project_id WHERE run.id IN",
        [run_id],
    )
    settle_bytes(
        team_id=team_id,
        project_id=project_id,
        run_id=run_id,
        user_id=user_id,
        sizes={
            category: participants.stored_bytes(category, [run_id]).get(run_id, 0)
            for category in CATEGORIES
            if not categories or category in categories
        },
    )


def _ledger_bytes(run_ids: Collection[int]) -> set[_StoredBytes]:
    rows = Holding.objects.filter(run_id__in=run_ids).exclude(size_bytes=0)
    return set(rows.values_list("run_id", "project_id", "team_id", "category", "size_bytes"))


def _measured_bytes(owners: dict[int, tuple[int, int]]) -> set[_StoredBytes]:
    return {
        (run_id, *owners[run_id], category, size)
        for category in CATEGORIES
        for run_id, size in participants.stored_bytes(category, owners).items()
        if size
    }


def _repair(run_id: int) -> bool:
    """Repair a run's part of the ledger; return whether it was wrong. Whatever was written in between counts."""
    with transaction.atomic():
        run = Run.objects.locked().filter(pk=run_id, purged_at__isnull=True).first()
        if run is None:
            return False
        owners = {run_id: (run.project_id, run.project.team_id)}
        if _ledger_bytes([run_id]) == _measured_bytes(owners):
            return False
        repair_balances(run_id)
        move_bytes(
            run_ids=[run_id], team_id=run.project.team_id, project_id=run.project_id, user_id=run.user_id
        )
        settle_run(run_id)
        return True


def reconcile(budget_s: float) -> int:
    """Repair the ledger for all runs that store something else than it says, for about so long; return how many.

    A pass that ran out of time is gone on with by the next.
    """
    until = time.monotonic() + budget_s
    settled, last = 0, int(cache.get(_CHECKED_TO, 0))
    while time.monotonic() < until:
        rows = Run.objects.filter(pk__gt=last, purged_at__isnull=True).order_by("pk")
        chunk = list(rows.values_list("pk", "project_id", "project__team_id")[:_RUNS_AT_ONCE])
        if not chunk:
            last = 0
            break
        owners = {pk: (project_id, team_id) for pk, project_id, team_id in chunk}
        differing = {entry[0] for entry in _ledger_bytes(owners) ^ _measured_bytes(owners)}
        settled += sum(_repair(pk) for pk in sorted(differing))
        last = chunk[-1][0]
    cache.set(_CHECKED_TO, last, timeout=None)
    return settled
