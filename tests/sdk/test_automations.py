"""`wandb.automations` of the real SDK: what is written is read back, and what it waits for reaches a webhook.

ALR-6, ALR-7; the script makes all that its release of the SDK offers.
"""

import base64
import hashlib
import hmac
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests import sdks
from tests.fakes.sinks import Sink, sink
from tests.installation import Installation
from tests.sdk.people import VERSION, Person, person
from tests.sdk.table import parts
from tests.waiting import until

pytestmark = pytest.mark.sdk

SCRIPTS = Path(__file__).with_name("scenarios")
SIGN, TOKEN = "the secret that signs", "the token that is sent"
PROJECT = 'query P($entity: String!) { project(name: "automated", entityName: $entity) { id } }'
YOUNG = """
mutation M($project: ID!) { createFilterTrigger(input: {
  name: "young", enabled: true, scopeType: PROJECT, scopeID: $project, triggeringEventType: RUN_STATE,
  eventFilter: "{\\"run_state_filter\\": {\\"states\\": [\\"FAILED\\"]}}", triggeredActionType: NO_OP,
  triggeredActionConfig: {}
}) { trigger { id } } }
"""
RELEASES = [version for version in sdks.newest() if parts(version) >= (0, 19)]
"""Those before have no `wandb.automations`."""


@dataclass(frozen=True)
class Lab:
    """Where all tests of the module are."""

    server: Installation
    peer: Sink

    @contextmanager
    def head(self, team: str) -> Iterator[Person]:
        """Make somebody with a team of two secrets and a Slack channel."""
        with person(self.server, f"head-of-{team}") as made:
            self.server.manage("create_organization", f"org-of-{team}", "--admin", made.name)
            options = ("--organization", f"org-of-{team}", "--admin", made.name)
            self.server.manage("create_team", team, *options)
            rest = made.wire.http
            for name, value in (("SIGN", SIGN), ("TOKEN", TOKEN)):
                body = {"entity": team, "name": name, "value": value}
                rest.post("/api/v1/webhook-secrets/", json=body).raise_for_status()
            url = "https://hooks.slack.com/services/T1/B1/x"
            body = {"entity": team, "kind": "slack_webhook", "name": "alarms", "url": url}
            rest.post("/api/v1/destinations/", json=body).raise_for_status()
            yield made


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Run an installation that may send to this machine, at once."""
    with (
        tempfile.TemporaryDirectory(prefix="runyard-server-") as folder,
        Installation(
            Path(folder), RUNYARD_ALLOWED_NETWORKS="127.0.0.0/8", RUNYARD_ALERT_GATHER_S="0"
        ) as server,
        sink() as peer,
    ):
        yield Lab(server, peer)


def make_young(head: Person, team: str) -> None:
    """Make an automation on a state of runs in the team's project, which releases up to 0.22 cannot read."""
    head.wire.begin("automated", "first", team)
    project = head.wire.data(PROJECT, entity=team)["project"]["id"]
    head.wire.data(YOUNG, project=project)


@pytest.fixture(scope="module", params=RELEASES)
def told(
    request: pytest.FixtureRequest,
    lab: Lab,
    sdk: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """Return what the script told."""
    folder, url = tmp_path_factory.mktemp("automations"), lab.peer.url(f"/made-{request.param}")
    team, code = f"lab-{request.param}", (SCRIPTS / "automations.py").read_text()
    with lab.head(team) as head:
        make_young(head, team)
        env = {**head.env, "TEAM": team, "SINK": url, "WANDB_SILENT": "true"}
        sdks.run_script(sdk(request.param), code, env=env, cwd=folder)
    return {"url": url, **json.loads((folder / "told.json").read_text())}


def is_young(told: dict[str, Any]) -> bool:
    return parts(told["version"]) >= (0, 29)


def test_integrations_are_made_and_listed(told: dict[str, Any]) -> None:
    """ALR-7: with the names of the team's secrets, which the SDK has a document for, but no method."""
    assert told["made hook"] == ["hook", told["url"]]
    assert told["hooks"] == [["hook", told["url"]]]
    assert told["channels"] == ["alarms"]
    assert sorted(told["integrations"]) == ["SlackIntegration", "WebhookIntegration"]


def test_what_is_read_back_is_what_was_written(told: dict[str, Any]) -> None:
    """ALR-6: every event that the SDK offers, with each of its actions."""
    read = told["read"]
    assert len(read) == 6 + 3 * is_young(told) + 5 * ("tag" in told["sent"])
    assert told["answered"] == read
    for number, name in enumerate(read):
        one, (event, sent) = read[name], told["sent"][name]
        assert (one["name"], one["description"], one["enabled"]) == (name, f"about {name}", number != 1)
        assert one["event"]["eventType"] == event
        assert _tree(one["event"]["filter"]) == _tree(sent)
        if name != "team":
            assert (one["scope"]["id"], one["scope"]["name"]) == (told["ids"]["project"], "automated")
        action = [_is_webhook, _is_notification, _is_nothing][number % 3]
        assert action(one["action"], told)


def _is_webhook(action: dict[str, Any], told: dict[str, Any]) -> bool:
    payload = {"run": "${run_name}", "at": {"value": "${metric_value}"}}
    return (action["integration"]["id"], _tree(action["requestPayload"])) == (told["ids"]["hook"], payload)


def _is_notification(action: dict[str, Any], told: dict[str, Any]) -> bool:
    texts = (action["title"], action["message"], action["severity"])
    return (action["integration"]["id"], *texts) == (told["ids"]["slack"], "T", "of ${run_name}", "WARN")


def _is_nothing(action: dict[str, Any], told: dict[str, Any]) -> bool:
    return bool(action["__typename"] == "NoOpTriggeredAction")


def _tree(value: Any) -> Any:
    """Return JSON without its strings of JSON, and without the level that saved filters of artifacts have more."""
    if isinstance(value, str):
        try:
            return _tree(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, dict):
        inner = {key: _tree(item) for key, item in value.items()}
        return inner["filter"] if set(inner) == {"filter"} else inner
    return [_tree(item) for item in value] if isinstance(value, list) else value


def test_lists_have_all_pages(told: dict[str, Any]) -> None:
    """SDKs up to 0.22 know neither teams as scopes nor states of runs, and read nothing of a list with either."""
    assert told["all"] == sorted([*told["read"], *(["young"] if is_young(told) else [])])
    assert set(told["mine"]) == set(told["read"]) - {"team"}
    assert "No automations found" in told["none"]


def test_a_taken_name_is_told_or_fetched(told: dict[str, Any]) -> None:
    assert "Automation 'change' exists." in told["taken"]
    assert told["existing"] == told["answered"]["change"]["id"]


def test_automations_are_changed(told: dict[str, Any]) -> None:
    before, changed = told["answered"]["threshold"], told["changed"]
    assert changed == {**before, "enabled": False, "description": "changed"}
    action = told["other action"]["action"]
    assert _is_notification(action, told)
    assert told["other action"]["name"] == "renamed"
    event = told["other event"]["event"]
    assert (event["eventType"], _tree(event["filter"])) == (
        "RUN_METRIC_CHANGE", _tree(told["sent"]["fall"][1]),
    )  # fmt: skip


def test_automations_are_deleted(told: dict[str, Any]) -> None:
    assert told["deleted"] == [True, True]
    assert "Automation 'fall' not found." in told["gone"]
    assert "automation with the ID" in told["deleted again"] or "404" in told["deleted again"]
    assert told["left"] == sorted({*told["all"], "renamed"} - {"threshold", "fall", "link"})


def test_what_there_is_not_is_refused_aloud(told: dict[str, Any]) -> None:
    """ARIA will not come, and a collection that is not there cannot be watched."""
    assert "artifact" in told["no collection"] or "404" in told["no collection"]
    if "aria" in told:
        assert told["aria"].startswith("UnsupportedError")


def test_an_automation_of_a_collection_is_read_back_with_its_scope(told: dict[str, Any]) -> None:
    """ALR-6: the scope of artifact events."""
    scope = told["collection"]["scope"]
    assert (scope["name"], scope["id"]) == ("watched", told["ids"]["collection"])
    assert told["collection"]["event"]["eventType"] == "CREATE_ARTIFACT"


def test_an_automation_is_moved(told: dict[str, Any]) -> None:
    """ALR-6: to the project, and back to the collection."""
    assert told["moved"]["scope"]["id"] == told["ids"]["project"]
    assert told["moved back"]["scope"]["id"] == told["ids"]["collection"]
    assert told["moved"]["id"] == told["moved back"]["id"] == told["collection"]["id"]


def test_a_tag_calls_the_webhook(lab: Lab, told: dict[str, Any]) -> None:
    """ALR-6: of the two tags that the script gives, the one that is waited for."""
    if "tag" not in told["sent"]:
        pytest.skip("this release offers no events of tags")
    path = urlsplit(told["url"]).path
    calls = until(lambda: [call for call in lab.peer.taken if call.path == path], "a call")
    assert len(calls) == 1


def test_a_metric_that_crosses_its_threshold_calls_the_webhook_signed(
    lab: Lab, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """ALR-6, ALR-7: once, with what happened, the token, and a signature of the body."""
    team, peer = "crossing", lab.peer
    webhook = {"entity": team, "kind": "webhook", "name": "hook", "url": peer.url("/crossing")}
    secrets = {"access_token_name": "TOKEN", "signing_secret_name": "SIGN"}
    with lab.head(team) as head:
        head.wire.http.post("/api/v1/destinations/", json=webhook | secrets).raise_for_status()
        head.wire.begin("automated", "first", team)
        env = {**head.env, "TEAM": team, "WANDB_SILENT": "true"}
        sdks.run_script(sdk(VERSION), (SCRIPTS / "crossing.py").read_text(), env=env, cwd=tmp_path)
    calls = until(lambda: [call for call in peer.taken if call.path == "/crossing"], "a call")
    assert len(calls) == 1
    body, headers = calls[0].body, calls[0].headers
    told = json.loads(body)
    assert float(told.pop("value")) == 10.5
    assert told == {
        "run": "a crossing", "project": f"{team}/automated", "metric": "loss", "event": "RUN_METRIC",
        "token": TOKEN,
    }  # fmt: skip
    signature = hmac.new(SIGN.encode(), body, hashlib.sha256).digest()
    assert headers["x-wandb-signature"] == base64.b64encode(signature).decode()
    assert headers["authorization"] == f"Bearer {TOKEN}"
