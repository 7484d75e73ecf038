"""TEAM-20: the pages on which roles are defined, read and given, asked as a browser asks."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from runs.access import RunAction
from runs.projects.members import add_project_member
from teams.invitations.services import invite
from teams.models import Invitation, Organization, Role, Team
from teams.plan_policy import plan_policy
from teams.roles import custom
from teams.roles.builtin import built_in
from teams.roles.custom import RoleFields
from teams.tests.visiting import as_user, organization, place_of, said, team, text_of
from tests.factories import ProjectFactory, ServiceAccountFactory, basic, make_key, make_member

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db
ROLES = "/organizations/acme/roles"
FRAGMENT = {"headers": {"Accept": "text/html", "HX-Request": "true"}}


@pytest.fixture
def labeler(organization: Organization) -> Role:
    fields = RoleFields("Labeler", Preset.VIEW_ONLY, frozenset({RunAction.UPDATE}), "Tags runs")
    return custom.create_role(actor=SYSTEM, organization=organization, fields=fields)


def _box(page: str, action: str) -> str:
    found = re.search(rf'<input[^>]*id="action-{re.escape(action)}"[^>]*>', page)
    assert found is not None, action
    return found.group()


class TestList:
    def test_shows_what_roles_add_and_how_many_hold_them(self, team: Team, labeler: Role, as_user: Any):
        make_member(team, labeler)
        page = text_of(as_user("chief", ROLES))
        assert "Tags runs" in page
        assert "Edit runs" in page
        assert "assigned to 1" in page
        assert "Built-in roles" in page

    def test_is_empty_at_first_and_says_what_roles_are_for(self, organization: Organization, as_user: Any):
        assert "No custom roles yet" in text_of(as_user("chief", ROLES))

    def test_says_when_the_plan_has_none(self, labeler: Role, as_user: Any, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(
            plan_policy(), "has_feature", lambda _organization, feature: feature != "custom_roles"
        )
        page = text_of(as_user("chief", ROLES))
        assert "The plan of acme does not include custom roles" in page
        assert "New role" not in page

    def test_costs_the_same_however_many_roles_there_are(
        self, team: Team, labeler: Role, organization: Organization, as_user: Any
    ):
        def cost(path: str) -> int:
            with CaptureQueriesContext(connection) as asked:
                assert as_user("chief", path).status_code == 200
            return len(asked)

        paths = (ROLES, f"{ROLES}/{labeler.pk}", f"/teams/vision/roles?role={labeler.pk}", "/teams/vision")
        cost(ROLES)  # the first page of a session keeps it
        before = [cost(path) for path in paths]
        for number in range(4):
            fields = RoleFields(
                f"role {number}", Preset.MEMBER, frozenset({RunAction.STOP, RunAction.DELETE})
            )
            role = custom.create_role(actor=SYSTEM, organization=organization, fields=fields)
            make_member(team, role)
        assert [cost(path) for path in paths] == before


class TestEditor:
    def test_shows_what_the_base_gives_fixed(self, organization: Organization, as_user: Any):
        page = text_of(as_user("chief", f"{ROLES}/new"))
        given, free = _box(page, "run.view"), _box(page, "run.update")
        assert "checked" in given
        assert "disabled" in given
        assert "name=" not in given
        assert "checked" not in free
        assert "team.delete" not in page

    def test_another_base_updates_the_actions_and_keeps_what_is_ticked(
        self, organization: Organization, as_user: Any
    ):
        part = text_of(as_user("chief", f"{ROLES}/new?base=M&action=run.stop&action=run.update", **FRAGMENT))
        assert "<html" not in part
        assert "disabled" in _box(part, "run.update")
        assert "checked" in _box(part, "run.stop")

    def test_searches_and_keeps_what_it_does_not_show(self, organization: Organization, as_user: Any):
        part = text_of(as_user("chief", f"{ROLES}/new?base=V&action=run.stop&q=tags+name", **FRAGMENT))
        shown = re.search(r'<div class="action-line[^"]*" ?>(?:(?!action-line).)*action-run\.update', part)
        assert shown, "Edit runs is found by its explanation"
        assert re.search(r'<div class="action-line[^"]*" hidden>(?:(?!action-line).)*action-run\.stop"', part)
        assert "checked" in _box(part, "run.stop")
        assert "No matching permissions" in text_of(as_user("chief", f"{ROLES}/new?base=V&q=zzz", **FRAGMENT))

    def test_makes_and_changes_a_role(self, organization: Organization, as_user: Any):
        typed = {"name": "Labeler", "description": "Tags", "base": "V", "action": ["run.update", "run.view"]}
        assert as_user("chief", f"{ROLES}/new", typed).status_code == 302
        role = Role.objects.get(name="Labeler")
        assert custom.added_by(role) == {"run.update"}
        path = f"{ROLES}/{role.pk}"
        assert "checked" in _box(text_of(as_user("chief", path)), "run.update")
        as_user("chief", path, {**typed, "base": "M", "action": ["run.stop"]})
        role.refresh_from_db()
        assert custom.added_by(Role.objects.get(pk=role.pk)) == {"run.stop"}

    def test_a_refusal_keeps_what_was_typed(self, labeler: Role, as_user: Any):
        typed = {"name": "labeler", "base": "M", "action": ["run.stop"]}
        response = as_user("chief", f"{ROLES}/new", typed)
        page = text_of(response)
        assert response.status_code == 422
        assert "already has a role named “labeler”" in page
        assert "checked" in _box(page, "run.stop")

    def test_a_role_of_elsewhere_is_not_found(self, organization: Organization, as_user: Any):
        assert as_user("chief", f"{ROLES}/{built_in(Preset.MEMBER).pk}").status_code == 404


class TestDelete:
    def test_says_who_holds_it_and_what_becomes_of_them(self, team: Team, labeler: Role, as_user: Any):
        lea = make_member(team, labeler, username="lea")
        project = ProjectFactory(team=team, visibility="restricted")
        add_project_member(actor=SYSTEM, project=project, user=lea, role=labeler)
        ServiceAccountFactory(organization=team.organization, label="nightly", role=labeler)
        invite(actor=SYSTEM, team=team, role=labeler, email="new@example.com")
        path = f"{ROLES}/{labeler.pk}/delete"
        page = text_of(as_user("chief", path))
        for words in ("becomes <strong>View-only</strong>", "1 member of vision: lea", "1 service account: nightly",
                      "1 pending invitation", "members of restricted projects: 1"):  # fmt: skip
            assert words in page
        assert "is in use" in said(as_user("chief", path, {}))[0]
        assert as_user("chief", path, {"confirm": "1"}).status_code == 302
        assert place_of("lea").role == built_in(Preset.VIEW_ONLY)


class TestGiving:
    """Custom roles are offered by their base wherever a role is chosen."""

    OFFER = re.compile(r'<optgroup label="Based on View-only"> <option [^>]*>Labeler</option> </optgroup>')

    def test_the_members_page_gives_it(self, team: Team, labeler: Role, as_user: Any):
        row = make_member(team, username="bob").memberships.get(team=team)
        assert self.OFFER.search(text_of(as_user("ada", "/teams/vision")))
        as_user("ada", "/teams/vision/role", {"member": row.pk, "role": labeler.pk})
        assert place_of("bob").role == labeler

    def test_the_invite_page_gives_it(self, team: Team, labeler: Role, as_user: Any):
        assert self.OFFER.search(text_of(as_user("ada", "/teams/vision/invite")))
        as_user("ada", "/teams/vision/invite", {"people": "new@example.com", "role": labeler.pk})
        assert Invitation.objects.get().role == labeler

    def test_the_organizations_invite_page_gives_it(self, team: Team, labeler: Role, as_user: Any):
        path = "/organizations/acme/invite"
        assert self.OFFER.search(text_of(as_user("chief", path)))
        as_user("chief", path, {"people": "new@example.com", f"role-{team.pk}": labeler.pk})
        assert Invitation.objects.get().role == labeler

    def test_a_role_of_another_organization_is_none(self, team: Team, as_user: Any):
        other = custom.create_role(
            actor=SYSTEM,
            organization=Organization.objects.exclude(name="acme").first() or _other(),
            fields=RoleFields("Theirs", Preset.MEMBER, frozenset()),
        )
        row = make_member(team, username="bob").memberships.get(team=team)
        assert "Theirs" not in text_of(as_user("ada", "/teams/vision"))
        assert (
            "Choose a role"
            in said(as_user("ada", "/teams/vision/role", {"member": row.pk, "role": other.pk}))[0]
        )

    def test_a_page_says_what_each_role_may(self, team: Team, labeler: Role, as_user: Any):
        make_member(team, labeler, username="lea")
        page = text_of(as_user("lea", "/teams/vision/roles"))
        assert "Your role" in page
        assert re.search(
            r'check-yes"> (?:(?!</li>).)*Edit runs</strong> <span class="tag tag-success">added', page
        )
        assert re.search(r'check-no"> (?:(?!</li>).)*Log runs</strong>', page)
        admin = built_in(Preset.ADMIN).pk
        assert "check-no" not in text_of(as_user("lea", f"/teams/vision/roles?role={admin}", **FRAGMENT))


def _other() -> Organization:
    from tests.factories import OrganizationFactory

    made: Organization = OrganizationFactory(name="globex")
    return made


class TestRest:
    @pytest.fixture
    def ask(self, client: Client) -> Any:
        def ask(who: str, method: str, path: str, body: Any = None) -> Any:
            from accounts.models import User

            headers = {"Authorization": basic(make_key(User.objects.get(username=who)))}
            return client.generic(
                method, f"/api/v1/{path}", b"" if body is None else _json(body),
                content_type="application/json", headers=headers,
            )  # fmt: skip

        return ask

    def test_defines_changes_and_deletes(self, organization: Organization, team: Team, ask: Any):
        made = ask(
            "chief",
            "POST",
            "organizations/acme/roles",
            {"name": "L", "base": "view-only", "adds": ["run.log"]},
        )
        assert made.status_code == 201
        role = made.json()
        assert (role["base"], role["adds"], role["holders"]) == ("view-only", ["run.log"], 0)
        assert set(role["actions"]) > {"run.view", "run.log"}
        path = f"organizations/acme/roles/{role['id']}"
        assert ask("chief", "PATCH", path, {"base": "member"}).json()["adds"] == []
        assert (
            ask("chief", "PUT", path, {"name": "M", "base": "member", "adds": ["run.stop"]}).json()["name"]
            == "M"
        )
        make_member(team, Role.objects.get(pk=role["id"]), username="lea")
        assert ask("chief", "GET", path).json()["holders"] == 1
        refused = ask("chief", "DELETE", path)
        assert refused.status_code == 409
        assert refused.json()["error"]["detail"]["members"] == ["vision/lea"]
        assert ask("chief", "DELETE", f"{path}?confirm=true").json()["members"] == ["vision/lea"]
        assert ask("chief", "GET", path).status_code == 404

    @pytest.mark.parametrize(
        "body", [{}, [], {"name": "x", "base": "admin"}, {"name": "x", "base": "member", "adds": "run.log"},
                 {"name": "x", "base": "member", "adds": ["no.such"]}, {"name": "a\x00b", "base": "member"}],
    )  # fmt: skip
    def test_says_what_is_wrong(self, organization: Organization, ask: Any, body: Any):
        answer = ask("chief", "POST", "organizations/acme/roles", body)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "invalid"

    def test_members_read_them(self, team: Team, labeler: Role, ask: Any):
        make_member(team, username="bob")
        assert [row["name"] for row in ask("bob", "GET", "organizations/acme/roles").json()["results"]] == [
            "Labeler"
        ]
        assert ask("bob", "DELETE", f"organizations/acme/roles/{labeler.pk}").status_code == 403

    def test_the_catalogue_names_every_action(self, client: Client):
        rows = {row["action"]: row for row in client.get("/api/v1/actions/").json()["results"]}
        assert rows["run.stop"]["label"] == "Stop any run"
        assert rows["run.stop"]["can_be_added"] is True
        assert rows["organization.view"]["can_be_added"] is False
        assert rows["run.log"]["roles"] == ["A", "M", "O"]


def _json(body: Any) -> bytes:
    import json

    return json.dumps(body).encode()
