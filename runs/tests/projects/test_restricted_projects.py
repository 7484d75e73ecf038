"""Restricted projects: who is in them, who asks to be, and who can always let people in (TEAM-24, TEAM-21)."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import can, who_may
from access.models import AuditEntry
from accounts.models import User
from common.errors import Invalid
from runs.access import ProjectAction, RunAction
from runs.models import Project, ProjectAccessRequest, ProjectMember
from runs.projects import access_requests, members
from runs.projects import services as projects
from teams.members.services import remove_member
from teams.models import Membership, Team, Visibility
from teams.roles.builtin import built_in
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db
PATH = ["vision", "quartz"]
HTML = {"Accept": "text/html"}


@pytest.fixture
def team() -> Team:
    organization = OrganizationFactory(name="acme", admin=UserFactory(username="chief"))
    return TeamFactory(name="vision", organization=organization, admin=UserFactory(username="ada"))


@pytest.fixture
def people(team: Team) -> dict[str, User]:
    """Ada and the chief manage the team; bob and cleo are members of it."""
    made = {name: make_member(team, username=name) for name in ("bob", "cleo")}
    return made | {name: User.objects.get(username=name) for name in ("ada", "chief")}


@pytest.fixture
def secret(team: Team, people: dict[str, User]) -> Project:
    """Ada's restricted project, with nobody else in it."""
    return projects.create_project(
        actor=actor(people["ada"]), team=team, name="quartz", visibility=Visibility.RESTRICTED
    )


def sees(user: User, project: Project) -> bool:
    return can(actor(user), ProjectAction.VIEW, project)


def act(client: Client, name: str, **typed: Any) -> str:
    url = reverse("runs:project_members_act", args=[*PATH, name])
    return client.post(url, typed, headers=HTML, follow=True).content.decode()


@pytest.mark.parametrize("way", ["page", "rest", "graphql", "created"])
@pytest.mark.parametrize("who", ["ada", "chief"])
def test_whoever_restricts_a_project_stays_in_it(client, team, people, who, way):
    """TEAM-24, the review's defect 1 and L10: by each interface, as an admin of the team or of its organization."""
    auth = {"Authorization": basic(make_key(people[who]))}
    client.force_login(people[who])
    if way != "created":
        ProjectFactory(team=team, name="quartz")
    if way == "page":
        url = reverse("runs:project_visibility", args=PATH)
        reply = client.post(url, {"visibility": "restricted"}, headers=HTML, follow=True)
        assert reply.status_code == 200
        assert reply.redirect_chain[-1][0] == reverse("runs:project_members", args=PATH)
        assert "The project is now Restricted." in reply.content.decode()
    elif way == "rest":
        body = {"visibility": "restricted"}
        url = f"/api/v1/projects/{Project.objects.get(name='quartz').pk}/"
        assert client.patch(url, body, "application/json", headers=auth).status_code == 200
    elif way == "graphql":
        query = "mutation($i: UpsertModelInput!) { upsertModel(input: $i) { project { id } } }"
        given = {"i": {"entityName": "vision", "name": "quartz", "access": "RESTRICTED"}}
        reply = client.post(
            "/graphql", {"query": query, "variables": given}, "application/json", headers=auth
        )
        assert "errors" not in reply.json()
    else:
        body = {"entity": "vision", "name": "quartz", "visibility": "restricted"}
        assert client.post("/api/v1/projects/", body, "application/json", headers=auth).status_code == 201
    row = Project.objects.get(name="quartz")
    assert row.visibility == Visibility.RESTRICTED
    assert sees(people[who], row)
    assert can(actor(people[who]), RunAction.LOG, row)
    assert not sees(people["bob"], row)
    assert [member.role.preset for member in row.members.all()] == [Preset.ADMIN]
    entry = AuditEntry.objects.get(action=ProjectAction.MANAGE_MEMBERS)
    assert (entry.actor_name, entry.after) == (who, {"user": who, "role": "Admin"})


def test_who_restricts_keeps_the_role_they_have_in_the_team(team, people):
    """TEAM-24: a member makes one by REST and is a member there; a former invitation gives way to the team's role."""
    project = projects.create_project(
        actor=actor(people["bob"]), team=team, name="mine", visibility=Visibility.RESTRICTED
    )
    assert ProjectMember.objects.get(project=project).role == built_in(Preset.MEMBER)
    members.add_project_member(
        actor=SYSTEM, project=project, user=people["ada"], role=built_in(Preset.VIEW_ONLY)
    )
    projects.change_visibility(actor=SYSTEM, project=project, visibility=Visibility.TEAM)
    projects.change_visibility(actor=actor(people["ada"]), project=project, visibility=Visibility.RESTRICTED)
    assert ProjectMember.objects.get(project=project, user=people["ada"]).role == built_in(Preset.ADMIN)


def test_an_admin_of_the_organization_counts_only_as_long_as_they_are_one(team, people, secret):
    """TEAM-21: O is in every team of the organization; one who is no more has lost the project, too."""
    chief = people["chief"]
    members.add_project_member(actor=SYSTEM, project=secret, user=chief, role=built_in(Preset.MEMBER))
    assert sees(chief, secret)
    assert chief in who_may(ProjectAction.VIEW, secret)
    chief.organization_memberships.update(role=built_in(Preset.ORGANIZATION_MEMBER))
    assert not sees(chief, secret)
    assert chief not in who_may(ProjectAction.VIEW, secret)


def test_the_form_warns_who_loses_access_and_does_not_offer_restricted_first(client, team, people):
    """The review's defect 1: "it is the first choice, without a warning"."""
    ProjectFactory(team=team, name="quartz")
    ServiceAccountFactory(team=team, label="bot")
    client.force_login(people["ada"])
    shown = client.get(reverse("runs:project_settings", args=PATH)).content.decode()
    assert re.findall(r'name="visibility" value="(\w+)"', shown) == ["team", "restricted", "public", "open"]
    assert "You keep your access." in shown
    assert "lose access until you invite them: 3 people, 1 service account." in shown  # bob, cleo, chief


def test_members_are_found_added_given_roles_and_removed_on_the_page(
    client, team, people, secret, django_capture_on_commit_callbacks
):
    """TEAM-21 "members of a restricted project": without JavaScript, audited, and who is added gets a mail."""
    bot = ServiceAccountFactory(team=team, label="bot").user
    client.force_login(people["ada"])
    found = client.get(reverse("runs:project_members", args=PATH), {"q": "bo"}).content.decode()
    assert f'name="user" value="{people["bob"].pk}"' in found
    assert f'name="user" value="{bot.pk}"' in found
    assert f'name="user" value="{people["cleo"].pk}"' not in found
    viewer, member = built_in(Preset.VIEW_ONLY), built_in(Preset.MEMBER)
    with django_capture_on_commit_callbacks(execute=True):
        act(client, "add", user=people["bob"].pk, role=viewer.pk)
    assert sees(people["bob"], secret)
    assert not can(actor(people["bob"]), RunAction.LOG, secret)
    assert [(message.to, message.subject) for message in mail.outbox] == [
        ([people["bob"].email], "You now have access to vision/quartz")
    ]
    act(client, "add", user=bot.pk, role=member.pk)
    assert can(actor(bot), RunAction.LOG, secret)
    row = ProjectMember.objects.get(user=people["bob"])
    act(client, "role", member=row.pk, role=member.pk)
    assert can(actor(people["bob"]), RunAction.LOG, secret)
    act(client, "remove", member=row.pk)
    assert not sees(people["bob"], secret)
    told = AuditEntry.objects.filter(action=ProjectAction.MANAGE_MEMBERS, after__user="bob").order_by("pk")
    assert [(entry.before, entry.after["role"]) for entry in told] == [
        ({}, "View-only"), ({"user": "bob", "role": "View-only"}, "Member"),
    ]  # fmt: skip


def test_who_is_in_it_sees_the_others_and_cannot_change_them(client, people, secret):
    """TEAM-11, as in the list of a team: members see the list alone."""
    members.add_project_member(actor=SYSTEM, project=secret, user=people["bob"], role=built_in(Preset.MEMBER))
    client.force_login(people["bob"])
    shown = client.get(reverse("runs:project_members", args=PATH)).content.decode()
    assert "ada" in shown
    assert "members/add" not in shown
    url = reverse("runs:project_members_act", args=[*PATH, "add"])
    assert client.post(url, {"user": people["cleo"].pk}, headers=HTML).status_code == 403


def test_the_page_asks_a_fixed_number_of_questions(
    client, team, people, secret, django_assert_max_num_queries
):
    for number in range(8):
        user = make_member(team, username=f"user{number}")
        if number % 2:
            members.add_project_member(actor=SYSTEM, project=secret, user=user, role=built_in(Preset.MEMBER))
        else:
            ProjectAccessRequest.objects.create(project=secret, user=user)
    client.force_login(people["ada"])
    with django_assert_max_num_queries(34):
        client.get(reverse("runs:project_members", args=PATH))


@pytest.mark.parametrize("who", ["ada", "chief"])
def test_admins_repair_a_project_in_which_nobody_is_left(
    client, team, people, who, django_capture_on_commit_callbacks
):
    """TEAM-21: its only member left the team; admins find it by name, let people in, and may open it."""
    olga = make_member(team, Preset.ADMIN, username="olga")
    secret = projects.create_project(
        actor=actor(olga), team=team, name="quartz", visibility=Visibility.RESTRICTED
    )
    remove_member(actor=SYSTEM, membership=Membership.objects.get(user=olga, team=team))
    client.force_login(people[who])
    assert client.get(reverse("runs:project_overview", args=PATH), headers=HTML).status_code == 404
    listed = client.get(reverse("runs:restricted_projects", args=["vision"])).content.decode()
    assert reverse("runs:project_members", args=PATH) in listed
    assert "0 members" in listed
    assert (
        "No one is in this project."
        in client.get(reverse("runs:project_members", args=PATH)).content.decode()
    )
    with django_capture_on_commit_callbacks(execute=True):
        act(client, "add", user=people["bob"].pk, role=built_in(Preset.MEMBER).pk)
    mail.outbox.clear()
    with django_capture_on_commit_callbacks(execute=True):
        act(client, "add", user=people[who].pk, role=built_in(Preset.ADMIN).pk)
    assert sees(people[who], secret)
    assert [(message.to, message.subject) for message in mail.outbox] == [
        ([people["bob"].email], f"{who} now has access to vision/quartz")
    ]
    assert AuditEntry.objects.filter(action=ProjectAction.MANAGE_MEMBERS, actor_name=who).count() == 2


def test_admins_open_a_restricted_project_that_they_do_not_see(client, people, secret):
    """TEAM-21; the page after it is one that they see."""
    client.force_login(people["chief"])
    url = reverse("runs:project_visibility", args=PATH)
    reply = client.post(url, {"visibility": "team"}, headers=HTML, follow=True)
    assert reply.status_code == 200
    assert reply.redirect_chain[-1][0] == reverse("runs:project_settings", args=PATH)


def test_operators_let_somebody_in_by_the_admin(client, people, secret):
    """TEAM-21: audited as any other invitation."""
    client.force_login(UserFactory(username="boss", is_operator=True))
    url = reverse("admin:runs_project_act", args=[secret.pk, "invite"])
    typed = {"username": "bob", "role": built_in(Preset.MEMBER).pk}
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": timezone.now().timestamp()}]
    session.save()
    client.post(url, typed)
    assert sees(people["bob"], secret)
    assert AuditEntry.objects.get(action=ProjectAction.MANAGE_MEMBERS, after__user="bob").actor_name == "boss"
    assert (
        "The team has no member with this name"
        in client.post(url, typed | {"username": "far"}).content.decode()
    )


def _without_names(reply: Any, name: str) -> tuple[int, str]:
    """Return a reply with what differs between any two pages taken out: the name asked for, tokens and nonces."""
    text = reply.content.decode().replace(name, "NAME")
    return reply.status_code, re.sub(r'(nonce|value|data-csrf)="[^"]{20,}"', "", text)


@pytest.mark.parametrize(
    "route", ["runs:project_overview", "metrics:workspace", "runs:runs", "runs:request_access"]
)
def test_a_hidden_project_and_a_missing_one_look_the_same_to_the_team(client, people, secret, route):
    """TEAM-24: every byte but the name; both offer to request access."""
    client.force_login(people["bob"])
    replies = [
        _without_names(client.get(reverse(route, args=["vision", name]), headers=HTML), name)
        for name in ("quartz", "gypsum")
    ]
    assert replies[0] == replies[1]
    assert "Request access" in replies[0][1]


def test_asking_for_access_is_answered_the_same_whether_or_not_there_is_a_project(
    client, people, secret, django_capture_on_commit_callbacks
):
    """TEAM-24: page and REST; only what is there reaches those who manage it, and only once."""
    bob = people["bob"]
    auth = {"Authorization": basic(make_key(bob))}
    client.force_login(bob)
    by_page, by_rest = [], []
    for name in ("quartz", "gypsum", "quartz", "gypsum"):
        with django_capture_on_commit_callbacks(execute=True):
            url = reverse("runs:request_access", args=["vision", name])
            by_page.append(_without_names(client.post(url, headers=HTML, follow=True), name))
            body = {"entity": "vision", "project": name}
            reply = client.post("/api/v1/access-requests/", body, "application/json", headers=auth)
            by_rest.append((reply.status_code, reply.content))
    assert by_page[0] == by_page[1]
    assert by_page[2] == by_page[3]
    assert by_rest[0][0] == 202
    assert len(set(by_rest)) == 1
    assert [row.user for row in ProjectAccessRequest.objects.filter(project=secret)] == [bob]
    assert [(message.to, message.subject) for message in mail.outbox] == [
        ([people["ada"].email], "bob requests access to vision/quartz")
    ]
    written = AuditEntry.objects.filter(action="project.request_access").values_list("object_type", flat=True)
    assert set(written) == {"teams.Team"}


def test_strangers_are_offered_nothing(client, team, secret):
    """TEAM-24: nor told that there is such a team."""
    client.force_login(UserFactory())
    for page in ("runs:project_overview", "runs:request_access"):
        reply = client.get(reverse(page, args=PATH), headers=HTML)
        assert reply.status_code == 404
        assert "Request access" not in reply.content.decode()


def test_a_missing_run_of_a_project_that_one_sees_offers_no_request(client, team, people):
    ProjectFactory(team=team, name="shown")
    client.force_login(people["bob"])
    reply = client.get(reverse("runs:run_overview", args=["vision", "shown", "none"]), headers=HTML)
    assert reply.status_code == 404
    assert "Request access" not in reply.content.decode()


def _asked(user: User, project: Project) -> ProjectAccessRequest:
    access_requests.store_request(team_id=project.team_id, name=project.name, user_id=user.pk)
    return ProjectAccessRequest.objects.get(project=project, user=user)


def test_a_request_is_approved_or_declined(client, people, secret, django_capture_on_commit_callbacks):
    """TEAM-24: who is declined hears nothing, since that would tell that the project is there."""
    requests = {name: _asked(people[name], secret) for name in ("bob", "cleo")}
    mail.outbox.clear()
    client.force_login(people["ada"])
    shown = client.get(reverse("runs:project_members", args=PATH)).content.decode()
    assert "Requests for access" in shown
    with django_capture_on_commit_callbacks(execute=True):
        act(client, "decline", request=requests["cleo"].pk)
    assert not mail.outbox
    with django_capture_on_commit_callbacks(execute=True):
        act(client, "add", user=people["bob"].pk, role=built_in(Preset.MEMBER).pk)
    assert [message.to for message in mail.outbox] == [[people["bob"].email]]
    assert not ProjectAccessRequest.objects.exists()
    assert sees(people["bob"], secret)
    assert not sees(people["cleo"], secret)
    assert AuditEntry.objects.get(action="project.decline_request").before == {"user": "cleo"}


def test_requests_are_listed_and_declined_by_rest(client, people, secret):
    """TEAM-24."""
    _asked(people["bob"], secret)
    url = f"/api/v1/projects/{secret.pk}/access-requests/"
    auth = {"Authorization": basic(make_key(people["chief"]))}
    assert [row["username"] for row in client.get(url, headers=auth).json()["results"]] == ["bob"]
    listed = client.get("/api/v1/restricted-projects/", {"entity": "vision"}, headers=auth).json()["results"]
    assert listed == [{"id": secret.pk, "entity": "vision", "name": "quartz", "members": 1, "requests": 1}]
    assert client.delete(f"{url}bob/", headers=auth).status_code == 204
    assert client.delete(f"{url}bob/", headers=auth).status_code == 404


def test_requests_reach_the_admins_where_nobody_inside_decides(
    team, people, django_capture_on_commit_callbacks
):
    """TEAM-24: a project that a plain member made restricted."""
    secret = projects.create_project(
        actor=actor(people["cleo"]), team=team, name="quartz", visibility=Visibility.RESTRICTED
    )
    with django_capture_on_commit_callbacks(execute=True):
        _asked(people["bob"], secret)
    assert {message.to[0] for message in mail.outbox} == {people["ada"].email, people["chief"].email}


def test_requests_end_with_the_restriction_and_with_the_membership(client, team, people, secret):
    """TEAM-24: who left the team asks no more; an open project has nobody to ask."""
    _asked(people["bob"], secret)
    _asked(people["cleo"], secret)
    remove_member(actor=SYSTEM, membership=Membership.objects.get(user=people["bob"], team=team))
    assert [row.user for row in members.open_requests(secret)] == [people["cleo"]]
    projects.change_visibility(actor=actor(people["ada"]), project=secret, visibility=Visibility.TEAM)
    assert not ProjectAccessRequest.objects.exists()


def test_only_who_may_be_in_the_team_can_be_added(people, secret):
    with pytest.raises(Invalid, match="is not a member of vision"):
        members.add_project_member(
            actor=actor(people["ada"]), project=secret, user=UserFactory(), role=built_in(Preset.MEMBER)
        )


def test_who_takes_themselves_out_lands_on_a_page_that_they_see(client, people, secret):
    """The review's defect 1: no word of success on a page that is not there."""
    client.force_login(people["bob"])
    url = reverse("runs:project_members_act", args=[*PATH, "remove"])
    row = members.add_project_member(
        actor=SYSTEM, project=secret, user=people["bob"], role=built_in(Preset.ADMIN)
    )
    reply = client.post(url, {"member": row.pk}, headers=HTML, follow=True)
    assert reply.redirect_chain[-1][0] == reverse("runs:entity", args=["vision"])
    assert reply.status_code == 200
    assert "bob no longer has access." in reply.content.decode()
