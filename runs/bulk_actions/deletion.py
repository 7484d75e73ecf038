"""Deleting runs, undoing that while it can be, and protecting runs from it (RUN-7). `purge` ends what stays deleted."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from common.errors import Conflict, Gone
from runs.access import RunAction
from runs.bulk_actions.services import Act, Outcome, change_runs
from runs.models import Run

_RESTORE, _PURGE, _PROTECT, _UNPROTECT = "run.restore", "run.purge", "run.protect", "run.unprotect"
"""How the audit log calls what the right to delete is needed for."""


def undo_ended_at(now: datetime) -> datetime:
    """Return the time of deletion from which on a run can still be restored."""
    return now - timedelta(days=settings.DELETED_KEPT_DAYS)


def undo_ends_at(run: Run) -> datetime:
    """Return until when a deleted run can be restored."""
    return (run.deleted_at or timezone.now()) + timedelta(days=settings.DELETED_KEPT_DAYS)


def _hide(run: Run, now: datetime) -> bool:
    if run.deleted_at is not None:
        return False
    if run.protection:
        raise Conflict(
            _("%(run)s cannot be deleted: %(protection)s.") % {"run": run, "protection": run.protection}
        )
    run.deleted_at = now
    return True


def _restore(run: Run, now: datetime) -> bool:
    if run.deleted_at is None:
        return False
    if run.purge_began_at is not None or run.deleted_at <= undo_ended_at(now):
        raise Gone(
            _(
                "%(run)s was deleted on %(deleted_at)s UTC. Runs can be restored for %(days)s days, until "
                "they start being erased."
            )
            % {
                "run": run,
                "deleted_at": f"{run.deleted_at:%Y-%m-%d %H:%M}",
                "days": settings.DELETED_KEPT_DAYS,
            }
        )
    run.deleted_at = None
    return True


def _give_up(run: Run, now: datetime) -> bool:
    if run.deleted_at is None:
        raise Conflict(_("%(run)s is not deleted; delete it first.") % {"run": run})
    if run.purge_began_at is not None:
        return False
    run.purge_began_at = now
    return True


def _protect(run: Run, now: datetime) -> bool:
    before, run.is_protected = run.is_protected, True
    return not before


def _unprotect(run: Run, now: datetime) -> bool:
    before, run.is_protected = run.is_protected, False
    return before


_NEEDS = RunAction.DELETE
DELETE = Act(action=_NEEDS, change=_hide, fields=("deleted_at",), recorded=_NEEDS, state="deleted")
RESTORE = Act(action=_NEEDS, change=_restore, fields=("deleted_at",), recorded=_RESTORE)
PURGE = Act(action=_NEEDS, change=_give_up, fields=("purge_began_at",), recorded=_PURGE, state="deleted")
PROTECT = Act(action=_NEEDS, change=_protect, fields=("is_protected",), recorded=_PROTECT)
UNPROTECT = Act(action=_NEEDS, change=_unprotect, fields=("is_protected",), recorded=_UNPROTECT)


def delete_runs(*, actor: Actor, run_ids: Collection[int]) -> Outcome:
    """Hide runs, which can be restored until `purge` takes them; their ids are never free again (RUN-7, RUN-9)."""
    return change_runs(actor=actor, run_ids=run_ids, act=DELETE)


def restore_runs(*, actor: Actor, run_ids: Collection[int]) -> Outcome:
    """Undo deletions; who may delete a run may do so. A run that is not deleted stays as it is.

    Its state is what it would be: a process that ran on was refused, so silence has ended the run since.
    """
    return change_runs(actor=actor, run_ids=run_ids, act=RESTORE)


def purge_now(*, actor: Actor, run_ids: Collection[int]) -> Outcome:
    """Give up the undo of deleted runs: the worker's next round frees what they hold."""
    return change_runs(actor=actor, run_ids=run_ids, act=PURGE)


def protect_runs(*, actor: Actor, run_ids: Collection[int]) -> Outcome:
    """Let nobody delete the runs until somebody who could takes the protection away."""
    return change_runs(actor=actor, run_ids=run_ids, act=PROTECT)


def unprotect_runs(*, actor: Actor, run_ids: Collection[int]) -> Outcome:
    """Take the protection away; a protecting tag still holds."""
    return change_runs(actor=actor, run_ids=run_ids, act=UNPROTECT)


def protect_run(*, actor: Actor, run: Run, is_protected: bool) -> Run:
    """Protect one run, or take its protection away."""
    return _one(actor, run, PROTECT if is_protected else UNPROTECT)


def _one(actor: Actor, run: Run, act: Act) -> Run:
    require(actor, act.action, run)
    outcome = change_runs(actor=actor, run_ids=[run.pk], act=act)
    if run.uid in outcome.refused:
        error = Gone if act is RESTORE else Conflict
        raise error(outcome.refused[run.uid])
    run.refresh_from_db()
    return run


def delete_run(*, actor: Actor, run: Run) -> Run:
    """Hide one run.

    Raises:
        Conflict: it is protected.
    """
    return _one(actor, run, DELETE)


def restore_run(*, actor: Actor, run: Run) -> Run:
    """Undo the deletion of one run.

    Raises:
        Gone: too late.
    """
    return _one(actor, run, RESTORE)
