"""What runs really hold, and that the ledger of bytes says the same (BIL-4).

Files are entered as they come and go. History and logs come with every post, and a group commit has no time for books:
they are settled where their bytes take another form (packed, folded), where a run ends, is rewound or purged, and once
a night for what came late. In between, the ledger lacks what is in a tail that is still short.
"""

import time
from collections.abc import Callable, Collection

from django.core.cache import cache
from django.db import transaction
from django.db.models import Sum

from common.database.sql import execute_in
from runs.models import Run, RunFile
from storage.models import Holding
from storage.services import mend_holdings, move_bytes, settle_bytes

FILE, HISTORY, LOG = "file", "history", "log"
Measure = Callable[[Collection[int]], dict[int, int]]
"""Run ids to the bytes each holds of one category; those that hold none may be left out. One query."""
_Held = tuple[int, int, int, str, int]
"""(run, project, team, category, bytes)"""
_measures: dict[str, Measure] = {}
_RUNS_AT_ONCE = 500
_CHECKED_TO = "runs.holdings.checked_to"
"""In the cache: the last run that a pass came to before its time was over. Who loses it begins again."""


def register_measure(category: str, measure: Measure) -> None:
    """Add a way to measure what runs hold; called in ``AppConfig.ready``."""
    _measures[category] = measure


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
    """Let the ledger say what a run holds now, of all categories unless some are named.

    Call it in the transaction that changed what is held, which has locked the run.
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
            category: measure([run_id]).get(run_id, 0)
            for category, measure in _measures.items()
            if not categories or category in categories
        },
    )


def _by_ledger(run_ids: Collection[int]) -> set[_Held]:
    rows = Holding.objects.filter(run_id__in=run_ids).exclude(size_bytes=0)
    return set(rows.values_list("run_id", "project_id", "team_id", "category", "size_bytes"))


def _really(places: dict[int, tuple[int, int]]) -> set[_Held]:
    return {
        (run_id, *places[run_id], category, size)
        for category, measure in _measures.items()
        for run_id, size in measure(places).items()
        if size
    }


def _mend(run_id: int) -> bool:
    """Let the ledger say what a run holds and where; says whether it did not. Whatever was written between counts."""
    with transaction.atomic():
        run = Run.objects.locked().filter(pk=run_id, purged_at__isnull=True).first()
        if run is None:
            return False
        places = {run_id: (run.project_id, run.project.team_id)}
        if _by_ledger([run_id]) == _really(places):
            return False
        mend_holdings(run_id)
        move_bytes(
            run_ids=[run_id], team_id=run.project.team_id, project_id=run.project_id, user_id=run.user_id
        )
        settle_run(run_id)
        return True


def reconcile(budget_s: float) -> int:
    """Settle all runs that hold something else than the ledger says, for about so long; returns how many there were.

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
        places = {pk: (project_id, team_id) for pk, project_id, team_id in chunk}
        differing = {held[0] for held in _by_ledger(places) ^ _really(places)}
        settled += sum(_mend(pk) for pk in sorted(differing))
        last = chunk[-1][0]
    cache.set(_CHECKED_TO, last, timeout=None)
    return settled
