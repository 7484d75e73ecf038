"""Invitations to an organization alone, and those to its teams in its list of members (TEAM-3)."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from common.errors import Conflict, Forbidden, Gone, Invalid
from teams.invitations import answering
from teams.invitations import services as invitations
from teams.invitations.mail import hash_of
from teams.members.services import add_member
from teams.models import Invitation, InvitationState, Membership, Organization, OrganizationMember
from teams.organizations.services import add_to_organization
from teams.roles.builtin import built_in
from teams.tests.visiting import as_user, organization, said, team, text_of
from tests.factories import UserFactory, actor
from tests.rest.test_rest import Caller

__all__ = ["as_user", "organization", "team"]  # fixtures
pytestmark = pytest.mark.django_db
VIEWER, MEMBER = Preset.ORGANIZATION_VIEWER, Preset.ORGANIZATION_MEMBER


@pytest.fixture
def chief(organization: Organization) -> User:
    return User.objects.get(username="chief")


@pytest.fixture
def guest() -> User:
    return UserFactory(username="guest")


def invite(chief: User, organization: Organization, role: Preset = VIEWER, **who: str) -> Invitation:
    return invitations.invite_to_organization(
        actor=actor(chief), organization=organization, role=built_in(role), **who
    )


def test_the_invited_joins_with_the_role_and_without_a_team(organization, chief, guest):
    row = invite(chief, organization, username="guest")
    answering.accept_invitation(actor=actor(guest), number=row.pk)
    place = OrganizationMember.objects.get(organization=organization, user=guest)
    assert place.role.preset == VIEWER
    assert not Membership.objects.filter(user=guest, team__organization=organization).exists()


def test_the_mailed_link_opens_a_page_and_leads_to_the_organization(organization, chief, guest, client):
    invite(chief, organization, username="guest")
    Invitation.objects.update(token_hash=hash_of("t"))
    client.force_login(guest)
    assert "invites you to the organization acme, with the role Viewer" in text_of(
        client.get("/invitations/t")
    )
    assert client.post("/invitations/t/accept").headers["Location"] == "/acme"


def test_the_mail_says_which_organization(organization, chief, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        invite(chief, organization, email="new@example.com")
    assert "chief invites you to acme" in mail.outbox[0].subject
    assert "to the organization acme" in mail.outbox[0].body


def test_who_belongs_to_it_is_not_invited(organization, chief, guest):
    add_to_organization(actor=actor(chief), organization=organization, user=guest, role=built_in(MEMBER))
    with pytest.raises(Conflict, match="already"):
        invite(chief, organization, username="guest")


def test_only_admins_of_the_organization_invite_and_only_with_its_roles(organization, team, chief):
    with pytest.raises(Forbidden):
        invite(User.objects.get(username="ada"), organization, email="new@example.com")
    with pytest.raises(Invalid, match="team role"):
        invite(chief, organization, Preset.MEMBER, email="new@example.com")


@pytest.mark.parametrize("by_team", [True, False])
def test_whoever_comes_in_another_way_has_answered_it(organization, team, chief, guest, by_team):
    row = invite(chief, organization, username="guest")
    if by_team:
        add_member(actor=SYSTEM, team=team, user=guest, role=built_in(Preset.MEMBER))
    else:
        add_to_organization(actor=SYSTEM, organization=organization, user=guest, role=built_in(MEMBER))
    row.refresh_from_db()
    assert row.state == InvitationState.ACCEPTED


def test_the_list_of_members_sends_again_and_takes_back(organization, team, chief, as_user):
    alone = invite(chief, organization, email="new@example.com")
    of_team = invitations.invite(
        actor=actor(chief), team=team, role=built_in(Preset.MEMBER), email="other@example.com"
    )
    page = text_of(as_user("chief", "/organizations/acme"))
    assert page.count('action="/organizations/acme/revoke"') == 2
    Invitation.objects.update(last_sent_at=timezone.now() - timedelta(minutes=2))
    resent = as_user("chief", "/organizations/acme/resend", {"invitation": alone.pk})
    assert "A new link was sent" in said(resent)[0]
    as_user("chief", "/organizations/acme/revoke", {"invitation": of_team.pk})
    assert not Invitation.objects.pending().filter(pk=of_team.pk).exists()
    with pytest.raises(Gone):
        invitations.resend_invitation(actor=actor(chief), invitation=of_team)


def test_the_form_without_a_team_invites_to_the_organization(organization, team, chief, as_user):
    role = built_in(VIEWER)
    shown = as_user("chief", "/organizations/acme/invite", {"people": "new@example.com", "role": role.pk})
    assert re.search("new@example.com", text_of(shown))
    row = Invitation.objects.get()
    assert (row.organization, row.team, row.role) == (organization, None, role)


def test_rest_invites_lists_sends_again_and_takes_back(organization, team, chief, guest):
    ask = Caller(chief)
    made = ask("POST", "organizations/acme/invitations/", {"people": ["guest"], "role": "viewer"})
    assert made.status_code == 201
    row = ask("GET", "organizations/acme/invitations/").json()["results"][0]
    assert (row["organization"], row["team"], row["role"]) == ("acme", None, "viewer")
    assert (
        ask("POST", f"organizations/acme/invitations/{row['id']}/resend/").status_code == 409
    )  # within a minute
    assert Caller(guest)("POST", f"invitations/{row['id']}/accept/").json()["role"] == "viewer"
    ask("POST", "organizations/acme/invitations/", {"people": ["new@example.com"]})
    row = ask("GET", "organizations/acme/invitations/").json()["results"][0]
    assert ask("DELETE", f"organizations/acme/invitations/{row['id']}/").status_code == 204
    assert ask("GET", "organizations/acme/invitations/").json()["results"] == []
