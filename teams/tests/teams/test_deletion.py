"""Deleting teams and bringing them back (TEAM-21)."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import can
from accounts.models import ApiKey
from common.errors import Conflict, Forbidden, Gone, Invalid, NotFound
from runs.access import RunAction
from runs.models import Project, Run
from runs.tasks import purge_runs
from teams.access import TeamAction
from teams.invitations import services as invitations
from teams.models import Invitation, Membership
from teams.roles.builtin import built_in
from teams.teams import deletion
from teams.teams.selectors import entities_of, teams_of
from tests.factories import ProjectFactory, RunFactory, ServiceAccountFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db


def chief_of(team):
    return team.organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user


@pytest.fixture
def team():
    return TeamFactory()


@pytest.fixture
def chief(team):
    return actor(chief_of(team))


def test_organization_admins_delete_teams_and_team_admins_do_not(team, chief):
    """TEAM-21: team: create, delete: O S."""
    with pytest.raises(Forbidden):
        deletion.delete_team(actor=actor(make_member(team, Preset.ADMIN)), team=team, typed=team.name)
    with pytest.raises(Invalid, match="Type the team"):
        deletion.delete_team(actor=chief, team=team, typed="another")
    assert deletion.delete_team(actor=chief, team=team, typed=team.name).deleted_at is not None


def test_a_deleted_team_is_gone_for_all_and_comes_back_whole(team, chief):
    member = make_member(team)
    run = RunFactory(project=ProjectFactory(team=team))
    deletion.delete_team(actor=chief, team=team, typed=team.name)
    assert not can(actor(member), TeamAction.VIEW, team)
    assert (list(teams_of(actor(member))), entities_of(actor(member))) == ([], [member.username])
    assert Run.objects.get(pk=run.pk).deleted_at is not None
    with pytest.raises(NotFound):
        deletion.restore_team(actor=actor(member), team=team)
    deletion.restore_team(actor=chief, team=team)
    assert can(actor(member), RunAction.VIEW, run)
    assert Run.objects.live().get() == run


def test_what_was_deleted_before_the_team_stays_deleted(team, chief):
    from runs.projects.deletion import delete_project

    project = ProjectFactory(team=team)
    delete_project(actor=chief, project=project)
    deletion.delete_team(actor=chief, team=team, typed=team.name)
    deletion.restore_team(actor=chief, team=team)
    assert not Project.objects.live().filter(pk=project.pk).exists()


def test_invitations_to_a_deleted_team_are_taken_back(team, chief):
    """TEAM-3: an invitation survives the end of its team with a clear word."""
    invitations.invite(actor=chief, team=team, role=built_in(Preset.MEMBER), email="new@example.com")
    deletion.delete_team(actor=chief, team=team, typed=team.name)
    assert Invitation.objects.get().state == "revoked"


def test_protected_runs_keep_their_team(team, chief):
    RunFactory(project=ProjectFactory(team=team))
    Run.objects.update(is_protected=True)
    with pytest.raises(Conflict, match="1 run is protected"):
        deletion.delete_team(actor=chief, team=team, typed=team.name)


def test_after_a_week_nobody_belongs_to_it(team, chief):
    account = ServiceAccountFactory(team=team)
    member = make_member(team)
    deletion.delete_team(actor=chief, team=team, typed=team.name)
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        with pytest.raises(Gone, match="no longer be restored"):
            deletion.restore_team(actor=chief, team=team)
        purge_runs()
    account.user.refresh_from_db()
    assert not account.user.is_active
    assert not ApiKey.objects.filter(user=account.user).exists()
    assert not Membership.objects.filter(team=team).exists()
    assert Membership.objects.filter(user=member).count() == 1  # the personal entity


def test_a_personal_entity_is_not_deleted_as_a_team(team):
    own = make_member(team).claim.team
    with pytest.raises(Conflict, match="is deleted with its owner"):
        deletion.delete_team(actor=SYSTEM, team=own, typed=own.name)


def test_an_organization_admin_finds_deleted_teams_in_its_list(client, team, chief):
    admin = make_member(team, Preset.ADMIN)
    deletion.delete_team(actor=chief, team=team, typed=team.name)
    restore, where = f"/teams/{team.name}/restore", f"/organizations/{team.organization}/teams"
    client.force_login(admin)
    assert restore not in client.get(where).content.decode()
    client.force_login(chief_of(team))
    assert restore in client.get(where).content.decode()
    assert client.post(restore).url == f"/teams/{team.name}"


def test_the_page_says_what_goes_and_asks_for_the_name(client, team):
    client.force_login(chief_of(team))
    page = client.get(f"/teams/{team.name}/delete")
    assert "can be restored for 7 days" in page.content.decode()
    refused = client.post(f"/teams/{team.name}/delete", {"name": "x"})
    assert refused.status_code == 422
    assert "Type the team’s name" in refused.content.decode()
