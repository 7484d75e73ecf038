"""Invitations as the SDK's `Team` and `Member` ask for them (TEAM-3, TEAM-4)."""

from typing import Any

import pytest

from access.actions import Preset
from teams.models import Invitation, Team, Visibility
from tests.factories import ProjectFactory, TeamFactory, UserFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Answer, Asker

pytestmark = pytest.mark.django_db

INVITE = """
mutation CreateInvite($entity: String!, $email: String, $username: String, $admin: Boolean) {
  result: createInvite(input: {entityName: $entity, email: $email, username: $username, admin: $admin}) {
    invite { id name email createdAt toUser { name } }
  }
}"""
DELETE = """
mutation DeleteInvite($id: String, $entity: String) {
  result: deleteInvite(input: {id: $id, entityName: $entity}) { success }
}"""
MEMBERS = """
query GetTeamEntity($name: String!) {
  entity(name: $name) { members { id admin pending email username name accountType apiKey } }
}"""
USE = "query Use($name: String!) { entity(name: $name) { members { username } storageBytes } }"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision", admin=UserFactory(username="ada"))


@pytest.fixture
def admin(team: Team) -> Asker:
    return Asker(team.memberships.get().user)


def invite(asker: Asker, **who: Any) -> Answer:
    return asker.ask(INVITE, entity="vision", **who)


def members(asker: Asker) -> list[dict[str, Any]]:
    return list(asker.ask(MEMBERS, name="vision").data["entity"]["members"])


def test_an_address_is_invited_as_a_member(admin: Asker):
    made = invite(admin, email="new@example.com").data["result"]["invite"]
    row = Invitation.objects.get()
    assert row.granted_role.preset == Preset.MEMBER
    assert made == {
        "id": to_id("Invitation", row.pk),
        "name": "new@example.com",
        "email": "new@example.com",
        "createdAt": row.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "toUser": None,
    }


def test_a_user_is_invited_as_an_admin_without_telling_their_address(admin: Asker):
    UserFactory(username="bob")
    made = invite(admin, username="bob", admin=True).data["result"]["invite"]
    assert Invitation.objects.get().granted_role.preset == Preset.ADMIN
    assert (made["name"], made["email"], made["toUser"]) == ("bob", None, {"name": "bob"})


def test_a_member_whom_the_switch_lets_invite_makes_no_admin(team: Team):
    """TEAM-4."""
    Team.objects.update(members_may_invite=True)
    member = Asker(make_member(team))
    answer = invite(member, email="new@example.com", admin=True)
    assert answer.status == 403
    assert "above your own" in answer.messages[0]
    assert invite(member, email="new@example.com").data


def test_the_pending_come_before_members_and_are_shown_to_who_may_invite(team: Team, admin: Asker):
    """Of a service account that it made, the SDK takes the last of the list."""
    member = Asker(make_member(team, username="carl"))
    made = invite(admin, email="new@example.com").data["result"]["invite"]
    shown = members(admin)
    assert [row["name"] for row in shown] == ["new@example.com", "ada", "carl"]
    assert shown[0] == {
        "id": made["id"],
        "admin": False,
        "pending": True,
        "email": "new@example.com",
        "username": None,
        "name": "new@example.com",
        "accountType": "USER",
        "apiKey": None,
    }
    assert [row["name"] for row in members(member)] == ["ada", "carl"]


def test_a_stranger_who_sees_a_public_project_sees_no_members_and_no_use(team: Team, admin: Asker):
    ProjectFactory(team=team, visibility=Visibility.PUBLIC)
    stranger = Asker(UserFactory())
    assert stranger.ask(USE, name="vision").data["entity"] == {"members": [], "storageBytes": None}
    assert admin.ask(USE, name="vision").data["entity"] == {
        "members": [{"username": "ada"}],
        "storageBytes": 0,
    }


def test_one_mutation_takes_back_and_removes(team: Team, admin: Asker):
    make_member(team, username="carl")
    invite(admin, email="new@example.com")
    for row in members(admin):
        if row["username"] != "ada":
            assert admin.ask(DELETE, id=row["id"], entity="vision").data == {"result": {"success": True}}
    assert [row["name"] for row in members(admin)] == ["ada"]


@pytest.mark.parametrize("kind", ["Invitation", "Member", "Run"])
def test_what_is_of_another_team_is_not_found(admin: Asker, kind: str):
    far = TeamFactory()
    role = far.memberships.get().role
    far.invitations.create(email="x@example.com", role=role, base_role=role, expires_at=far.created_at)
    pk = far.invitations.get().pk if kind == "Invitation" else far.memberships.get().pk
    assert admin.ask(DELETE, id=to_id(kind, pk), entity="vision").status == 404
