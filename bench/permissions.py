"""What the engine of permissions costs (TEAM-25): one row, a refusal, a list; against asking for the row alone."""

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

from django.db.models import Model

from access.actions import Preset
from access.actor import ANONYMOUS, SYSTEM, Actor
from access.engine import can, require, visible
from access.web.requests import actor_of_user
from accounts.lifecycle.services import create_user
from accounts.models import User
from bench import world
from common.errors import DomainError
from runs.access import ProjectAction, RunAction
from runs.models import Project, Run
from runs.projects.members import add_project_member
from runs.projects.services import create_project
from teams.access import TeamAction
from teams.members import services as members
from teams.models import Membership, Organization, OrganizationMember, Role, RoleGrant, Team, Visibility
from teams.organizations.services import create_organization
from teams.roles.builtin import built_in
from teams.service_accounts.services import create_service_account
from teams.teams.services import create_team

ORGANIZATIONS, TEAMS, RUNS, ROUNDS = 3, 12, 10, 200
"""Of each organization so many teams; each has a project of every visibility, and each project so many runs."""


def _person(name: str) -> User:
    return create_user(actor=SYSTEM, username=name, email=f"{name}@example.com")


def _organization(number: int) -> Organization:
    chief = _person(f"chief{number}")
    organization = create_organization(actor=SYSTEM, name=f"organization{number}", admin=chief)
    for at in range(TEAMS):
        lead, name = _person(f"lead{number}x{at}"), f"team{number}x{at}"
        team = create_team(actor=SYSTEM, name=name, organization=organization, admin=lead)
        for visibility in Visibility.values:
            project = create_project(actor=SYSTEM, team=team, name=visibility, visibility=visibility)
            world.runs(project, RUNS)
    return organization


def _people() -> dict[str, Actor]:
    """Return who asks; all belong to the first organization, in half of its teams, but the stranger."""
    member, custom, stranger = map(_person, ("member", "custom", "stranger"))
    organization = Organization.objects.get(name="organization0")
    labeler = Role.objects.create(organization=organization, name="Labeler", base=built_in(Preset.VIEW_ONLY))
    granted = {RunAction.VIEW, RunAction.UPDATE, ProjectAction.VIEW, TeamAction.VIEW}
    RoleGrant.objects.bulk_create([RoleGrant(role=labeler, action=action) for action in granted])
    for team in Team.objects.filter(organization=organization).order_by("pk")[: TEAMS // 2]:
        for user, role in ((member, built_in(Preset.MEMBER)), (custom, labeler)):
            members.add_member(actor=SYSTEM, team=team, user=user, role=role)
        restricted = team.projects.get(visibility=Visibility.RESTRICTED)
        add_project_member(actor=SYSTEM, project=restricted, user=member, role=built_in(Preset.MEMBER))
    bot = create_service_account(actor=SYSTEM, team=Team.objects.get(name="team0x0"), label="bot").user
    people = {user.username: actor_of_user(user) for user in (member, custom, stranger)}
    people |= {"chief": actor_of_user(User.objects.get(username="chief0")), "bot": actor_of_user(bot)}
    limited = dataclasses.replace(people["member"], scopes=frozenset({RunAction.VIEW, RunAction.LOG}))
    return people | {"limited key": limited, "anonymous": ANONYMOUS}


def _cpu_us(work: Callable[[], object]) -> float:
    """Return the CPU microseconds of one of many rounds, of the best fifth."""
    work()
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        for _ in range(ROUNDS // 5):
            work()
        best = min(best, time.process_time() - begin)
    return best / (ROUNDS // 5) * 1e6


def _refused(actor: Actor, action: str, row: Model) -> None:
    try:
        require(actor, action, row)
    except DomainError:
        return
    raise AssertionError(f"{actor.name} may {action}")


def _checks(people: dict[str, Actor]) -> dict[str, Callable[[], object]]:
    team = Team.objects.get(name="team0x0")
    project = Project.objects.get(team=team, visibility=Visibility.TEAM)
    restricted = Project.objects.get(team=team, visibility=Visibility.RESTRICTED)
    public = Project.objects.get(team=team, visibility=Visibility.PUBLIC)
    run, invited, shown = (row.runs.order_by("pk")[0] for row in (project, restricted, public))
    runs = Run.objects.live().filter(project=project).order_by("-pk")
    return {
        "require: a member logs to a run": lambda: require(people["member"], RunAction.LOG, run),
        "require: ... with a limited key": lambda: require(people["limited key"], RunAction.LOG, run),
        "require: a custom role edits a run": lambda: require(people["custom"], RunAction.UPDATE, run),
        "require: an organization's admin deletes it": lambda: require(
            people["chief"], RunAction.DELETE, run
        ),
        "require: an invited member edits a run": lambda: require(
            people["member"], RunAction.UPDATE, invited
        ),
        "require: a service account logs": lambda: require(people["bot"], RunAction.LOG, run),
        "require: anybody sees a public run": lambda: require(ANONYMOUS, RunAction.VIEW, shown),
        "require: the machine itself": lambda: require(SYSTEM, RunAction.LOG, run),
        "can: a member makes a project in a team": lambda: can(people["member"], ProjectAction.CREATE, team),
        "can: a member sees a project": lambda: can(people["member"], ProjectAction.VIEW, project),
        "require: refused, 403": lambda: _refused(people["member"], RunAction.DELETE, run),
        "require: refused, 404": lambda: _refused(people["stranger"], RunAction.VIEW, run),
        "visible: runs of a project": lambda: list(visible(people["member"], RunAction.VIEW, runs)),
        "visible: one run": lambda: visible(people["member"], RunAction.VIEW, runs.filter(pk=run.pk)).first(),
        "visible: one's projects": lambda: list(
            visible(people["member"], ProjectAction.VIEW, Project.objects.live())
        ),
        "visible: one's teams": lambda: list(visible(people["member"], TeamAction.VIEW, Team.objects.live())),
    }


def run(home: Path) -> None:
    """Print microseconds of CPU of this process."""
    for number in range(ORGANIZATIONS):
        _organization(number)
    people = _people()
    rows = f"{Membership.objects.count()} memberships, {OrganizationMember.objects.count()} of organizations"
    print(
        f"{Team.objects.count()} teams, {Project.objects.count()} projects, {Run.objects.count()} runs, {rows}"
    )
    one = Run.objects.order_by("pk")[0].pk
    row = _cpu_us(Run.objects.filter(pk=one).exists)
    print(f"{row:8.0f} µs CPU  reference: whether one row is there, by the ORM")
    for name, check in _checks(people).items():
        cost = _cpu_us(check)
        print(f"{cost:8.0f} µs CPU  {name}: {cost / row:.1f} of the reference")
