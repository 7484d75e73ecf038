"""ALR-6: automations and what they did, over REST."""

from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from alerts.models import MessageState
from alerts.tests.peers import ends
from automations.models import Automation
from runs.models import Project
from runs.states import RunState
from tests.automations import acted, make_automation, states, threshold
from tests.factories import (
    DestinationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    basic,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db
URL = "/api/v1/automations/"
MESSAGES = "/api/v1/alert-messages/"
NEW = {
    "entity": "vision", "project": "cifar", "name": "failed", "event": "RUN_STATE", "filter": states("FAILED"),
    "action": "NO_OP",
}  # fmt: skip


@pytest.fixture
def project() -> Project:
    return ProjectFactory(team=TeamFactory(name="vision"), name="cifar")


@pytest.fixture
def ask(project: Project) -> Any:
    """Ask with a member's key: ``ask("get", url)`` returns status and JSON."""
    headers = {"Authorization": basic(make_key(make_member(project.team, Preset.MEMBER, username="mia")))}

    def send(method: str, url: str, body: Any = None) -> tuple[int, Any]:
        answer = getattr(Client(), method)(url, body, content_type="application/json", headers=headers)
        return answer.status_code, answer.json() if answer.content else None

    return send


def test_one_is_made_read_changed_copied_and_deleted(ask: Any, project: Project):
    status, made = ask("post", URL, NEW)
    assert (status, made["when"], made["project"], made["created_by"]) == (
        201, "Run fails or crashes", "cifar", "mia",
    )  # fmt: skip
    one = f"{URL}{made['id']}/"
    assert ask("get", one) == (200, made)
    status, changed = ask("patch", one, {"is_on": False, "event": "RUN_METRIC", "filter": threshold()})
    assert (status, changed["is_on"], changed["when"]) == (200, False, "loss > 10")
    ProjectFactory(team=project.team, name="other")
    status, copied = ask("post", f"{one}copy/", {"name": "again", "project": "other"})
    assert (status, copied["project"], copied["filter"]) == (201, "other", changed["filter"])
    assert ask("delete", one)[0] == 204
    assert ask("get", one)[0] == 404


def test_a_list_is_narrowed(ask: Any, project: Project):
    make_automation(project, "RUN_STATE", states("FAILED"))
    make_automation(ProjectFactory(team=project.team, name="other"))
    for query, count in (("", 2), ("?project=other", 1), ("?event=RUN_STATE", 1), ("?entity=nobody", 0)):
        assert len(ask("get", URL + query)[1]["results"]) == count, query


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"filter": {"run_state_filter": {"states": ["GONE"]}}}, "Unknown state"),
        ({"action": "GENERIC_WEBHOOK"}, "Choose a destination"),
        ({"destination": 999}, "This destination doesn’t exist"),
        ({"payload": "{"}, ""),
    ],
)
def test_what_is_wrong_is_said(ask: Any, body: dict[str, Any], says: str):
    status, answer = ask("post", URL, NEW | body)
    assert status == 400
    assert says in answer["error"]["message"]
    assert not Automation.objects.exists()


def test_a_destination_of_another_team_is_none(ask: Any):
    other = DestinationFactory()
    status, answer = ask("post", URL, NEW | {"action": "GENERIC_WEBHOOK", "destination": other.pk})
    assert (status, "This destination doesn’t exist" in answer["error"]["message"]) == (400, True)


def test_a_preview_names_runs_and_makes_nothing(ask: Any, project: Project):
    run = ends(RunFactory(project=project), RunState.FAILED)
    body = {key: NEW[key] for key in ("entity", "project", "event", "filter")}
    status, found = ask("post", f"{URL}preview/", body)
    assert (status, found["runs_looked_at"], [one["run"] for one in found["firings"]]) == (200, 1, [run.uid])
    assert not Automation.objects.exists()


def test_the_history_is_listed_narrowed_and_retried(ask: Any, project: Project):
    mine = Automation.objects.get(pk=ask("post", URL, NEW)[1]["id"])
    run = RunFactory(project=project)
    failed = acted(
        mine, run, MessageState.FAILED, request="POST it", response="no", status=500, error="HTTP 500"
    )
    acted(make_automation(project), run)
    status, found = ask("get", f"{MESSAGES}?automation={mine.pk}")
    [row] = found["results"]
    assert (status, row["id"], row["request"], row["causes"]) == (
        200, failed.pk, "POST it", [{"words": "became Failed", "project": "cifar", "run": run.uid}],
    )  # fmt: skip
    assert len(ask("get", f"{MESSAGES}?state=sent")[1]["results"]) == 1
    assert ask("get", f"{MESSAGES}?destination=x")[1]["results"] == []
    status, retried = ask("post", f"{MESSAGES}{failed.pk}/retry/")
    assert (status, retried["state"]) == (200, "waiting")
    assert ask("post", f"{MESSAGES}{failed.pk}/retry/")[0] == 409


def test_lists_cost_the_same_for_many(ask: Any, project: Project, django_assert_max_num_queries: Any):
    run = RunFactory(project=project)
    for _ in range(8):
        acted(make_automation(project), run)
    for url in (URL, MESSAGES):
        with django_assert_max_num_queries(10):
            assert len(ask("get", url)[1]["results"]) == 8
