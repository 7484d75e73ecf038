"""TEAM-1: what an organization lets a member do in a product, whatever their role in a team."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actions import Preset, all_actions
from access.actor import SYSTEM
from access.engine import can, visible, who_may
from accounts.models import User
from runs.access import ProjectAction, RunAction
from runs.models import Project, Run
from runs.projects.members import add_project_member
from teams.access import OrganizationAction, TeamAction
from teams.members import services
from teams.models import OrganizationMember, ProductAccess, Team
from teams.roles.builtin import built_in
from tests.factories import ProjectFactory, RunFactory, ServiceAccountFactory, UserFactory, actor, make_member
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return RunFactory(project__team__name="vision")


def limit(user: User, access: str = ProductAccess.FULL, role: Preset = Preset.ORGANIZATION_MEMBER) -> None:
    OrganizationMember.objects.filter(user=user).update(models_access=access, role=built_in(role))


@pytest.mark.parametrize("preset", [Preset.MEMBER, Preset.ADMIN])
def test_view_only_reads_and_changes_nothing(run: Run, preset: Preset):
    person = make_member(run.project.team, preset)
    limit(person, ProductAccess.VIEW_ONLY)
    assert can(actor(person), RunAction.VIEW, run)
    assert can(actor(person), ProjectAction.VIEW, run.project)
    for action, row in (
        (RunAction.LOG, run.project), (RunAction.UPDATE, run), (RunAction.DELETE, run),
        (ProjectAction.CREATE, run.project.team), (ProjectAction.CHANGE_VISIBILITY, run.project),
    ):  # fmt: skip
        assert not can(actor(person), action, row), action
    assert can(actor(person), TeamAction.MANAGE_MEMBERS, run.project.team) is (preset == Preset.ADMIN)


def test_view_only_does_not_even_stop_ones_own(run: Run):
    person = make_member(run.project.team)
    mine = RunFactory(project=run.project, user=person)
    assert can(actor(person), RunAction.STOP, mine)
    limit(person, ProductAccess.VIEW_ONLY)
    assert not can(actor(person), RunAction.STOP, mine)


@pytest.mark.parametrize("access", [ProductAccess.NONE, "nonsense"])
def test_none_sees_the_team_and_nothing_of_what_it_made(run: Run, access: str):
    """Default deny: what is no known access gives none."""
    person = make_member(run.project.team, Preset.ADMIN)
    limit(person, access)
    assert can(actor(person), TeamAction.VIEW, run.project.team)
    assert not visible(actor(person), RunAction.VIEW, Run.objects.all()).exists()
    assert not visible(actor(person), ProjectAction.VIEW, Project.objects.all()).exists()
    assert not can(actor(person), ProjectAction.CREATE, run.project.team)


def test_none_sees_what_everybody_sees(run: Run):
    person = make_member(run.project.team)
    limit(person, ProductAccess.NONE)
    Project.objects.update(visibility="public")
    assert can(actor(person), RunAction.VIEW, run)


def test_it_holds_in_restricted_projects_and_for_admins_of_the_organization(run: Run):
    person = make_member(run.project.team)
    Project.objects.update(visibility="restricted")
    run.project.refresh_from_db()
    add_project_member(actor=SYSTEM, project=run.project, user=person, role=built_in(Preset.MEMBER))
    assert can(actor(person), RunAction.LOG, run.project)
    limit(person, ProductAccess.NONE)
    assert not can(actor(person), RunAction.VIEW, run)
    Project.objects.update(visibility="team")
    chief = make_member(run.project.team, Preset.ORGANIZATION_ADMIN)
    OrganizationMember.objects.filter(user=chief).update(models_access=ProductAccess.VIEW_ONLY)
    assert can(actor(chief), RunAction.VIEW, run)
    assert not can(actor(chief), RunAction.DELETE, run)
    organization = run.project.team.organization
    assert organization is not None
    assert can(actor(chief), OrganizationAction.MANAGE_MEMBERS, organization)


def test_it_ends_at_the_organization(run: Run):
    person = make_member(run.project.team)
    elsewhere, own = RunFactory(), ProjectFactory(team=person.claim.team)
    services.add_member(actor=SYSTEM, team=elsewhere.project.team, user=person, role=built_in(Preset.MEMBER))
    OrganizationMember.objects.filter(user=person, organization=run.project.team.organization).update(
        models_access=ProductAccess.NONE
    )
    assert not can(actor(person), RunAction.VIEW, run)
    assert can(actor(person), RunAction.UPDATE, elsewhere)
    assert can(actor(person), RunAction.LOG, own)


def test_service_accounts_are_not_limited(run: Run):
    bot = ServiceAccountFactory(team=run.project.team)
    assert not OrganizationMember.objects.filter(user=bot.user).exists()
    assert can(actor(bot), RunAction.LOG, run.project)


def test_a_viewer_of_the_organization_reads_only(run: Run):
    """TEAM-1: whatever role a team gives them."""
    person = make_member(run.project.team, Preset.ADMIN)
    limit(person, role=Preset.ORGANIZATION_VIEWER)
    organization = run.project.team.organization
    assert organization is not None
    assert can(actor(person), OrganizationAction.VIEW, organization)
    assert can(actor(person), RunAction.VIEW, run)
    Team.objects.update(members_may_invite=True)
    for action, row in (
        (RunAction.UPDATE, run), (TeamAction.MANAGE_MEMBERS, run.project.team), (TeamAction.INVITE, run.project.team),
    ):  # fmt: skip
        assert not can(actor(person), action, row), action


_ACCESS = st.sampled_from([*ProductAccess.values, "nonsense"])
_ROLES = st.sampled_from([Preset.ORGANIZATION_ADMIN, Preset.ORGANIZATION_MEMBER, Preset.ORGANIZATION_VIEWER])
_TEAM_ROLES = st.sampled_from([Preset.VIEW_ONLY, Preset.MEMBER, Preset.ADMIN])
_ACTIONS = [
    *RunAction,
    ProjectAction.VIEW,
    ProjectAction.UPDATE,
    ProjectAction.CREATE,
    TeamAction.VIEW,
    TeamAction.INVITE,
]


@settings(
    max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(access=_ACCESS, role=_ROLES, team_role=_TEAM_ROLES, action=st.sampled_from(_ACTIONS))
def test_can_is_being_in_the_visible_rows_and_among_who_may(
    place: tuple[Run, User], access: str, role: Preset, team_role: Preset, action: Any
):
    """TEAM-1, TEAM-25: the three answers of the engine agree, and access only ever takes away."""
    run, person = place
    person.memberships.filter(team=run.project.team).update(role=built_in(team_role))
    spec = dict(all_actions())[str(action)]
    row: Any = {"runs.Run": run, "runs.Project": run.project, "teams.Team": run.project.team}[spec.on[-1]]
    limit(person, ProductAccess.FULL, role)
    before = can(actor(person), action, row)
    limit(person, access, role)
    now = can(actor(person), action, row)
    assert now is (row in visible(actor(person), action, type(row)._default_manager.all()))
    assert now is who_may(action, row).filter(pk=person.pk).exists()
    assert before or not now


@pytest.fixture
def place() -> tuple[Run, User]:
    run = RunFactory(user=UserFactory())
    return run, make_member(run.project.team)
