"""The page of an organization, and the heads and tabs of its pages and of those of teams (TEAM-1)."""

import re
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from accounts.profile import services as profiles
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    make_member,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Any:
    organization = OrganizationFactory(name="acme", admin=UserFactory(username="chief"))
    team = TeamFactory(name="vision", organization=organization, admin=UserFactory(username="ada"))
    ProjectFactory(team=team, name="open-data", visibility="public")
    ProjectFactory(team=team, name="kept-data")
    return team


def ask(viewer: User | None, path: str) -> Any:
    client = Client(headers={"Accept": "text/html"})
    if viewer:
        client.force_login(viewer)
    return client.get(path)


def tabs(html: str) -> list[str]:
    head = re.search(r'<header class="place-head">.*?</header>', html, re.DOTALL)
    assert head
    return re.findall(r"</svg>(\w+)</a>", head[0])


def figures(html: str) -> dict[str, str]:
    strip = re.search(r'<dl class="stat-strip">.*?</dl>', html, re.DOTALL)
    assert strip
    return dict(re.findall(r"([A-Z]\w+)</dt>\s*<dd[^>]*>([^<]+)</dd>", strip[0]))


def test_members_see_teams_and_what_of_them_they_may(team):
    other = TeamFactory(name="speech", organization=team.organization)
    ProjectFactory(team=other, name="their-data")
    RunFactory(project__team=team, project__name="more-data", display_name="keen-lantern-1")
    html = ask(User.objects.get(username="ada"), "/acme").content.decode()
    for shown in (">acme<", "Organization", ">vision<", "open-data", "kept-data", "keen-lantern-1"):
        assert shown in html
    assert "their-data" not in html
    assert figures(html) == {"Teams": "1", "Members": "3", "Projects": "3", "Running": "1"}
    assert tabs(html) == ["Overview", "Members", "Teams", "Registry"]


def test_admins_have_settings_and_billing_and_write_the_intro(team):
    chief = User.objects.get(username="chief")
    html = ask(chief, "/acme").content.decode()
    assert tabs(html) == ["Overview", "Members", "Teams", "Registry", "Settings", "Usage"]
    assert "data-edit-intro" in html
    client = Client(headers={"Accept": "text/html"})
    client.force_login(chief)
    reply = client.post("/organizations/acme/profile/intro", {"intro": "We *see*."})
    assert reply.headers["Location"] == "/acme"
    assert "<em>see</em>" in ask(chief, "/acme").content.decode()


def test_others_see_what_is_public_once_there_is_an_intro(team):
    stranger = UserFactory()
    assert ask(stranger, "/acme").status_code == 404
    profiles.change_intro(actor=SYSTEM, row=team.organization, intro="We see.")
    TeamFactory(name="speech", organization=team.organization)
    html = ask(stranger, "/acme").content.decode()
    assert "We see." in html
    assert "open-data" in html
    assert ">vision<" in html
    for hidden in ("speech", "kept-data", "stat-strip", "data-edit-intro"):
        assert hidden not in html
    assert ask(None, "/acme").status_code == 200


def test_hidden_teams_are_not_told_of(team):
    profiles.change_intro(actor=SYSTEM, row=team.organization, intro="We see.")
    type(team).objects.filter(pk=team.pk).update(is_hidden=True)
    html = ask(UserFactory(), "/acme").content.decode()
    assert "vision" not in html
    assert "open-data" not in html


def test_a_team_has_tabs_by_what_one_may(team):
    member = make_member(team)
    assert tabs(ask(member, "/vision").content.decode()) == ["Overview", "Members", "Registry", "Hosts"]
    admin = make_member(team, Preset.ADMIN)
    expected = ["Overview", "Members", "Registry", "Hosts", "Usage", "Settings"]
    assert tabs(ask(admin, "/vision").content.decode()) == expected


def test_visitors_of_a_team_have_no_tabs(team):
    assert tabs(ask(UserFactory(), "/vision").content.decode()) == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/teams/vision/settings", "vision"),
        ("/organizations/acme/settings", "acme"),
        ("/settings/profile", "chief"),
    ],
)
def test_settings_say_whose_they_are(team, path, name):
    html = ask(User.objects.get(username="chief"), path).content.decode()
    head = re.search(r'<a class="rail-head" href="([^"]+)">.*?<strong[^>]*>([^<]+)<', html, re.DOTALL)
    assert head
    assert head.groups() == (f"/{name}", name)
