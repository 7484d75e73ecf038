"""Asking to be let into a restricted project, without learning whether there is one (TEAM-24)."""

from functools import partial

from celery import shared_task
from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require, who_may
from access.limits.request_rates import user_caller
from accounts.mail import sending
from accounts.models import User
from common.errors import TooManyRequests
from common.rate_limits import count
from runs.access import ProjectAction
from runs.models import Project, ProjectAccessRequest
from runs.projects.members import candidates, members_inside
from teams.access import TeamAction
from teams.models import Team, Visibility

MOST_AN_HOUR = 10
HOUR_S = 3600
COUNTED = "access requests"


@transaction.atomic
def request_access(*, actor: Actor, team: Team, name: str) -> None:
    """Ask whoever manages the team's restricted project of this name to be let in, if it has one.

    What is answered, recorded here and counted is the same either way; so is the time it takes, since a task
    looks for the project.

    Raises:
        TooManyRequests: more than ten in an hour.
    """
    require(actor, TeamAction.VIEW, team)
    wait_s = count(COUNTED, user_caller(actor.lookup_id), limit=MOST_AN_HOUR, window_s=HOUR_S)
    if wait_s:
        message = _("You requested access %(most)s times within an hour. Try again later.")
        raise TooManyRequests(message % {"most": MOST_AN_HOUR}, wait_s=wait_s)
    record(
        actor, "project.request_access", team, organization_id=team.organization_id, team_id=team.pk,
        after={"project": name[:200]},
    )  # fmt: skip
    transaction.on_commit(partial(deliver_access_request.delay, team.pk, name, actor.lookup_id))


@shared_task(name="runs.tasks.deliver_access_request", acks_late=True, time_limit=60)
def deliver_access_request(team_id: int, name: str, user_id: int) -> None:
    """Bring a request for access to a restricted project to whoever decides, if there is such a project."""
    store_request(team_id=team_id, name=name, user_id=user_id)


@transaction.atomic
def store_request(*, team_id: int, name: str, user_id: int) -> None:
    """Store the request and mail those who manage the project; once, until it is answered."""
    rows = Project.objects.live().filter(team=team_id, name=name, visibility=Visibility.RESTRICTED)
    project = rows.select_related("team__organization").first()
    if project is None or members_inside(project).filter(user=user_id).exists():
        return
    user = candidates(project.team).filter(pk=user_id).first()
    if user is None:
        return
    _row, is_new = ProjectAccessRequest.objects.get_or_create(project=project, user=user)
    if is_new:
        known = {"who": user.username, "path": f"{project.team.name}/{project.name}", "project": project}
        for manager in _managers(project):
            sending.send("runs/email/access_requested", manager, known)


def _managers(project: Project) -> list[User]:
    """Return who decides: those inside who may, and where nobody inside may, the admins."""
    who = User.objects.filter(pk__in=who_may(ProjectAction.MANAGE_MEMBERS, project).values("pk"))
    inside = list(who.filter(pk__in=members_inside(project).values("user_id")))
    return inside or list(who)


@transaction.atomic
def decline_request(*, actor: Actor, request: ProjectAccessRequest) -> None:
    """Take a request off the list. Who asked gets no message, or they would know that there is such a project."""
    project = request.project
    require(actor, ProjectAction.MANAGE_MEMBERS, project)
    record(
        actor, "project.decline_request", project, organization_id=project.team.organization_id,
        team_id=project.team_id, before={"user": request.user.username},
    )  # fmt: skip
    request.delete()
