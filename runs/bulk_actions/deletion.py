"""Deleting runs, undoing that while it can be, and protecting runs from it (RUN-7). `purge` ends what stays deleted."""

from collections.abc import Collection
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from common.errors import Conflict, Gone
from runs.access import RunAction
from runs.bulk_actions.services import BulkAction, BulkActionResult, change_runs
from runs.lifecycle.participants import delete_outputs
from runs.lifecycle.purge import undo_ended_at
from runs.models import Run

_RESTORE, _PURGE, _PROTECT, _UNPROTECT = "run.restore", "run.purge", "run.protect", "run.unprotect"
"""How the audit log calls what the right to delete is needed for."""


def _mark_deleted(run: Run, now: datetime) -> bool:
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


def _end_undo(run: Run, now: datetime) -> bool:
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


_REQUIRED = RunAction.DELETE
DELETE = BulkAction(
    action=_REQUIRED, change=_mark_deleted, fields=("deleted_at",), recorded=_REQUIRED, state="deleted"
)
RESTORE = BulkAction(action=_REQUIRED, change=_restore, fields=("deleted_at",), recorded=_RESTORE)
PURGE = BulkAction(
    action=_REQUIRED, change=_end_undo, fields=("purge_began_at",), recorded=_PURGE, state="deleted"
)
PROTECT = BulkAction(action=_REQUIRED, change=_protect, fields=("is_protected",), recorded=_PROTECT)
UNPROTECT = BulkAction(action=_REQUIRED, change=_unprotect, fields=("is_protected",), recorded=_UNPROTECT)


WITH_ARTIFACTS = "artifacts"
"""The value of the action for `with_artifacts`."""


def delete_runs(*, actor: Actor, run_ids: Collection[int], with_artifacts: bool = False) -> BulkActionResult:
    """Hide runs, which can be restored until `purge` takes them; their ids are never free again (RUN-7, RUN-9).

    Args:
        actor: Who deletes.
        run_ids: The runs.
        with_artifacts: Whether the artifact versions go, too, that no other run logged. Restoring the runs does not
            bring them back.
    """
    result = change_runs(actor=actor, run_ids=run_ids, bulk_action=DELETE)
    if with_artifacts:
        gone = Run.objects.filter(pk__in=run_ids, uid__in=result.done, deleted_at__isnull=False)
        result.kept = delete_outputs(actor, list(gone.values_list("pk", flat=True)))
    return result


def restore_runs(*, actor: Actor, run_ids: Collection[int]) -> BulkActionResult:
    """Undo deletions; who may delete a run may do so. A run that is not deleted stays as it is.

    Its state is what it would be: a process that ran on was refused, so silence has ended the run since.
    """
    return change_runs(actor=actor, run_ids=run_ids, bulk_action=RESTORE)


def purge_now(*, actor: Actor, run_ids: Collection[int]) -> BulkActionResult:
    """Give up the undo of deleted runs: the worker's next round frees what they hold."""
    return change_runs(actor=actor, run_ids=run_ids, bulk_action=PURGE)


def protect_runs(*, actor: Actor, run_ids: Collection[int]) -> BulkActionResult:
    """Let nobody delete the runs until somebody who could takes the protection away."""
    return change_runs(actor=actor, run_ids=run_ids, bulk_action=PROTECT)


def unprotect_runs(*, actor: Actor, run_ids: Collection[int]) -> BulkActionResult:
    """Take the protection away; a protecting tag still holds."""
    return change_runs(actor=actor, run_ids=run_ids, bulk_action=UNPROTECT)


def protect_run(*, actor: Actor, run: Run, is_protected: bool) -> Run:
    """Protect one run, or take its protection away."""
    return _change_one(actor, run, PROTECT if is_protected else UNPROTECT)


def _change_one(actor: Actor, run: Run, bulk_action: BulkAction) -> Run:
    require(actor, bulk_action.action, run)
    result = change_runs(actor=actor, run_ids=[run.pk], bulk_action=bulk_action)
    if run.uid in result.refused:
        error = Gone if bulk_action is RESTORE else Conflict
        raise error(result.refused[run.uid])
    run.refresh_from_db()
    return run


def delete_run(*, actor: Actor, run: Run, with_artifacts: bool = False) -> Run:
    """Hide one run, and on request the artifact versions that no other run logged and that may be deleted.

    Raises:
        Conflict: it is protected.
    """
    run = _change_one(actor, run, DELETE)
    if with_artifacts:
        delete_outputs(actor, [run.pk])
    return run


def restore_run(*, actor: Actor, run: Run) -> Run:
    """Undo the deletion of one run.

    Raises:
        Gone: too late.
    """
    return _change_one(actor, run, RESTORE)
