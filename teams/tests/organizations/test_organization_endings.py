"""Leaving an organization and deleting one (TEAM-1, TEAM-2, TEAM-21)."""

from typing import Any

import pytest

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import can
from access.models import AuditEntry
from accounts.lifecycle.deletion import obstacles_of
from accounts.models import ApiKey, User
from common.errors import Conflict, Forbidden, Invalid, NotFound
from runs.models import Run
from teams.access import OrganizationAction
from teams.models import Membership, Organization, OrganizationMember, Team
from teams.organizations import services as organizations
from teams.teams import deletion
from teams.tests.visiting import as_user, organization, said, team, text_of
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    actor,
    make_key,
    make_member,
)

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db


def chief_of(organization: Organization) -> Any:
    return actor(organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user)


def test_who_leaves_is_out_of_all_teams_and_the_runs_stay(organization: Organization, team: Team):
    """TEAM-5, one level up."""
    second = TeamFactory(organization=organization)
    member = make_member(team)
    Membership.objects.create(
        team=second, user=member, role=Membership.objects.get(user=member, team=team).role
    )
    run = RunFactory(project=ProjectFactory(team=team), user=member)
    organizations.leave_organization(actor=actor(member), organization=organization)
    assert not Membership.objects.filter(user=member, team__organization=organization).exists()
    assert not can(actor(member), OrganizationAction.VIEW, organization)
    assert Run.objects.get(pk=run.pk).user == member
    assert AuditEntry.objects.get(action="organization.leave").before["teams"] == [team.name, second.name]
    with pytest.raises(NotFound):
        organizations.leave_organization(actor=actor(member), organization=organization)


def test_the_last_admin_of_it_or_of_a_team_stays(organization: Organization, team: Team):
    with pytest.raises(Conflict, match="last admin of acme"):
        organizations.leave_organization(actor=chief_of(organization), organization=organization)
    ada = User.objects.get(username="ada")
    with pytest.raises(Conflict, match="last admin of vision"):
        organizations.leave_organization(actor=actor(ada), organization=organization)


def test_an_organization_without_teams_is_deleted_by_its_admins(organization: Organization, team: Team):
    """TEAM-21: what it had is gone for everybody, and its name is not given again."""
    chief, member = chief_of(organization), make_member(team)
    bot = ServiceAccountFactory(organization=organization, label="wide")
    make_key(bot.user)
    with pytest.raises(Forbidden):
        organizations.delete_organization(actor=actor(member), organization=organization, typed="acme")
    with pytest.raises(Invalid, match="Type the organization"):
        organizations.delete_organization(actor=chief, organization=organization, typed="acne")
    with pytest.raises(Conflict, match="still has teams: vision"):
        organizations.delete_organization(actor=chief, organization=organization, typed="acme")
    deletion.delete_team(actor=chief, team=team, typed="vision")
    organizations.delete_organization(actor=chief, organization=organization, typed="acme")
    assert not OrganizationMember.objects.filter(organization=organization).exists()
    assert not can(chief, OrganizationAction.VIEW, organization)
    assert not ApiKey.objects.filter(user=bot.user).exists()
    assert not User.objects.get(pk=bot.user.pk).is_active
    assert AuditEntry.objects.get(action="organization.delete").organization_id == organization.pk
    with pytest.raises(Conflict, match="is taken"):
        OrganizationFactory(name="Acme")


def test_a_deleted_organization_is_in_nobody_s_way(organization: Organization, team: Team):
    """ACC-9: who led it can delete the account."""
    chief = organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user
    deletion.delete_team(actor=SYSTEM, team=team, typed="vision")
    organizations.delete_organization(actor=actor(chief), organization=organization, typed="acme")
    assert list(obstacles_of(chief)) == []


class TestPages:
    def test_leaving_from_the_own_teams(self, as_user: Any, team: Team):
        member = make_member(team, username="mel")
        assert "Leave acme?" in text_of(as_user("mel", "/settings/teams"))
        answer = as_user("mel", "/organizations/acme/leave", {})
        assert (answer.status_code, answer["Location"]) == (302, "/settings/teams")
        assert said(answer) == ["You have left acme and its teams."]
        assert not OrganizationMember.objects.filter(user=member).exists()

    def test_its_only_admin_is_told_so(self, as_user: Any, organization: Organization):
        assert "You are its only admin" in text_of(as_user("chief", "/settings/teams"))

    def test_deleting_names_the_teams_that_are_in_the_way(self, as_user: Any, team: Team):
        page = text_of(as_user("chief", "/organizations/acme/delete"))
        assert "/teams/vision/delete" in page
        assert "Delete organization</button>" not in page

    def test_deleting_takes_the_name(self, as_user: Any, organization: Organization):
        refused = as_user("chief", "/organizations/acme/delete", {"name": "else"})
        assert refused.status_code == 422
        assert "Type the organization’s name, acme" in text_of(refused)
        answer = as_user("chief", "/organizations/acme/delete", {"name": "acme"})
        assert (answer.status_code, answer["Location"]) == (302, "/settings/teams")
        assert as_user("chief", "/organizations/acme").status_code == 404
