"""The page of a person or team (ACC-3, TEAM-10): nothing is shown to whoever may not see it."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from accounts.profile import services as profiles
from accounts.profile.services import Link, ProfileFields
from accounts.tests.profile.test_pictures import encoded, halves
from common.search import search
from runs.models import Project
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db
SECRET = "secret-of-the-team"


@pytest.fixture
def ada() -> User:
    """A person who told something, with a public and a private project, in a team with a private one."""
    user: User = UserFactory(username="ada")
    words = ProfileFields(
        "Trains small models.", "Aurora Labs", "Lyon", [Link("Home", "https://ada.example/")]
    )
    profiles.change_words(actor=SYSTEM, row=user, words=words, display_name="Ada Moreau")
    profiles.change_intro(actor=SYSTEM, row=user, intro="# Hello\n\nI train **models**.")
    own = user.claim.team
    for name, visibility in (("shown", "public"), ("kept", "team")):
        project = ProjectFactory(team=own, name=f"{name}-project", visibility=visibility)
        RunFactory(project=project, user=user, display_name=f"{name}-run")
    return user


@pytest.fixture
def team(ada: User) -> Any:
    team = TeamFactory(name="vision", admin=ada)
    RunFactory(project=ProjectFactory(team=team, name=SECRET), user=ada, display_name=f"{SECRET}-run")
    return team


def page(viewer: User | None, name: str = "ada") -> str:
    client = Client()
    if viewer:
        client.force_login(viewer)
    response = client.get(f"/{name}")
    assert response.status_code == 200
    return response.content.decode()


def test_everybody_reads_what_a_person_told_and_what_is_public(ada: User, team: Any):
    """ACC-3."""
    html = page(None)
    for shown in (
        "Ada Moreau",
        "Aurora Labs",
        "Lyon",
        "https://ada.example/",
        "<h1>Hello</h1>",
        "shown-project",
        "shown-run",
    ):
        assert shown in html
    for hidden in ("kept-project", "kept-run", SECRET, ">vision<", "data-edit-intro", "/overview/pin"):
        assert hidden not in html


def test_a_person_sees_all_of_their_own(ada: User, team: Any):
    html = page(ada)
    for shown in ("kept-project", "kept-run", f"{SECRET}-run", ">vision<", "data-edit-intro"):
        assert shown in html


def test_a_colleague_sees_what_the_two_share(ada: User, team: Any):
    html = page(make_member(team))
    assert f"{SECRET}-run" in html
    assert ">vision<" in html
    assert "kept-project" not in html
    assert "kept-run" not in html


def test_a_person_without_public_projects_has_a_page_that_says_so():
    UserFactory(username="blank")
    html = page(UserFactory(), "blank")
    assert "No public projects" in html
    assert "wandb.init" not in html


def test_visitors_do_not_hear_who_has_an_account():
    """Whoever told nothing and shows nothing looks like nobody to people who have not signed in."""
    UserFactory(username="blank")
    client = Client(headers={"Accept": "text/html"})
    there, not_there = client.get("/blank"), client.get("/nobody-here")
    assert there.status_code == not_there.status_code == 302
    assert there.headers["Location"].replace("blank", "nobody-here") == not_there.headers["Location"]


def test_a_team_without_public_projects_is_there_for_its_members_alone(ada: User, team: Any):
    client = Client(headers={"Accept": "text/html"})
    client.force_login(UserFactory())
    assert client.get("/vision").status_code == 404
    html = page(make_member(team, Preset.VIEW_ONLY, username="lena"), "vision")
    assert "lena" in html
    assert "Ada Moreau" in html
    assert "data-edit-intro" not in html


def test_visitors_of_a_team_see_its_profile_but_no_members(ada: User, team: Any):
    """TEAM-10: visitors see only what is public."""
    ProjectFactory(team=team, name="open-data", visibility="public")
    profiles.change_intro(actor=actor(ada), row=team, intro="We see.")
    html = page(None, "vision")
    assert "We see." in html
    assert "open-data" in html
    for hidden in ("Ada Moreau", SECRET, "Members", team.organization.name):
        assert hidden not in html


def test_intro_and_picture_of_a_team_are_for_its_admins(ada: User, team: Any):
    """TEAM-6, TEAM-10."""
    member, admin = Client(headers={"Accept": "text/html"}), Client()
    member.force_login(make_member(team))
    admin.force_login(ada)
    for client, status in ((member, 403), (admin, 302)):
        assert client.post("/teams/vision/profile/intro", {"intro": "New words"}).status_code == status
        sent = {"picture": SimpleUploadedFile("team.png", encoded(halves()))}
        assert client.post("/teams/vision/profile/picture", sent).status_code == status
        words = client.post(
            "/teams/vision/profile",
            {"institution": "Aurora", "label_1": "Paper", "url_1": "https://a.example/p"},
        )
        assert words.status_code == status
    team.claim.refresh_from_db()
    html = page(ada, "vision")
    for shown in ("New words", "Aurora", "https://a.example/p", f"/pictures/vision/{team.claim.picture}"):
        assert shown in html


def test_the_picture_of_an_organization_is_for_its_admins(ada: User, team: Any):
    client = Client(headers={"Accept": "text/html"})
    chief = make_member(team, Preset.ORGANIZATION_ADMIN)
    client.force_login(chief)
    path = f"/organizations/{team.organization.name}/profile"
    assert client.get(path, follow=True).status_code == 200
    client.post(f"{path}/picture", {"picture": SimpleUploadedFile("o.png", encoded(halves()))})
    team.organization.claim.refresh_from_db()
    assert team.organization.claim.picture
    client.force_login(make_member(team, Preset.ORGANIZATION_MEMBER))
    assert client.get(path).status_code == 403


def test_pinned_projects_come_first_in_the_order_of_pinning(ada: User, team: Any):
    """TEAM-10."""
    for number in range(3):
        ProjectFactory(team=team, name=f"p{number}")
    client, member = Client(), Client(headers={"Accept": "text/html"})
    client.force_login(ada)
    member.force_login(make_member(team))
    for name in ("p1", SECRET):
        client.post(f"/vision/{name}/overview/pin", {"pinned": "1"})
    html = page(ada, "vision")
    assert html.index(">p1<") < html.index(f">{SECRET}<") < html.index(">p2<")
    client.post("/vision/p1/overview/pin", {"pinned": "0"})
    assert not Project.objects.get(name="p1").pinned_at
    assert member.post("/vision/p2/overview/pin", {"pinned": "1"}).status_code == 403


def test_an_intro_that_holds_scripts_is_shown_without_them(ada: User):
    """ACC-4."""
    profiles.change_intro(
        actor=SYSTEM, row=ada, intro="<script>alert(1)</script><img src=x onerror=alert(2)> hi"
    )
    html = page(None)
    assert "alert(" not in html


def test_the_text_field_without_a_script_holds_the_markdown(ada: User):
    client = Client()
    client.force_login(ada)
    html = client.get("/ada?edit").content.decode()
    assert "I train **models**." in html
    client.post("/settings/profile/intro", {"intro": "Other\r\nwords"})
    assert ada.claim.profile.__class__.objects.get(claim=ada.claim).intro == "Other\nwords"
    assert "textarea" not in Client().get("/ada?edit").content.decode()


@pytest.mark.parametrize("name", ["ada", "vision"])
def test_the_page_makes_the_same_queries_for_many_rows(
    ada: User, team: Any, name: str, django_assert_num_queries: Any
):
    client = Client()
    client.force_login(ada)
    client.get(f"/{name}")
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        client.get(f"/{name}")
    for _ in range(5):
        make_member(team)
        RunFactory(project=ProjectFactory(team=team), user=ada)
        RunFactory(project=ProjectFactory(team=ada.claim.team), user=ada)
        TeamFactory(admin=ada)
    with django_assert_num_queries(len(few)):
        client.get(f"/{name}")
    assert len(few) <= 23


class TestSearch:
    def titles(self, viewer: User, text: str) -> set[str]:
        return {
            hit.title
            for found in search(actor(viewer), text)
            for hit in found.hits
            if hit.url.count("/") == 1
        }

    def test_finds_people_by_what_they_are_called(self, ada: User, team: Any):
        """UI-1: those who share a team, and those who told something about themselves."""
        UserFactory(username="silent-moreau")
        assert self.titles(make_member(team), "moreau") == {"Ada Moreau"}
        assert self.titles(UserFactory(), "moreau") == {"Ada Moreau"}

    def test_finds_nobody_who_told_nothing_for_strangers(self, team: Any):
        quiet = make_member(team, username="quiet-person")
        assert self.titles(UserFactory(), "quiet") == set()
        assert self.titles(make_member(team), "quiet") == {"quiet-person"}
        assert self.titles(make_member(team, Preset.ORGANIZATION_MEMBER), "quiet") == {"quiet-person"}
        assert self.titles(quiet, "quiet") == {"quiet-person"}
