"""Who reads what looks like a secret as it was logged: whoever may change the run, and whoever logs it.

All others get it masked, by GraphQL, REST, in files and downloads; an SDK that resumes its own run must read back what
it wrote. Pages mask it for everybody until somebody who may change the run asks (`runs.secrets.reveal`). What tables,
exports of tables, filters and orders read is masked for everybody where it is stored (`runs.config.flatten`), so that
no filter finds out a secret by guessing.
"""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Q

from access.actor import Actor
from access.engine import can_throughout, visible
from common.database.kept_queries import KeptQuery
from runs.access import RunAction
from runs.models import Project, Run

_projects_of_runs = KeptQuery(
    lambda run_ids: Run.objects.filter(pk__in=run_ids).values_list("pk", "project_id")
)


def unmasked_run_ids(run_ids: Collection[int], actor: Actor) -> set[int]:
    """Return of which of the runs the actor reads secrets; a fixed number of queries for runs of one project."""
    projects: dict[int, set[int]] = defaultdict(set)
    for pk, project_id in _projects_of_runs.rows([*run_ids]):
        projects[project_id].add(pk)
    all_of = {each for each in projects if can_throughout(actor, RunAction.UPDATE, Run, Project(pk=each))}
    found = set().union(*(projects[each] for each in all_of))
    left = set(run_ids) - found
    return found | (_unmasked_one_by_one(left, actor) if left else set())


def _unmasked_one_by_one(run_ids: Collection[int], actor: Actor) -> set[int]:
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
