"""The end of what was deleted: once nobody can restore a run any more, all it held goes, in small transactions.

A tombstone stays: the run's row without its texts, so that its id is never used again (RUN-9) and late posts still hear
that it was deleted; and its changes of state, of which the hours of past periods are counted (BIL-4). Apps above say in
`AppConfig.ready` how their rows are removed. Every transaction takes the run's row first, as whatever writes to a run
does, so a writer under way ends before or finds the run gone.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from runs.bulk_actions.deletion import undo_ended_at
from runs.lifecycle.storage_ledger import settle_run
from runs.models import (
    BadLine,
    LogBlock,
    Pulse,
    RefusedArtifact,
    RefusedFile,
    RefusedPosts,
    Run,
    RunAlert,
    RunFile,
    RunHost,
)
from runs.states import ACTIVE

logger = logging.getLogger(__name__)

ROWS_AT_ONCE = 500
"""In one transaction: SQLite has one writer, and a group commit must not wait long for it."""
_RUNS_A_ROUND = 10_000
_TEXTS = (
    "config_text", "config_flat", "tags", "notes", "description", "masked_notes",
    "masked_description", "group", "job_type", "host", "program", "git_remote",
    "git_commit",
)  # fmt: skip

RemoveSome = Callable[[Run, int], int]
"""(run, limit) to how many of the run's rows went, at most ``limit``; 0 when none is left.

It is part of a transaction that has locked the run, whose project is loaded; the ledger of bytes follows in the same.
What lies outside the database goes on commit, and what a crash leaves of it must be found by a sweep.
"""
_parts: list[RemoveSome] = []
Prepare = Callable[[int], None]
"""Takes the id of a run whose rows are about to go, outside any transaction."""
_preparations: list[Prepare] = []


def register_part(remove: RemoveSome) -> None:
    """Add what a run holds; called in ``AppConfig.ready`` of every app with a key to Run."""
    if remove not in _parts:
        _parts.append(remove)


def register_preparation(prepare: Prepare) -> None:
    """Add a last look at what a run holds; called in ``AppConfig.ready``. Its failure keeps nothing from going."""
    if prepare not in _preparations:
        _preparations.append(prepare)


def remove_some(rows: QuerySet[Any], limit: int) -> int:
    """Delete at most ``limit`` of the rows, in two statements. Nothing may refer to them: nothing is collected."""
    pks = list(rows.order_by("pk").values_list("pk", flat=True)[:limit])
    if not pks:
        return 0
    gone: int = rows.model._base_manager.filter(pk__in=pks)._raw_delete(rows.db)
    return gone


def remove_files(run: Run, limit: int) -> int:
    """Take files away from their run; the sweep frees contents that nobody else uses."""
    return remove_some(RunFile.objects.filter(run=run), limit)


def remove_rows(run: Run, limit: int) -> int:
    """Remove console log, alerts, what could not be read or stored or was refused, and where the run ran."""
    gone = 0
    for model in (LogBlock, RunAlert, BadLine, RefusedArtifact, RefusedFile, RefusedPosts, RunHost):
        if gone < limit:
            gone += remove_some(model._default_manager.filter(run=run), limit - gone)
    return gone


def due(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Keep the runs that nobody can restore and that still hold something, oldest first.

    One that counts as active is left until silence has ended it, so that its hours are settled first.
    """
    over = Q(deleted_at__lte=undo_ended_at(timezone.now())) | Q(purge_began_at__isnull=False)
    waiting = runs.filter(over, deleted_at__isnull=False, purged_at__isnull=True)
    return waiting.exclude(state__in=sorted(ACTIVE)).order_by("deleted_at", "pk")


@transaction.atomic
def _purge_some(run_id: int) -> bool:
    """Remove up to ROWS_AT_ONCE rows; says whether some may be left."""
    run = due(Run.objects.locked()).select_related("project").defer(*_TEXTS).filter(pk=run_id).first()
    if run is None:  # another worker was faster
        return False
    now = timezone.now()
    left = ROWS_AT_ONCE
    for remove in _parts:
        left -= remove(run, left)
        if left <= 0:
            settle_run(run.pk)
            Run.objects.filter(pk=run.pk, purge_began_at__isnull=True).update(purge_began_at=now)
            return True
    settle_run(run.pk)
    remove_some(Pulse.objects.filter(run=run), 1)
    empty = Run()
    for name in _TEXTS:
        setattr(run, name, getattr(empty, name))
    run.purge_began_at, run.purged_at = run.purge_began_at or now, now
    run.save(update_fields=[*_TEXTS, "purge_began_at", "purged_at"])
    return False


def _prepare(run_id: int) -> None:
    for prepare in _preparations:
        try:
            prepare(run_id)
        except Exception:
            logger.exception("%s failed for run %s, which is purged nevertheless", prepare, run_id)


def purge_runs(budget_s: float) -> int:
    """Purge what is due, for about so long; returns how many runs hold nothing any more."""
    until = time.monotonic() + budget_s
    done = 0
    for pk in list(due(Run.objects.all()).values_list("pk", flat=True)[:_RUNS_A_ROUND]):
        try:
            _prepare(pk)
            while _purge_some(pk):
                if time.monotonic() > until:
                    return done
            done += 1
        except Exception:
            logger.exception("run %s could not be purged; the next round tries again", pk)
        if time.monotonic() > until:
            break
    return done
