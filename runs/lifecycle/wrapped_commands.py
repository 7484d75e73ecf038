"""A command that the agent records, in which the SDK begins a run: both are one.

The run that the agent began takes the project, the id and the fields of the SDK's, and stays known by its old path, to
which the agent goes on posting. Only the first run of a command does; further ones are their own. The SDK says in which
command it runs by a header that the agent asks it to send; whoever sends it has the same key.
"""

from datetime import datetime

from django.utils import timezone

from access.actor import Actor
from access.signals import rights_changed
from common import live
from common.database.commits import after_commit
from common.database.kept_queries import KeptQuery
from runs.lifecycle import participants
from runs.lifecycle.host_runs import has_values
from runs.models import Project, Run, RunAlias
from runs.states import ACTIVE
from storage.services import move_bytes
from teams.models import Visibility

_by_uid = KeptQuery(lambda project_id, uid: Run.objects.filter(project=project_id, uid=uid).values_list("pk"))
_by_alias = KeptQuery(
    lambda project_id, uid: RunAlias.objects.filter(project=project_id, uid=uid).values_list("run_id")
)


def pk_of(project: Project, uid: str) -> int | None:
    """Return the key of a project's run by its id, or by that which it had before."""
    found = _by_uid.rows(project.pk, uid) or _by_alias.rows(project.pk, uid)
    return found[0][0] if found else None


def take_over(*, actor: Actor, project: Project, uid: str, wrapper: str) -> Run | None:
    """Let the run of a wrapped command become the one that begins now; None where there is no such run.

    Part of the transaction of `lifecycle.log_run`, which has locked the project and checked the actor.

    Args:
        actor: Who logs; that run was begun with a key of the same account.
        project: Where the SDK logs.
        uid: The id that the SDK chose, which is free.
        wrapper: The id of the command's run.
    """
    if not wrapper or actor.user_id is None:
        return None
    runs = Run.objects.locked().select_related("project__team").filter(uid=wrapper, logged_by=actor.user_id)
    run = runs.filter(state__in=sorted(ACTIVE), deleted_at=None, alias=None).first()
    if run is None or run.is_host or has_values(run.pulse.summary_flat):
        return None
    if run.project_id != project.pk and run.project.visibility == Visibility.RESTRICTED:
        return None  # nothing leaves a restricted project
    RunAlias.objects.create(project_id=run.project_id, uid=run.uid, run=run)
    run.uid = uid
    if run.project_id != project.pk:
        _move(run, project, timezone.now())
    run.save(update_fields=["uid", "project", "number", "updated_at"])
    return run


def _move(run: Run, project: Project, at: datetime) -> None:
    """Bring a run under way to another project; what it held and used there until now stays counted there."""
    after_commit(_notify, run.project_id, run.uid)
    project.refresh_from_db(fields=["runs_made"])
    project.runs_made += 1
    project.save(update_fields=["runs_made"])
    run.project, run.number = project, project.runs_made
    move_bytes(run_ids=[run.pk], team_id=project.team_id, project_id=project.pk)
    participants.moved(run, at)


def _notify(project_id: int, uid: str) -> None:
    live.send(live.project_group(project_id), {"type": "run", "uid": uid, "state": "moved"})
    rights_changed.send(Run)
