"""Taking runs out of their sweeps; they stay in their project."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.actor import Actor
from runs.access import RunAction
from runs.bulk_actions.services import BulkAction, BulkActionResult, change_runs
from runs.models import Run
from sweeps.lifecycle.ending import announce, finish_if_over
from sweeps.lifecycle.progress import renew_best
from sweeps.models import OPEN, Sweep, Trial, TrialState

REMOVE = "run.remove_from_sweep"


@transaction.atomic
def remove_from_sweep(*, actor: Actor, run_ids: Collection[int]) -> BulkActionResult:
    """Take runs out of the sweeps that they are in; who may change a run may do so.

    Their arguments count as tried: they are not handed out again, and a search no longer learns from them.
    """
    left: dict[int, set[str]] = {}

    def change(run: Run, now: datetime) -> bool:
        if not run.sweep:
            return False
        left.setdefault(run.project_id, set()).add(run.sweep)
        run.sweep = ""
        return True

    bulk_action = BulkAction(action=RunAction.UPDATE, change=change, fields=("sweep",), recorded=REMOVE)
    result = change_runs(actor=actor, run_ids=run_ids, bulk_action=bulk_action)
    for project_id, uids in left.items():
        for sweep in Sweep.objects.filter(project=project_id, uid__in=uids).select_related("project__team"):
            settle_runs(sweep)
    return result


def settle_runs(sweep: Sweep) -> None:
    """Wait no more for runs that left or were deleted, and count those that stayed."""
    under_way = Trial.objects.filter(sweep=sweep, state__in=OPEN, run__isnull=False)
    gone = under_way.filter(~Q(run__sweep=sweep.uid) | Q(run__deleted_at__isnull=False))
    gone.filter(stop_requested_at=None, run__deleted_at__isnull=False).update(
        stop_requested_at=timezone.now()
    )
    gone.update(state=TrialState.ENDED)
    renew_best(sweep)
    if sweep.deleted_at is None:
        finish_if_over(sweep)
        announce(sweep)
