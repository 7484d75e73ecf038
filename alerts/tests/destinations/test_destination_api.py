"""REST: destinations and secrets (ALR-4, ALR-7)."""

import json
from typing import Any

import pytest
from django.test import Client

from alerts.models import Destination, Secret
from alerts.secrets.services import values_of
from teams.models import Team
from tests.factories import DestinationFactory, TeamFactory, UserFactory, basic, make_key
from tests.fakes.sinks import Sink

pytestmark = pytest.mark.django_db
DESTINATIONS, SECRETS = "/api/v1/destinations", "/api/v1/webhook-secrets"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def key(team: Team) -> str:
    return make_key(team.memberships.get().user)


def ask(key: str, method: str, path: str, body: Any = None) -> Any:
    return Client().generic(
        method, path, "" if body is None else json.dumps(body), "application/json",
        headers={"Authorization": basic(key)},
    )  # fmt: skip


def test_a_webhook_is_made_changed_tested_and_deleted(team: Team, key: str, peer: Sink):
    made = ask(
        key, "POST", DESTINATIONS, {"entity": "vision", "kind": "webhook", "name": "x", "url": peer.url()}
    )
    assert made.status_code == 201
    row = made.json()
    assert (row["entity"], row["place"], row["is_on"]) == ("vision", "127.0.0.1", True)
    assert not {"url", "sealed_url"} & row.keys()
    one = f"{DESTINATIONS}/{row['id']}"
    changed = ask(key, "PATCH", one, {"name": "y", "template": '{"a": "${title}"}'})
    assert (changed.json()["name"], changed.json()["template"]) == ("y", '{"a": "${title}"}')
    tested = ask(key, "POST", f"{one}/test").json()
    assert (tested["is_ok"], tested["status"], tested["response"]) == (True, 200, "ok")
    assert ask(key, "GET", one).json()["last_sent_at"]
    assert [entry["id"] for entry in ask(key, "GET", f"{DESTINATIONS}?entity=vision").json()["results"]] == [
        row["id"]
    ]
    assert ask(key, "DELETE", one).status_code == 204
    assert not Destination.objects.exists()


def test_a_person_makes_one_of_their_own_by_their_name():
    user = UserFactory(username="ada")
    body = {
        "entity": "ada", "kind": "slack_webhook", "name": "#a", "url": "https://hooks.slack.com/services/T/B/X",
        "mention": "here",
    }  # fmt: skip
    made = ask(make_key(user), "POST", DESTINATIONS, body)
    assert made.status_code == 201
    assert Destination.objects.get().team == user.memberships.get().team


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"kind": "slack"}, "kind"),
        ({"url": "http://user:x@example.com/"}, "Invalid webhook URL"),
        ({"template": "{"}, "isn’t valid JSON"),
        ({"entity": "nobody"}, "nobody"),
        ({"mention": "here"}, "mention"),
    ],
)
def test_mistakes_are_said(team: Team, key: str, more: dict[str, str], said: str):
    body = {"entity": "vision", "kind": "webhook", "name": "x", "url": "https://example.com/", **more}
    answer = ask(key, "POST", DESTINATIONS, body)
    assert answer.status_code in {400, 404}
    assert said in answer.content.decode()


def test_those_of_others_are_not_there(key: str):
    row = DestinationFactory()
    assert ask(key, "GET", DESTINATIONS).json()["results"] == []
    assert ask(key, "POST", f"{DESTINATIONS}/{row.pk}/test").status_code == 404


def test_a_secret_is_stored_replaced_and_deleted_and_its_value_never_told(team: Team, key: str):
    made = ask(key, "POST", SECRETS, {"entity": "vision", "name": "TOKEN", "value": "first-value"})
    assert made.status_code == 201
    assert made.json().keys() == {"id", "entity", "name", "created_at", "created_by", "updated_at"}
    one = f"{SECRETS}/{made.json()['id']}"
    ask(key, "PATCH", one, {"value": "second-value"})
    assert values_of(team.pk) == {"TOKEN": "second-value"}
    assert "value" not in ask(key, "GET", SECRETS).content.decode()
    DestinationFactory(team=team, access_token_name="TOKEN")
    assert ask(key, "DELETE", one).status_code == 409
    Destination.objects.all().delete()
    assert ask(key, "DELETE", one).status_code == 204
    assert not Secret.objects.exists()
