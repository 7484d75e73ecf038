"""Moving runs to another project (RUN-7)."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from access.signals import rights_changed
from common import live
from common.database.commits import after_commit
from common.errors import Conflict
from runs.access import RunAction
from runs.bulk_actions.services import BulkAction, BulkActionResult, change_runs
from runs.models import Project, Run
from runs.table.catalogue import invalidate_catalogue
from storage.services import move_bytes
from teams.models import Visibility


def move_runs(*, actor: Actor, run_ids: Collection[int], project: Project) -> BulkActionResult:
    """Move runs into a project of the same or another team; who may delete a run may move it, and needs log there.

    A run whose process still posts stays: its client knows it by its old path. Nothing leaves a restricted project,
    whose members alone were to see it (semantics section 2). A run leaves its sweep, which stays.
    """
    require(actor, RunAction.LOG, project)
    left: dict[int, int] = {}
    with transaction.atomic():
        target = (
            Project.objects.select_for_update(no_key=True, of=("self",))
            .select_related("team")
            .get(pk=project.pk)
        )
        uids = Run.objects.filter(pk__in=run_ids).values("uid")
        taken = set(Run.objects.filter(project=target, uid__in=uids).values_list("uid", flat=True))

        def change(run: Run, now: datetime) -> bool:
            if run.project_id == target.pk:
                return False
            _require_movable(run, target, taken)
            left[run.pk] = run.project_id
            target.runs_made += 1
            run.project, run.number, run.sweep = target, target.runs_made, ""
            taken.add(run.uid)
            return True

        bulk_action = BulkAction(
            action=RunAction.DELETE, change=change, fields=("project", "number", "sweep"), recorded="run.move"
        )
        result = change_runs(actor=actor, run_ids=run_ids, bulk_action=bulk_action)
        move_bytes(run_ids=left, team_id=target.team_id, project_id=target.pk)
        target.save(update_fields=["runs_made"])
        after_commit(_notify, set(left.values()))
    return result


def _notify(project_ids: set[int]) -> None:
    for pk in project_ids:
        invalidate_catalogue(pk)
        live.send(live.project_group(pk), {"type": "run", "uid": "", "state": "moved"})
    rights_changed.send(Run)


def _require_movable(run: Run, target: Project, taken: set[str]) -> None:
    if run.is_active:
        raise Conflict(
            _("%(run)s is %(state)s; its process is logging to %(project)s. Move it after it has ended.")
            % {"run": run, "state": run.state_label, "project": run.project}
        )
    if run.project.visibility == Visibility.RESTRICTED:
        raise Conflict(
            _(
                "%(run)s is in the restricted project %(project)s; runs cannot be moved out of restricted "
                "projects."
            )
            % {"run": run, "project": run.project}
        )
    if run.uid in taken:
        raise Conflict(
            _("%(target)s has or had a run with the ID %(uid)s.") % {"target": target, "uid": run.uid}
        )
