"""Who reads what looks like a secret as it was logged: whoever may change the run, and whoever logs it.

All others get it masked, by GraphQL, REST, in files and downloads; an SDK that resumes its own run must read back what
it wrote. Pages mask it for everybody until somebody who may change the run asks (`runs.secrets.reveal`). What tables,
exports of tables, filters and orders read is masked for everybody where it is stored (`runs.config.flatten`), so that
no filter finds out a secret by guessing.
"""

from collections.abc import Collection

from django.db.models import Q

from access.actor import Actor
from access.engine import can_throughout, visible
from common.database.kept_queries import KeptQuery
from runs.access import RunAction
from runs.models import Project, Run

_projects_of_runs = KeptQuery(
    lambda run_ids: Run.objects.filter(pk__in=run_ids).order_by().values_list("project_id").distinct()
)


def unmasked_run_ids(run_ids: Collection[int], actor: Actor) -> set[int]:
    """Return of which of the runs the actor reads secrets. Two queries, or three."""
    projects = {project_id for (project_id,) in _projects_of_runs.rows([*run_ids])}
    if len(projects) == 1 and can_throughout(actor, RunAction.UPDATE, Run, Project(pk=projects.pop())):
        return set(run_ids)
    return _unmasked_by_each(run_ids, actor)


def _unmasked_by_each(run_ids: Collection[int], actor: Actor) -> set[int]:
    rows = Run.objects.filter(pk__in=run_ids)
    changed = Q(pk__in=visible(actor, RunAction.UPDATE, rows).values("pk"))
    if actor.user_id is None:
        return set(rows.filter(changed).values_list("pk", flat=True))
    own = Q(user_id=actor.user_id) | Q(logged_by_id=actor.user_id)
    logged = own & Q(pk__in=visible(actor, RunAction.LOG, rows).values("pk"))
    return set(rows.filter(changed | logged).values_list("pk", flat=True))


def reads_secrets(actor: Actor, run: Run) -> bool:
    """Say whether the actor reads the run's secrets."""
    return run.pk in unmasked_run_ids([run.pk], actor)
