"""Several processes that write to one run beside each other: the SDK's shared mode (decisions/runs.md)."""

import json
from typing import Any

import pytest

from access.actor import SYSTEM
from runs.bulk_actions.redaction import redact_run
from runs.models import Run
from tests.sdk.wire import UPSERT, Wire, row
from wandb_api.graphql.global_ids import to_id

MACHINE = {"e": {"w1": {"host": "a", "startedAt": "2026-11-30T10:00:00Z"}}}


class Writer:
    """One process of the SDK in shared mode."""

    def __init__(self, wire: Wire, uid: str, name: str) -> None:
        self.wire, self.uid, self.name = wire, uid, name

    def send(self, **fields: Any) -> dict[str, Any]:
        """Send what the process has, whole."""
        own = fields.pop("own", {})
        config = {key: {"value": value} for key, value in fields.pop("config", {}).items()}
        config["_wandb"] = {"value": own}
        query = UPSERT.replace("$groupName: String", "$groupName: String, $tags: [String!], $notes: String")
        query = query.replace("groupName: $groupName", "groupName: $groupName, tags: $tags, notes: $notes")
        variables = {"name": self.uid, "project": "p", "config": json.dumps(config), **fields}
        headers = {"X-WANDB-CLIENT-ID": self.name} if self.name else {}
        body = {"query": query, "variables": variables}
        reply = self.wire.http.post("/graphql", json=body, headers=headers).json()
        assert "errors" not in reply, reply
        return dict(reply["data"]["upsertBucket"]["bucket"])

    def post(self, body: dict[str, Any]) -> None:
        """Send a post of the stream."""
        run = found()
        headers = {"X-WANDB-ASYNC-CLIENT-ID": self.name} if self.name else {}
        address = f"/files/{run.project.team.name}/p/{self.uid}/file_stream"
        assert self.wire.http.post(address, json=body, headers=headers).status_code == 200

    def end(self, code: int = 0) -> None:
        """End."""
        self.post({"complete": True, "exitcode": code})


def found() -> Run:
    return Run.objects.latest("pk")


def config() -> dict[str, Any]:
    """Return the run's configuration, and what the SDK wrote of itself under ``_wandb``."""
    return {key: entry["value"] for key, entry in json.loads(found().config_text).items()}


def state() -> str:
    return found().state


@pytest.fixture
def uid(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


@pytest.fixture
def primary(ada: Wire, uid: str) -> Writer:
    writer = Writer(ada, uid, "primary")
    writer.send(config={"lr": 1, "model": {"layers": 4}}, notes="ours", tags=["a"])
    writer.send(config={"lr": 1, "model": {"layers": 4}}, own=MACHINE)
    return writer


@pytest.fixture
def worker(ada: Wire, uid: str) -> Writer:
    return Writer(ada, uid, "worker")


def test_configurations_are_joined(primary: Writer, worker: Writer) -> None:
    worker.send(config={"lr": 7, "w": 5, "model": {"width": 2}})
    wanted = {"lr": 1, "model": {"layers": 4, "width": 2}, "w": 5, "_wandb": MACHINE}
    assert config() == wanted
    primary.send(config={"lr": 2, "late": 3}, own=MACHINE)
    assert config() == {"lr": 2, "model": {"width": 2}, "w": 5, "late": 3, "_wandb": MACHINE}
    worker.send(config={})
    assert config() == {"lr": 2, "late": 3, "_wandb": MACHINE}


def test_a_writer_that_comes_after_the_end_takes_nothing(primary: Writer, worker: Writer) -> None:
    primary.end()
    worker.send()
    worker.end(1)
    assert config() == {"lr": 1, "model": {"layers": 4}, "_wandb": MACHINE}
    assert state() == "finished"


def test_a_run_that_began_without_writers_keeps_its_own(ada: Wire, uid: str, worker: Writer) -> None:
    alone = Writer(ada, uid, "")
    alone.send(config={"lr": 1})
    assert not found().writers.exists()
    worker.send(config={"w": 5})
    alone.send(config={"lr": 2})
    assert config() == {"lr": 2, "w": 5, "_wandb": {}}


def test_what_people_edit_stays(primary: Writer, worker: Writer) -> None:
    worker.send(config={"w": 5})
    run = found()
    edited = json.loads(run.config_text)
    edited["lr"] = {"value": 9}
    del edited["w"]
    Run.objects.filter(pk=run.pk).update(config_text=json.dumps(edited))
    primary.send(config={"lr": 1, "model": {"layers": 4}, "late": 1}, own=MACHINE)
    worker.send(config={"w": 5})
    assert config() == {"lr": 9, "model": {"layers": 4}, "late": 1, "_wandb": MACHINE}


def test_definitions_of_metrics_are_joined(primary: Writer, worker: Writer) -> None:
    mine = {"m": [{"1": "p", "5": 2, "6": [1, 3]}, {"1": "epoch", "6": []}]}
    theirs = {"m": [{"1": "epoch", "6": [3], "7": [2]}, {"1": "w", "5": 1, "6": [1, 3]}]}
    primary.send(config={}, own=MACHINE | mine)
    worker.send(own=theirs)
    assert config()["_wandb"]["m"] == [
        {"1": "p", "5": 2, "6": [1, 3]},
        {"1": "epoch", "6": [3], "7": [2]},
        {"1": "w", "5": 2, "6": [1, 3]},
    ]


def test_tags_and_words(primary: Writer, worker: Writer) -> None:
    worker.send(tags=["b"], notes="theirs")
    run = found()
    assert (run.tags, run.notes) == (["a", "b"], "ours")
    worker.send(tags=["c"], notes="changed later")
    primary.send(tags=["a", "d"], own=MACHINE)
    run.refresh_from_db()
    assert (run.tags, run.notes) == (["a", "c", "d"], "changed later")


def test_the_state_follows_the_primary(primary: Writer, worker: Writer) -> None:
    worker.send()
    worker.end(1)
    assert state() == "running"
    primary.end()
    assert state() == "finished"
    primary.send(own=MACHINE)  # arrives late
    assert state() == "finished"


def test_a_primary_that_begins_again_makes_the_run_active(ada: Wire, uid: str, primary: Writer) -> None:
    primary.end(1)
    again = Writer(ada, uid, "again")
    again.send(config={"lr": 2})
    assert (state(), config()["lr"]) == ("failed", 1)
    again.send(config={"lr": 2}, own={"e": {"w2": {"host": "b"}}})
    assert (state(), config()["lr"]) == ("running", 2)
    assert set(config()["_wandb"]["e"]) == {"w1", "w2"}
    again.end()
    assert state() == "finished"


def test_a_run_of_one_secondary_ends_with_it(worker: Writer) -> None:
    worker.send(config={"w": 5})
    worker.end()
    assert state() == "finished"


def test_the_summary_keeps_its_clock(primary: Writer, worker: Writer) -> None:
    ours, theirs = {**row(9, p=1), "_wandb": {"runtime": 60}}, {**row(0, w=1), "_wandb": {"runtime": 1}}
    for writer, summary in ((primary, ours), (worker, theirs)):
        writer.post({"files": {"wandb-summary.json": {"offset": 0, "content": [json.dumps(summary)]}}})
    assert json.loads(found().pulse.summary_text) == ours | {"w": 1}


def test_many_writers_become_one(
    ada: Wire, uid: str, primary: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.lifecycle.writers.MAX_WRITERS", 3)
    for number in range(6):
        Writer(ada, uid, f"w{number}").send(config={f"w{number}": number})
    assert found().writers.count() == 3
    primary.send(config={"lr": 1}, own=MACHINE)
    assert config() == {"lr": 1, **{f"w{number}": number for number in range(6)}, "_wandb": MACHINE}


def test_what_was_redacted_does_not_come_back(primary: Writer, worker: Writer) -> None:
    worker.send(config={"token": "t0p"})
    redact_run(actor=SYSTEM, run=found(), keys=["config.token"])
    worker.send(config={"token": "t0p", "x": 1})
    assert config()["token"] == "[redacted]"
    assert not found().writers.filter(config_text__contains="t0p").exists()


def test_a_change_by_people_deletes_nothing_that_sdks_wrote(ada: Wire, primary: Writer) -> None:
    """The public API sends all of the configuration back, as it was when it was read."""
    before = found()
    primary.send(config={"lr": 1}, own=MACHINE | {"m": [{"1": "p", "6": [3]}]})
    update = """mutation U($id: String!, $config: JSONString) {
        upsertBucket(input: {id: $id, config: $config}) { inserted } }"""
    config_text = json.dumps({"lr": {"value": 5}, "_wandb": {"value": {"m": []}}})
    ada.data(update, id=to_id("Run", before.pk), config=config_text)
    assert config() == {"lr": 5, "_wandb": MACHINE | {"m": [{"1": "p", "6": [3]}]}}


def test_an_earlier_part_that_is_sent_later_replaces_no_summary(ada: Wire, uid: str) -> None:
    """Two offline parts of one run: the second was synced first."""
    alone = Writer(ada, uid, "")
    alone.send()
    for line in (row(199, x=199), row(99, x=99, only=1)):
        alone.post({"files": {"wandb-summary.json": {"offset": 0, "content": [json.dumps(line)]}}})
    assert json.loads(found().pulse.summary_text) == row(199, x=199) | {"only": 1}
    assert found().pulse.summary_flat["x"] == 199
    for line in (
        row(3, x=3) | {"_timestamp": 2e9},
        {"x": "no clock"},
        {"_step": "a", "_timestamp": []},
        row(0),
    ):
        alone.post({"files": {"wandb-summary.json": {"offset": 0, "content": [json.dumps(line)]}}})
        assert json.loads(found().pulse.summary_text) == line
