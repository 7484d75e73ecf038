"""Who sees a person's profile is theirs to choose; to others it is as if there were nobody of the name (ACC-3)."""

from typing import Any

import pytest
from django.test import Client

from access.actor import ANONYMOUS
from accounts.models import User
from accounts.profile import services as profiles
from common.search import search
from runs.models import Project
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, basic, make_key, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    user: User = UserFactory(username="ada")
    profiles.change_intro(actor=actor(user), row=user, intro="Hello")
    ProjectFactory(team=user.claim.team, name="shown", visibility="public")
    return user


@pytest.fixture
def colleague(ada: User) -> User:
    return make_member(TeamFactory(admin=ada))


def hide(ada: User, audience: str) -> None:
    client = Client()
    client.force_login(ada)
    client.post("/settings/profile/audience", {"audience": audience})


def page(viewer: User | None, name: str = "ada") -> Any:
    client = Client(headers={"Accept": "text/html"})
    if viewer:
        client.force_login(viewer)
    return client.get(f"/{name}")


def by_rest(viewer: User, path: str) -> Any:
    return Client().get(f"/api/v1/{path}", headers={"Authorization": basic(make_key(viewer))})


def found(viewer: User | None) -> bool:
    who = actor(viewer) if viewer else ANONYMOUS
    return any(hit.url == "/ada" for hits in search(who, "ada") for hit in hits.hits)


@pytest.mark.parametrize(
    ("audience", "visitor", "stranger"),
    [("everyone", 200, 200), ("signed_in", 302, 200), ("shared", 302, 404)],
)
def test_the_page_the_search_and_rest_show_it_to_the_audience(ada, colleague, audience, visitor, stranger):
    hide(ada, audience)
    other = UserFactory()
    assert page(None).status_code == visitor
    assert page(other).status_code == stranger
    assert found(other) is (stranger == 200)
    assert by_rest(other, "users/ada/").status_code == stranger
    for viewer in (ada, colleague):
        assert page(viewer).status_code == 200
        assert found(viewer)
        assert by_rest(viewer, "users/ada/").status_code == 200


def test_it_is_refused_word_for_word_as_a_name_that_nobody_has(ada):
    hide(ada, "shared")
    other = UserFactory()
    assert "The entity “ada” doesn’t exist" in page(other).content.decode()
    assert "The entity “eda” doesn’t exist" in page(other, "eda").content.decode()
    assert by_rest(other, "users/ada/").json() == by_rest(other, "users/eda/").json()


def test_public_projects_keep_their_pages(ada):
    hide(ada, "shared")
    assert Client().get("/ada/shown/overview").status_code == 200
    assert Project.objects.get(name="shown").visibility == "public"


def test_rest_tells_and_changes_it(ada):
    headers = {"Authorization": basic(make_key(ada))}
    client = Client(headers=headers)
    client.patch("/api/v1/me/", '{"profile_visible_to": "shared"}', content_type="application/json")
    assert client.get("/api/v1/me/").json()["profile_visible_to"] == "shared"
    assert page(UserFactory()).status_code == 404
