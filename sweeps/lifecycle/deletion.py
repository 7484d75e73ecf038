"""Deleting sweeps, and undoing that while it can be: their runs stay, unless they are to go with them."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Gone
from runs.bulk_actions import deletion as run_deletion
from runs.bulk_actions.services import BulkActionResult
from runs.lifecycle.purge import undo_ended_at
from runs.models import Run
from sweeps.access import SweepAction
from sweeps.lifecycle.ending import announce
from sweeps.models import OPEN, Sweep, Trial

RESTORE = "sweep.restore"


@transaction.atomic
def delete_sweep(*, actor: Actor, sweep: Sweep, with_runs: bool = False) -> BulkActionResult | None:
    """Delete a sweep; its agents exit. Runs that the actor may not delete stay, as the result says.

    Args:
        actor: Who deletes it.
        sweep: The sweep.
        with_runs: Whether its runs go, too.
    """
    require(actor, SweepAction.DELETE, sweep)
    row = Sweep.objects.select_for_update(no_key=True).get(pk=sweep.pk)
    if row.deleted_at is not None:
        return None
    result, row.deleted_at = None, timezone.now()
    if with_runs:
        result = _delete_runs(actor, row)
        row.runs_deleted_until = timezone.now()
    row.save(update_fields=["deleted_at", "runs_deleted_until", "updated_at"])
    sweep.deleted_at = row.deleted_at
    _record(actor, SweepAction.DELETE, sweep)
    announce(sweep)
    return result


def _delete_runs(actor: Actor, sweep: Sweep) -> BulkActionResult:
    """Delete the runs of a sweep; agents are told to stop those that are under way."""
    under_way = Trial.objects.filter(sweep=sweep, state__in=OPEN, stop_requested_at=None)
    under_way.update(stop_requested_at=sweep.deleted_at)
    runs = Run.objects.listed().filter(project=sweep.project_id, sweep=sweep.uid)
    return run_deletion.delete_runs(actor=actor, run_ids=list(runs.values_list("pk", flat=True)))


@transaction.atomic
def restore_sweep(*, actor: Actor, sweep: Sweep) -> Sweep:
    """Undo the deletion of a sweep, and of the runs that went with it.

    Raises:
        Gone: too late.
    """
    require(actor, SweepAction.DELETE, sweep)
    row = (
        Sweep.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project__team")
        .get(pk=sweep.pk)
    )
    if row.deleted_at is None:
        return row
    if row.deleted_at <= undo_ended_at(timezone.now()):
        raise Gone(_("This sweep can no longer be restored."))
    if row.runs_deleted_until is not None:
        together = (row.deleted_at, row.runs_deleted_until)
        runs = Run.objects.filter(project=row.project_id, sweep=row.uid, deleted_at__range=together)
        run_deletion.restore_runs(actor=actor, run_ids=list(runs.values_list("pk", flat=True)))
    row.deleted_at = row.runs_deleted_until = None
    row.save(update_fields=["deleted_at", "runs_deleted_until", "updated_at"])
    _record(actor, RESTORE, row)
    announce(row)
    return row


def purge_sweeps() -> int:
    """Remove the sweeps whose deletion cannot be undone any more; returns how many. Runs that stayed leave them."""
    count = 0
    for sweep in Sweep.objects.filter(deleted_at__lte=undo_ended_at(timezone.now()))[:100]:
        with transaction.atomic():
            Run.objects.filter(project=sweep.project_id, sweep=sweep.uid).update(sweep="")
            count += sweep.delete()[0] > 0
    return count


def _record(actor: Actor, action: str, sweep: Sweep) -> None:
    team = sweep.project.team
    record(actor, action, sweep, organization_id=team.organization_id, team_id=team.pk)
