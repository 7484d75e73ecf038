"""Members of registries and their roles as `wandb.Api()` manages them (TEAM-21)."""

from typing import Any

import pytest

from access.actor import SYSTEM
from artifacts.models import RegistryMember
from artifacts.registries.members import add_members
from tests.factories import TeamFactory, UserFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker
from wandb_api.tests.registries.conftest import Acme

pytestmark = pytest.mark.django_db

MEMBERS = """query M($entity: String = "acme", $project: String = "wandb-registry-shared") {
  project(name: $project, entityName: $entity) { members { id username email role { name } }
    teamMembers { team { name storageBytes members { username } } role { name } } } }"""
ADD = """mutation A($registry: ID!, $users: [ID!], $teams: [ID!]) {
  createProjectMembers(input: {projectId: $registry, userIds: $users, teamIds: $teams}) { success } }"""
REMOVE = ADD.replace("create", "delete")
CHANGE = """mutation C($registry: ID!, $id: ID!, $role: String!) {
  updateProjectMember(input: {projectId: $registry, userId: $id, userProjectRole: $role}) { success } }"""
CHANGE_TEAM = """mutation C($registry: ID!, $id: ID!, $role: String!) {
  updateProjectTeamMember(input: {projectId: $registry, teamId: $id, teamProjectRole: $role}) { success } }"""


def roles_in(acme: Acme) -> dict[str, str]:
    rows = RegistryMember.objects.filter(registry=acme.registry).select_related("user", "team")
    return {str(row.user.username if row.user else row.team): row.role for row in rows}


def user_id(asker: Asker) -> str:
    return to_id("User", asker.user.pk)


def test_a_registry_admin_adds_changes_and_removes_people_and_teams(acme: Acme):
    admin, other = acme.someone("admin", "adam"), acme.someone(name="otto")
    team = to_id("Entity", acme.vision.pk)
    given = {"registry": acme.registry_id, "users": [user_id(other)], "teams": [team]}
    assert admin.ask(ADD, **given).data == {"createProjectMembers": {"success": True}}
    assert roles_in(acme) == {"adam": "admin", "otto": "viewer", "vision": "viewer"}
    assert admin.ask(CHANGE, registry=acme.registry_id, id=user_id(other), role="member").data
    assert admin.ask(CHANGE_TEAM, registry=acme.registry_id, id=team, role="restricted_viewer").data
    assert admin.ask(ADD, **given).data  # who has a role keeps it
    assert roles_in(acme) == {"adam": "admin", "otto": "member", "vision": "restricted_viewer"}
    assert admin.ask(REMOVE, **given).data == {"deleteProjectMembers": {"success": True}}
    assert roles_in(acme) == {"adam": "admin"}
    assert admin.ask(REMOVE, **given).data == {"deleteProjectMembers": {"success": True}}, (
        "who is in none is left out"
    )


def test_members_are_told_to_who_sees_the_registry_and_addresses_to_who_sees_them_elsewhere(acme: Acme):
    admin = acme.someone("admin", "adam")
    far = make_member(acme.vision, username="vera")
    add_members(actor=SYSTEM, registry=acme.registry, users=[far], teams=[acme.vision])
    project = acme.someone().ask(MEMBERS).data["project"]
    assert [(one["username"], one["role"]["name"]) for one in project["members"]] == [
        ("adam", "admin"), ("vera", "viewer"),
    ]  # fmt: skip
    assert [one["email"] for one in project["members"]] == [admin.user.email, None]
    assert project["members"][0]["id"] == user_id(admin)
    [team] = project["teamMembers"]
    assert team == {"team": {"name": "vision", "storageBytes": 0, "members": []}, "role": {"name": "viewer"}}


def test_an_admin_of_the_organization_is_told_all_addresses(acme: Acme, chief: Asker):
    far = acme.someone("viewer")
    assert [one["email"] for one in chief.ask(MEMBERS).data["project"]["members"]] == [far.user.email]


def test_a_project_has_no_members(acme: Acme):
    found = Asker(make_member(acme.vision)).ask(MEMBERS, entity="vision", project="cats").data["project"]
    assert found == {"members": [], "teamMembers": []}


@pytest.mark.parametrize("role", ["", "restricted_viewer", "viewer", "member"])
@pytest.mark.parametrize("known", [True, False])
def test_other_roles_manage_nobody_and_learn_of_no_ids(acme: Acme, role: str, known: bool):
    someone, other = acme.someone(role), acme.someone()
    user, registry = user_id(other) if known else to_id("User", 0), acme.registry_id
    answers = [
        someone.ask(ADD, registry=registry, users=[user]), someone.ask(REMOVE, registry=registry, users=[user]),
        someone.ask(CHANGE, registry=registry, id=user, role="admin"),
        someone.ask(CHANGE_TEAM, registry=registry, id=to_id("Entity", acme.ops.pk), role="admin"),
    ]  # fmt: skip
    assert [answer.status for answer in answers] == [403] * 4


def test_people_and_teams_of_elsewhere_are_as_unknown_ones(acme: Acme):
    admin, stranger, team = acme.someone("admin"), UserFactory(), TeamFactory()
    for kind, pks in (("User", (stranger.pk, 10**9)), ("Entity", (team.pk, 10**9))):
        told = set()
        for pk in pks:
            text = to_id(kind, pk)
            given: dict[str, Any] = {"users" if kind == "User" else "teams": [text]}
            answer = admin.ask(ADD, registry=acme.registry_id, **given)
            told.add((answer.status, answer.messages[0].replace(text, "_")))
        assert len(told) == 1, told
        assert {status for status, _ in told} == {404}


def test_the_last_registry_admin_stays_and_with_them_all_that_were_to_go(acme: Acme):
    admin, other = acme.someone("admin"), acme.someone("viewer")
    answer = admin.ask(REMOVE, registry=acme.registry_id, users=[user_id(other), user_id(admin)])
    assert answer.status == 400
    assert "last registry admin" in answer.messages[0]
    assert len(roles_in(acme)) == 2


def test_what_is_no_role_or_nobody_is_said(acme: Acme):
    admin = acme.someone("admin")
    king = admin.ask(CHANGE, registry=acme.registry_id, id=user_id(admin), role="king")
    assert (king.status, king.messages) == (
        400, ["A role in a registry is one of restricted_viewer, viewer, member, admin, not “king”."],
    )  # fmt: skip
    nobody = admin.ask(CHANGE, registry=acme.registry_id, id=user_id(acme.someone()), role="viewer")
    assert nobody.status == 404
    assert admin.ask(ADD, registry=to_id("Project", 0), users=[]).status == 404
