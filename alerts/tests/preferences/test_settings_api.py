"""REST: what people and teams are told of, where it goes, what is muted."""

import json
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from accounts.models import User
from alerts.models import Mute, Route
from alerts.tests.places import a_place, personal
from teams.models import Team
from tests.factories import (
    ProjectFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    basic,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db
SETTINGS, ROUTES, MUTES = "/api/v1/alert-settings/", "/api/v1/alert-routes/", "/api/v1/alert-mutes/"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def chief(team: Team) -> User:
    return make_member(team, Preset.ADMIN, username="chief")


def program(user: User, **key: Any) -> Client:
    """Return a client with a key of the user."""
    return Client(headers={"Authorization": basic(make_key(user, **key))})


def send(client: Client, method: str, path: str, body: dict[str, Any]) -> Any:
    return client.generic(method, path, json.dumps(body), content_type="application/json")


def test_own_settings_and_those_of_managed_teams_are_listed_and_changed(
    chief: User, django_assert_max_num_queries
):
    """ALR-2."""
    TeamFactory.create_batch(3, admin=chief)
    client = program(chief)
    with django_assert_max_num_queries(8):
        rows = client.get(SETTINGS).json()["results"]
    assert [row["entity"] for row in rows][:1] == ["chief"]
    assert len(rows) == 5
    changed = send(client, "PATCH", f"{SETTINGS}chief/", {"on_crashed": True, "least_level": "ERROR"}).json()
    assert (changed["on_crashed"], changed["least_level"], changed["on_finished"]) == (True, "ERROR", False)
    assert send(client, "PATCH", f"{SETTINGS}vision/", {"by_email": False}).json()["by_email"] is False
    assert client.get(f"{SETTINGS}vision/").json()["by_email"] is False


def test_others_are_refused_as_elsewhere(team: Team):
    """TEAM-7: members see that there is a team, strangers do not."""
    member, stranger = program(make_member(team)), program(UserFactory())
    assert member.get(f"{SETTINGS}vision/").status_code == 403
    assert stranger.get(f"{SETTINGS}vision/").status_code == 404
    assert [row["entity"] for row in stranger.get(SETTINGS).json()["results"]] != []
    assert Client().get(SETTINGS).json()["results"] == []


def test_a_key_with_other_scopes_does_not_reach(chief: User):
    assert program(chief, scopes=["run.view"]).get(f"{SETTINGS}chief/").status_code == 404


def test_ways_are_made_narrowed_and_deleted(chief: User, team: Team):
    """Wish 79."""
    client, place, own = program(chief), a_place(team), a_place(personal(chief))
    ProjectFactory(team=team, name="cifar")
    made = send(client, "POST", ROUTES, {"destination": place.pk, "project": "vision/cifar", "tag": "x"})
    assert made.status_code == 201
    assert (made.json()["entity"], made.json()["project"]) == ("vision", "vision/cifar")
    send(client, "POST", ROUTES, {"destination": own.pk})
    assert len(client.get(ROUTES).json()["results"]) == 2
    assert [row["entity"] for row in client.get(f"{ROUTES}?entity=chief").json()["results"]] == ["chief"]
    assert len(client.get(f"{ROUTES}?destination={place.pk}").json()["results"]) == 1
    assert send(client, "POST", ROUTES, {"destination": own.pk}).status_code == 409
    assert send(client, "POST", ROUTES, {"destination": own.pk, "project": "a/b"}).status_code == 400
    stranger = program(UserFactory())
    assert send(stranger, "POST", ROUTES, {"destination": place.pk}).status_code == 404
    assert stranger.delete(f"{ROUTES}{made.json()['id']}/").status_code == 404
    assert client.delete(f"{ROUTES}{made.json()['id']}/").status_code == 204
    assert Route.objects.get().destination == own


def test_a_person_mutes_and_unmutes(team: Team):
    """Semantics 6."""
    member = make_member(team)
    client = program(member)
    ProjectFactory(team=team, name="cifar")
    made = send(client, "POST", MUTES, {"project": "vision/cifar"})
    assert (made.status_code, made.json()["project"]) == (201, "vision/cifar")
    assert send(client, "POST", MUTES, {"team": "vision"}).json()["team"] == "vision"
    assert send(client, "POST", MUTES, {}).status_code == 400
    assert send(client, "POST", MUTES, {"project": "vision/none"}).status_code == 404
    assert len(client.get(MUTES).json()["results"]) == 2
    assert program(UserFactory()).delete(f"{MUTES}{made.json()['id']}/").status_code == 404
    assert client.delete(f"{MUTES}{made.json()['id']}/").status_code == 204
    assert Mute.objects.get().team == team


def test_programs_mute_nothing(team: Team):
    bot = program(ServiceAccountFactory(team=team).user)
    assert send(bot, "POST", MUTES, {"team": "vision"}).status_code == 404
    assert Client().get(MUTES).status_code == 401
