"""The end of what was deleted: once nobody can restore a run any more, all it held goes, in small transactions.

A tombstone stays: the run's row without its texts, so that its id is never used again (RUN-9) and late posts still hear
that it was deleted; and its changes of state, of which the hours of past periods are counted (BIL-4). Apps above remove
their rows by `RunParticipant.delete_batch`. Every transaction takes the run's row first, as whatever writes to a run
does, so a writer under way ends before or finds the run gone.
"""

import logging
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from runs.lifecycle import participants
from runs.lifecycle.storage_ledger import settle_run
from runs.models import (
    AnnouncedFile,
    BadLine,
    LogBlock,
    Pulse,
    RefusedFile,
    RefusedPosts,
    Run,
    RunAlert,
    RunFile,
    RunHost,
    RunWriter,
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


def undo_ended_at(now: datetime) -> datetime:
    """Return the time of deletion from which on a run can still be restored."""
    return now - timedelta(days=settings.DELETED_KEPT_DAYS)


def undo_ends_at(run: Run) -> datetime:
    """Return until when a deleted run can be restored."""
    return (run.deleted_at or timezone.now()) + timedelta(days=settings.DELETED_KEPT_DAYS)


def delete_rows(rows: QuerySet[Any], limit: int) -> int:
    """Delete at most ``limit`` of the rows, in two statements. Nothing may refer to them: nothing is collected."""
    pks = list(rows.order_by("pk").values_list("pk", flat=True)[:limit])
    if not pks:
        return 0
    gone: int = rows.model._base_manager.filter(pk__in=pks)._raw_delete(rows.db)
    return gone


def delete_files(run: Run, limit: int) -> int:
    """Take files away from their run; the sweep frees contents that nobody else uses."""
    return delete_rows(RunFile.objects.filter(run=run), limit)


def delete_related_rows(run: Run, limit: int) -> int:
    """Remove console log, alerts, what could not be read or stored, or was refused, hosts and writers."""
    gone = 0
    for model in (LogBlock, RunAlert, BadLine, RefusedFile, AnnouncedFile, RefusedPosts, RunHost, RunWriter):
        if gone < limit:
            gone += delete_rows(model._default_manager.filter(run=run), limit - gone)
    return gone


def due(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Keep the runs that nobody can restore and that still hold something, oldest first.

    One that counts as active is left until silence has ended it, so that its hours are settled first.
    """
    over = Q(deleted_at__lte=undo_ended_at(timezone.now())) | Q(purge_began_at__isnull=False)
    waiting = runs.filter(over, deleted_at__isnull=False, purged_at__isnull=True)
    return waiting.exclude(state__in=sorted(ACTIVE)).order_by("deleted_at", "pk")


@transaction.atomic
def _purge_batch(run_id: int) -> bool:
    """Remove up to ROWS_AT_ONCE rows; says whether some may be left."""
    run = due(Run.objects.locked()).select_related("project").defer(*_TEXTS).filter(pk=run_id).first()
    if run is None:  # another worker was faster
        return False
    now = timezone.now()
    deleted = participants.delete_batch(run, ROWS_AT_ONCE)
    settle_run(run.pk)
    if deleted >= ROWS_AT_ONCE:
        Run.objects.filter(pk=run.pk, purge_began_at__isnull=True).update(purge_began_at=now)
        return True
    delete_rows(Pulse.objects.filter(run=run), 1)
    empty = Run()
    for name in _TEXTS:
        setattr(run, name, getattr(empty, name))
    run.purge_began_at, run.purged_at = run.purge_began_at or now, now
    run.save(update_fields=[*_TEXTS, "purge_began_at", "purged_at"])
    return False


def purge_runs(budget_s: float) -> int:
    """Purge what is due, for about so long; returns how many runs hold nothing any more."""
    until = time.monotonic() + budget_s
    done = 0
    for pk in list(due(Run.objects.all()).values_list("pk", flat=True)[:_RUNS_A_ROUND]):
        try:
            participants.before_purge(pk)
            while _purge_batch(pk):
                if time.monotonic() > until:
                    return done
            done += 1
        except Exception:
            logger.exception("run %s could not be purged; the next round tries again", pk)
        if time.monotonic() > until:
            break
    return done
