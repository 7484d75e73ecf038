"""What the REST API says of input that it does not know or that is wrong (issue 7)."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.factories import TeamFactory, basic, make_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask() -> Any:
    """Return what asks as an admin of the team vision."""
    admin = TeamFactory(name="vision").memberships.get().user
    headers = {"Authorization": basic(make_key(admin))}

    def asked(method: str, path: str, body: Any = None) -> Any:
        text = "" if body is None else json.dumps(body)
        return Client().generic(
            method, f"/api/v1/{path}", text, content_type="application/json", headers=headers
        )

    return asked


def test_a_misspelt_field_is_refused_with_the_nearest_and_all_there_are(ask: Any):
    answer = ask("PATCH", "teams/vision/privacy/", {"member_may_invite": True})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "invalid")
    assert error["message"] == (
        "member_may_invite: There is no field 'member_may_invite' here. Did you mean 'members_may_invite'? It takes:"
        " code_saving_allowed, code_saving_default, is_hidden, members_may_invite, public_projects_allowed."
    )
    assert list(error["detail"]) == ["member_may_invite"]


def test_fields_inside_fields_are_looked_at_as_well(ask: Any):
    answer = ask("PATCH", "me/", {"links": [{"label": "Home", "url": "https://example.com", "title": "?"}]})
    assert answer.status_code == 400
    assert answer.json()["error"]["detail"] == {
        "links.title": ["There is no field 'title' here. It takes: label, url."]
    }


def test_what_cannot_be_changed_is_no_field_of_a_change(ask: Any):
    """Who sends a whole thing back hears which of its fields cannot be set, instead of being believed."""
    whole = ask("GET", "teams/vision/").json()
    answer = ask("PATCH", "teams/vision/", whole | {"display_name": "Vision"})
    assert answer.status_code == 400
    assert set(answer.json()["error"]["detail"]) == {
        "id", "name", "organization", "picture", "created_at"
    }  # fmt: skip


def test_a_misspelt_filter_is_refused_and_does_not_list_everything(ask: Any):
    assert ask("GET", "runs/?entity=vision&per_page=5").status_code == 200
    answer = ask("GET", "runs/?entity=vision&projct=mnist")
    assert answer.status_code == 400
    assert "There is no parameter 'projct' here. Did you mean 'project'?" in answer.json()["error"]["message"]


def test_the_message_says_what_is_invalid(ask: Any):
    answer = ask("PATCH", "me/", {"theme": "pink"}).json()["error"]
    assert answer["message"] == 'theme: "pink" is not a valid choice.'
    assert answer["detail"] == {"theme": ['"pink" is not a valid choice.']}


@pytest.mark.parametrize("path", ["runs/act/", "teams/"])
def test_a_body_over_the_limit_is_refused_by_the_settings_name(ask: Any, path: str, settings: Any):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = ask("POST", path, {"values": ["0" * 1000]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert "at most 1000 bytes here (setting RUNYARD_GRAPHQL_MAX_MIB)" in answer.json()["error"]["message"]


def test_an_invitation_of_nobody_is_no_success(ask: Any):
    """TEAM-4: each reason is told, and whoever can be invited is."""
    answer = ask("POST", "teams/vision/invitations/", {"people": ["no address", "nobody-here"]})
    assert answer.status_code == 409
    refused = answer.json()["error"]["detail"]["refused"]
    assert all(each["reason"] for each in refused)
    assert refused[0]["reason"] in answer.json()["error"]["message"]
    answer = ask("POST", "teams/vision/invitations/", {"people": ["ada@example.com", "nobody-here"]})
    assert answer.status_code == 201
    assert [each["who"] for each in answer.json()["refused"]] == ["nobody-here"]
    assert answer.json()["invited"] == ["ada@example.com"]


@pytest.mark.parametrize("path", ["runs/", "runs/act/", "sweeps/", "destinations/", "projects/1/", "keys/1/"])
def test_nothing_is_read_of_what_a_stranger_sends(path: str) -> None:
    method = "PATCH" if path.endswith("1/") else "POST"
    answer = Client().generic(method, f"/api/v1/{path}", "{no json", content_type="application/json")
    assert answer.status_code == 401


def test_only_what_creates_or_changes_a_run_takes_a_large_body(ask: Any, settings: Any) -> None:
    settings.REST_MAX_BYTES, settings.BODY_MAX_BYTES = 1000, 2000
    run = {"entity": "vision", "project": "mnist", "uid": "large", "config": {"x": "y" * 1200}}
    assert ask("POST", "runs/", run).status_code == 201
    answer = ask("POST", "runs/", run | {"config": {"x": "y" * 2000}})
    assert answer.status_code == 413
    assert "at most 2000 bytes here (setting RUNYARD_BODY_MAX_MIB)" in answer.json()["error"]["message"]
    answer = ask("POST", "sweeps/", {"entity": "vision", "config": "y" * 1000})
    assert answer.status_code == 413
    assert "at most 1000 bytes here (setting RUNYARD_REST_MAX_MIB)" in answer.json()["error"]["message"]


def test_what_a_body_takes_decoded_is_estimated_before(ask: Any, settings: Any) -> None:
    settings.DECODED_MAX_BYTES = 2**20
    answer = ask("POST", "runs/act/", {"values": [{}] * 4000})
    assert answer.status_code == 413
    assert "RUNYARD_DECODED_MAX_MIB" in answer.json()["error"]["message"]
