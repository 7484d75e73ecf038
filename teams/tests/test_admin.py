"""TEAM-21: what operators do to organizations, teams and people's places in the admin goes through the services."""

from typing import Any

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from runs.models import Project
from teams.invitations.services import invite
from teams.models import (
    GroupMapping,
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
    Team,
    Visibility,
)
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def act(client: Client, row: Model, slug: str, **typed: Any) -> str:
    """Do an act on its page; returns what the page, or the one after it, says."""
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_act"
    return str(client.post(reverse(name, args=[row.pk, slug]), typed, follow=True).content.decode())


def said(action: str) -> bool:
    """Whether the audit log has it by the operator."""
    return AuditEntry.objects.filter(action=action, actor_name="boss").exists()


def test_organizations_and_teams_are_made(operator: Client):
    UserFactory(username="ada")
    operator.post(reverse("admin:teams_organization_add"), {"name": "labs", "admin": "ada"})
    organization = Organization.objects.get(name="labs")
    act(operator, organization, "new-team", name="vision", kind="work", admin="ada@example.com")
    assert Team.objects.get(name="vision").memberships.get().user.username == "ada"
    assert said("organization.create")
    assert said("team.create")
    assert "No user is called" in act(
        operator, organization, "new-team", name="x", kind="work", admin="nobody"
    )


def test_settings_and_privacy(operator: Client):
    """TEAM-8."""
    team = TeamFactory()
    act(operator, team.organization, "settings", display_name="Labs", api_key_max_days="30")
    act(operator, team.organization, "privacy", is_hidden="yes")
    act(operator, team, "settings", display_name="Vision", kind="academic")
    assert "sets" in act(operator, team, "privacy", public_projects_allowed="on")
    team.refresh_from_db()
    organization = Organization.objects.get(pk=team.organization_id)
    assert (organization.display_name, organization.api_key_max_days) == ("Labs", 30)
    assert (team.is_hidden, team.kind, team.display_name) == (True, "academic", "Vision")
    assert said("organization.enforce_privacy")


def test_members_are_added_changed_and_removed_and_the_last_admin_stays(operator: Client):
    """TEAM-5."""
    team, ada = TeamFactory(), UserFactory(username="ada")
    act(operator, team, "add-member", user="ada", role=built_in(Preset.MEMBER).pk)
    place = Membership.objects.get(team=team, user=ada)
    act(operator, place, "role", role=built_in(Preset.VIEW_ONLY).pk)
    place.refresh_from_db()
    assert place.role.preset == Preset.VIEW_ONLY
    admin = Membership.objects.exclude(user=ada).get(team=team)
    assert "last admin" in act(operator, admin, "role", role=built_in(Preset.MEMBER).pk)
    act(operator, place, "remove")
    assert not Membership.objects.filter(pk=place.pk).exists()
    assert said("team.remove_member")


def test_places_in_organizations(operator: Client):
    """TEAM-1."""
    organization = OrganizationFactory()
    chief = OrganizationMember.objects.get(organization=organization)
    typed = {"models_access": "full", "weave_access": "none"}
    viewer = built_in(Preset.ORGANIZATION_VIEWER).pk
    assert "last admin" in act(operator, chief, "change", role=viewer, **typed)
    act(operator, chief, "change", role=chief.role_id, **typed)
    chief.refresh_from_db()
    assert chief.weave_access == "none"
    assert "last admin" in act(operator, chief, "remove")


def test_invitations_are_made_sent_again_and_revoked(operator: Client):
    """TEAM-3."""
    team = TeamFactory()
    act(operator, team, "invite", who="new@example.com", role=built_in(Preset.MEMBER).pk)
    row = Invitation.objects.get()
    assert "less than a minute ago" in act(operator, row, "resend")
    act(operator, row, "revoke")
    row.refresh_from_db()
    assert row.state == "revoked"
    assert said("team.revoke_invitation")


def test_many_invitations_are_revoked_at_once(operator: Client):
    """TEAM-3."""
    team = TeamFactory()
    rows = [
        invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email=f"{name}@example.com")
        for name in "abc"
    ]
    chosen = {"action": "revoke", "_selected_action": [row.pk for row in rows]}
    page = operator.post(reverse("admin:teams_invitation_changelist"), chosen, follow=True)
    assert "Revoke invitation: 3 done." in page.content.decode()
    assert not Invitation.objects.pending().exists()


def test_teams_and_projects_are_deleted_and_come_back(operator: Client):
    """TEAM-21."""
    project = ProjectFactory()
    assert "Type the team" in act(operator, project.team, "delete", typed="other")
    act(operator, project.team, "delete", typed=project.team.name)
    assert not Project.objects.live().exists()
    act(operator, project.team, "restore")
    act(operator, project, "delete")
    assert not Project.objects.live().exists()
    act(operator, project, "restore")
    act(operator, project, "visibility", visibility="public")
    assert Project.objects.live().get().visibility == Visibility.PUBLIC
    assert said("project.change_visibility")


def test_group_mappings_are_audited(operator: Client):
    """ACC-21."""
    team = TeamFactory()
    typed = {"provider": "okta", "group": "ml", "team": team.pk, "role": built_in(Preset.MEMBER).pk}
    operator.post(reverse("admin:teams_groupmapping_add"), typed)
    row = GroupMapping.objects.get()
    operator.post(reverse("admin:teams_groupmapping_delete", args=[row.pk]), {"post": "yes"})
    assert said("group_mapping.save")
    assert said("group_mapping.delete")


def test_roles_lead_to_where_they_are_edited(operator: Client):
    """TEAM-20: built-in ones follow the code, custom ones are their organization's."""
    role = built_in(Preset.MEMBER)
    page = operator.get(reverse("admin:teams_role_change", args=[role.pk])).content.decode()
    assert "Built in" in page
    assert operator.post(reverse("admin:teams_role_change", args=[role.pk]), {"name": "x"}).status_code == 403


def test_a_member_is_no_operator(client: Client):
    """TEAM-21."""
    team = TeamFactory()
    client.force_login(make_member(team, Preset.ADMIN))
    path = reverse("admin:teams_team_act", args=[team.pk, "delete"])
    assert client.post(path, {"typed": team.name}, headers={"Accept": "text/html"}).status_code == 403
    team.refresh_from_db()
    assert team.deleted_at is None
