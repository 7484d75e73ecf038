"""The same scenarios for every release of the SDK that people have; a table of them ends the test run.

The gate runs them with the newest on the embedded database, and with the oldest on PostgreSQL.

The scripts are in `tests/sdk/scenarios`. They run a few at a time, the slow ones first, as soon as the first test of
this module asks; only those that the chosen tests need. Each test then looks at what the server holds.
"""

import json
import os
import signal
import time
from datetime import datetime
from typing import Any

import pytest

from runs.config.metric_definitions import definitions_in
from tests import sdks
from tests.sdk.lab import Lab
from tests.sdk.lines import Job, Ran, Told, only, scenario
from tests.sdk.table import parts
from tests.sdk.wire import Recorder, recording
from tests.waiting import until

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

STOP = "mutation S($id: ID!) { stopRun(input: {id: $id}) { success } }"


# -- what runs at the clients --------------------------------------------------------------------------------------


def killed(lab: Lab) -> Told:
    """Kill -9 a client, then sync what it left, twice."""
    status, out = lab.end(lab.start("killed"))
    assert status == -signal.SIGKILL, out
    told: Told = {"sent": lab.steps("killed")}
    lab.sync("--include-online")
    told["synced"] = lab.rows("killed")
    lab.sync("--include-online", "--include-synced")
    told["twice"], told["log"] = lab.rows("killed"), lab.log("killed")
    return told


def stopped(lab: Lab) -> Told:
    """Look at the files of a run that goes on, then stop it."""
    process, told = lab.start("loops", RUN="stopped"), {}
    try:
        until((lab.folder / "begun").exists, "the run has begun")
        told["now"] = until(lambda: lab.file("stopped", "now.txt"), "now.txt")
        until(lambda: lab.file("stopped", "live.txt") == "first", "live.txt")
        told["end while it runs"] = lab.file("stopped", "end.txt")
        time.sleep(2)  # the SDK leaves out a change within a second of the last upload
        (lab.folder / "live.txt").write_text("second, longer")
        until(lambda: lab.file("stopped", "live.txt") == "second, longer", "the changed live.txt")
        lab.ada.wire.data(STOP, id=lab.found("stopped")["id"])
        told["status"], told["out"] = lab.end(process)
        told["interrupted"] = (lab.folder / "interrupted").exists()
    finally:
        sdks.kill_script(process)
    return told


def interrupted(lab: Lab) -> Told:
    """Press Ctrl-C."""
    process = lab.start("loops", RUN="interrupted")
    try:
        until((lab.folder / "begun").exists, "the run has begun")
        os.killpg(process.pid, signal.SIGINT)
        status, out = lab.end(process)
    finally:
        sdks.kill_script(process)
    return {"status": status, "out": out, "interrupted": (lab.folder / "interrupted").exists()}


def shared(lab: Lab) -> Told:
    """Let three processes write to one run."""
    processes = [
        lab.start("shared", WHO=who, TOGETHER=str(lab.folder), WANDB_DIR=str(lab.folder), **STATS)
        for who in "012"
    ]
    try:
        ends = [lab.end(process) for process in processes]
    finally:
        for process in processes:
            sdks.kill_script(process)
    assert [status for status, _ in ends] == [0, 0, 0], ends
    return {}


STATS = {"WANDB_X_DISABLE_STATS": "false", "WANDB__DISABLE_STATS": "false"}


def life(lab: Lab) -> Told:
    """Record what the server answers on the way."""
    with recording(lab.server.port) as recorder:
        lab.script("life", WANDB_BASE_URL=recorder.url)
    return {"recorder": recorder}


def auto(lab: Lab) -> Told:
    """Fail, go on, begin anew."""
    status, out = lab.end(lab.start("auto", WHO="1"))
    assert status == 3, out
    lab.script("auto", WHO="2")
    return {who: json.loads((lab.folder / f"ids{who}.json").read_text()) for who in "12"}


def again(lab: Lab) -> Told:
    """Use one id twice."""
    for who in "12":
        lab.script("again", WHO=who)
    return {}


def offline(lab: Lab) -> Told:
    """Sync an offline run, twice."""
    lab.script("offline")
    lab.sync()
    told: Told = {"once": lab.rows("offline")}
    lab.sync("--include-synced")
    return told


def login(lab: Lab) -> Told:
    """Log in by command, then run without a key in the environment.

    What 0.19 and 0.22 keep for a host with a port they do not find again (they write "machine host:port" and look for
    the host alone), so there the script gives the key itself.
    """
    (lab.folder / "config").mkdir()  # 0.16 does not make it
    wrong = lab.cli("login", "--relogin", "--verify", "ry-" + "x" * 40, WANDB_API_KEY="", WANDB_SILENT="")
    right = lab.cli("login", "--relogin", "--verify", lab.ada.key, WANDB_API_KEY="", WANDB_SILENT="")
    key = lab.ada.key if (0, 17) < parts(lab.version) < (0, 23) else ""
    return {"wrong": wrong, "right": right, "out": lab.script("login", WANDB_API_KEY="", KEY=key)}


def api(lab: Lab) -> Told:
    """Ask."""
    lab.script("api")
    return dict(json.loads((lab.folder / "told.json").read_text()))


def resumes(lab: Lab) -> Told:
    """Resume what can be, then what cannot."""
    return {who: lab.script("resumes", WHO=who) for who in ("goes on", "must", "never")}


JOBS: dict[str, Job] = {
    "stopped": stopped, "killed": killed, "shared": shared, "labels": only("labels", **STATS), "life": life,
    "resumes": resumes, "api": api, "interrupted": interrupted, "login": login, "auto": auto, "again": again,
    "offline": offline, "forks": only("forks"), "rewinds": only("rewinds"),
}  # fmt: skip
"""The slow ones first."""


def user_keys(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the script logged."""
    return {key: value for key, value in row.items() if not key.startswith("_")}


@scenario("login", "login")
def test_login(ran: Ran) -> None:
    status, out = ran.told["right"]
    assert status == 0, out
    assert "VERIFIED True" in ran.told["out"]
    assert ran.lab.found("login")["state"] == "finished"


@scenario("login with a wrong key", "login")
def test_login_with_a_wrong_key(ran: Ran) -> None:
    status, out = ran.told["wrong"]
    assert status != 0
    assert "unknown or was revoked" in out


@scenario("init", "life")
def test_init(ran: Ran) -> None:
    """RUN-1."""
    reply = ran.lab.ada.wire.data(ABOUT, project=ran.lab.project, entity=ran.lab.ada.name, name="life")
    found = reply["project"]["run"]
    told = [found[key] for key in ("displayName", "notes", "group", "jobType")]
    assert told == ["a life", "noted", "g", "train"]
    assert sorted(found["tags"]) == ["a", "b"]  # 0.16 sorts them itself
    assert found["user"]["username"] == ran.lab.ada.name
    metadata = json.loads(ran.lab.file("life", "wandb-metadata.json") or "{}")
    assert metadata["python"].removeprefix("CPython ").startswith("3.")
    assert metadata["host"]


ABOUT = """
query A($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { displayName notes tags group jobType user { username } }
  }
}"""


@scenario("config", "life")
def test_config(ran: Ran) -> None:
    config = json.loads(ran.lab.found("life")["config"])
    values = {key: item["value"] for key, item in config.items() if key != "_wandb"}
    assert values == {"lr": 0.1, "deep": {"layers": [1, 2]}, "later": True}


@scenario("log", "life")
def test_log(ran: Ran) -> None:
    rows = ran.lab.rows("life")
    assert [row["_step"] for row in rows] == list(range(20))
    assert [user_keys(row) for row in rows] == [
        {"epoch": i // 5, "loss": 1.5 + abs(i - 7), "accuracy": i * (19 - i), "custom/x": i}
        for i in range(20)
    ]


@scenario("define_metric and summary", "life")
def test_define_metric(ran: Ran) -> None:
    """RUN-5, RUN-26: also a glob, which SDKs tell in two ways."""
    found = ran.lab.found("life")
    summary = json.loads(found["summaryMetrics"])
    assert (summary["loss"]["min"], summary["accuracy"]["max"]) == (1.5, 90)
    assert (summary["epoch"], summary["custom/x"], summary["by hand"], summary["_step"]) == (3, 19, 42, 19)
    defined = json.loads(found["config"])["_wandb"]["value"]["m"]
    assert {metric.get("1") or metric.get("2") for metric in defined} >= {"epoch", "loss", "accuracy"}
    steps = [metric for metric in defined if metric.get("1") == "accuracy"]
    assert defined[steps[0]["5"] - 1]["1"] == "epoch"
    read = definitions_in({"m": defined})
    told = {key: read.of(key) for key in ("accuracy", "custom/x", "loss", "epoch")}
    assert {key: row and row.step_metric for key, row in told.items()} == {
        "accuracy": "epoch", "custom/x": "epoch", "loss": "", "epoch": "",
    }  # fmt: skip
    assert told["loss"] is not None
    assert told["loss"].summary == ("min",)


@scenario("save, policy now", "stopped")
def test_save_now(ran: Ran) -> None:
    assert ran.told["now"] == "first"


@scenario("save, policy live", "stopped")
def test_save_live(ran: Ran) -> None:
    """The job has waited for the changed content while the run went on."""
    assert ran.lab.file("stopped", "live.txt") == "second, longer"


@scenario("save, policy end", "life")
def test_save_end(ran: Ran) -> None:
    assert [ran.lab.file("life", name) for name in ("end.txt", "sub/end.txt")] == ["after", "after"]


@scenario("alert", "life")
def test_alert(ran: Ran) -> None:
    """ALR-1: accepted, and the same title not repeated within its waiting time."""
    recorder: Recorder = ran.told["recorder"]
    field = "notifyScriptableRunAlert"
    sent = [reply["data"][field]["success"] for ask, _, reply in recorder.answers if field in ask["query"]]
    assert sent in ([True, False, True], [True, True])  # some releases hold the repeated one back themselves


@scenario("console: stdout, stderr", "life")
def test_console(ran: Ran) -> None:
    found = ran.lab.found("life")
    lines = [(edge["node"]["line"], edge["node"]["level"]) for edge in found["logLines"]["edges"]]
    texts = [text for text, _ in lines]
    assert ("to stderr", "error") in lines
    assert [text for text in texts if text in {"to stdout é", "after the bar"}] == [
        "to stdout é",
        "after the bar",
    ]


@scenario("console: progress bar", "life")
def test_progress_bar(ran: Ran) -> None:
    assert [line.strip() for line in ran.lab.log("life") if "progress" in line] == ["progress 100%"]


@scenario("finish with 0", "life")
def test_finish(ran: Ran) -> None:
    """RUN-2."""
    found = ran.lab.found("life")
    assert (found["state"], found["exitcode"]) == ("finished", 0)


@scenario("finish with 3", "life")
def test_finish_with_another_code(ran: Ran) -> None:
    """RUN-2."""
    found = ran.lab.found("bad")
    assert (found["state"], found["exitcode"], ran.lab.steps("bad")) == ("failed", 3, [0])


@scenario("no error on the way", "life")
def test_every_operation_is_answered_without_errors(ran: Ran) -> None:
    answers = ran.told["recorder"].answers
    failed = [(ask["query"], status, got) for ask, status, got in answers if status != 200 or "errors" in got]
    assert failed == []


@scenario("interrupt", "interrupted")
def test_interrupt(ran: Ran) -> None:
    """RUN-2."""
    assert ran.told["interrupted"], ran.told["out"]
    assert ran.told["status"] != 0
    assert ran.lab.found("interrupted")["state"] == "killed"
    steps = ran.lab.steps("interrupted")
    assert steps == list(range(len(steps)))
    assert steps


@scenario("resume=allow, there or not", "resumes")
def test_resume_allow(ran: Ran) -> None:
    assert ran.lab.steps("allow") == list(range(8))
    assert [row["i"] for row in ran.lab.rows("allow")] == [0, 1, 2, 3, 4, 0, 1, 2]
    assert ran.lab.found("allow")["state"] == "finished"


@scenario("resume=must", "resumes")
def test_resume_must(ran: Ran) -> None:
    rows = ran.lab.rows("must")
    assert [row["_step"] for row in rows] == list(range(10))
    assert [row["way"] for row in rows] == ["None"] * 5 + ["must"] * 5
    config = json.loads(ran.lab.found("must")["config"])
    assert [config[key]["value"] for key in ("first", "second", "third")] == [1, 2, 3]
    assert [line for line in ran.lab.log("must") if line.startswith("LINE")] == [
        "LINE must None", "LINE must must", "LINE must must",
    ]  # fmt: skip
    assert json.loads(ran.lab.found("must")["summaryMetrics"])["_step"] == 9


@scenario("resume=must of a run without history", "resumes")
def test_resume_must_of_a_run_without_history(ran: Ran) -> None:
    """The legacy sender of 0.16 wants a tail that it can read, even of nothing."""
    assert "REFUSED empty" not in ran.told["goes on"]
    assert [(row["_step"], row["i"]) for row in ran.lab.rows("empty")] == [(0, 0), (1, 1)]
    assert ran.lab.found("empty")["state"] == "finished"


@scenario("resume=must without a run", "resumes")
def test_resume_must_without_a_run(ran: Ran) -> None:
    """The SDK says itself what is wrong, and no run is made."""
    assert "REFUSED must-new must UsageError" in ran.told["must"]
    assert "(must-new)" in ran.told["must"]
    assert not exists(ran.lab, "must-new")


def exists(lab: Lab, uid: str) -> bool:
    """Whether the server has the run."""
    reply = lab.ada.wire.data(ABOUT, project=lab.project, entity=lab.ada.name, name=uid)
    return reply["project"]["run"] is not None


@scenario("resume=never, there or not", "resumes")
def test_resume_never(ran: Ran) -> None:
    assert "REFUSED" not in ran.told["goes on"]
    assert "REFUSED never never UsageError" in ran.told["never"]
    assert "(never)" in ran.told["never"]
    assert ran.lab.steps("never") == [0, 1]


@scenario("resume=auto", "auto")
def test_resume_auto(ran: Ran) -> None:
    first, (second, third) = ran.told["1"], ran.told["2"]
    assert first == [second]
    assert ran.lab.steps(second) == list(range(8))
    assert ran.lab.found(second)["state"] == "finished"
    assert third != second
    assert ran.lab.steps(third) == [0]


@scenario("same id again without resume", "again")
def test_the_same_id_again(ran: Ran) -> None:
    """RUN-9."""
    found = sorted((row["who"], row["i"]) for row in ran.lab.rows("again"))
    assert found == [(who, step) for who in (1, 2) for step in range(10)]
    log = [line for line in ran.lab.log("again") if line.startswith("who")]
    assert log == [f"who {who} {step}" for who in (1, 2) for step in range(10)]


@scenario("offline and sync", "offline")
def test_offline(ran: Ran) -> None:
    assert [row["i"] for row in ran.told["once"]] == list(range(30))
    found = ran.lab.found("offline")
    assert (found["state"], found["tags"]) == ("finished", ["away"])
    assert json.loads(found["config"])["lr"]["value"] == 1
    assert "printed offline" in ran.lab.log("offline")
    assert ran.lab.file("offline", "kept.txt") == "kept"


@scenario("offline, sync twice", "offline")
def test_offline_synced_twice(ran: Ran) -> None:
    """RUN-8; RUN-3: it began before its first line, by its own clock."""
    rows = ran.lab.rows("offline")
    assert [row["i"] for row in rows] == list(range(30))
    assert datetime.fromisoformat(ran.lab.found("offline")["createdAt"]).timestamp() <= rows[0]["_timestamp"]
    assert ran.lab.log("offline").count("printed offline") == 1


@scenario("kill -9 and sync", "killed")
def test_killed(ran: Ran) -> None:
    """RUN-8: all that reached the client's disk, once; it begins with what had been sent."""
    sent, synced = ran.told["sent"], [row["i"] for row in ran.told["synced"]]
    assert sent == list(range(len(sent)))
    assert 31 <= len(sent) < len(synced)
    assert synced == list(range(len(synced)))


@scenario("kill -9, sync twice", "killed")
def test_killed_and_synced_twice(ran: Ran) -> None:
    """RUN-8."""
    assert ran.told["twice"] == ran.told["synced"]
    lines = [line for line in ran.told["log"] if line.startswith("line ")]
    assert lines == [f"line {number}" for number in range(len(lines))]


@scenario("stop from the server", "stopped")
def test_stop(ran: Ran) -> None:
    """RUN-2, RUN-4."""
    assert ran.told["interrupted"], ran.told["out"]
    assert ran.told["status"] != 0
    assert ran.lab.found("stopped")["state"] == "killed"


@scenario("fork", "forks", since="0.16.5")
def test_fork(ran: Ran) -> None:
    """RUN-6."""
    rows = ran.lab.rows("branch")
    assert [row["_step"] for row in rows] == list(range(8))
    assert [row["value"] for row in rows] == [0, 1, 2, 3, 4, 100, 101, 102]
    assert ran.lab.steps("trunk") == list(range(10))
    assert ran.lab.found("branch")["state"] == "finished"


@scenario("rewind", "rewinds", since="0.17.1")
def test_rewind(ran: Ran) -> None:
    """RUN-6."""
    rows = ran.lab.rows("rewound")
    assert [row["_step"] for row in rows] == list(range(9))
    assert [row["value"] for row in rows] == [0, 1, 2, 3, 4, 5, 6, 100, 101]
    assert ran.lab.found("rewound")["state"] == "finished"
    assert [row["value"] for row in ran.lab.rows("rewound.rewound-1")] == list(range(10))


@scenario("shared by three writers", "shared", since="0.19.9")
def test_shared(ran: Ran) -> None:
    """RUN-9: every row and line of each, and the primary's end."""
    rows = ran.lab.rows("shared")
    for who in "012":
        assert [row[f"value{who}"] for row in rows if row.get("who") == who] == list(range(20))
        lines = [line for line in ran.lab.log("shared") if f"writer {who} " in line]
        assert [line.rpartition(" ")[2] for line in lines] == [str(step) for step in range(20)]
    assert len(rows) == 60
    assert ran.lab.found("shared")["state"] == "finished"


@scenario("shared: labels of the writers", "shared", since="0.19.9")
def test_shared_labels(ran: Ran) -> None:
    assert labels(ran.lab, "shared") == {"writer0", "writer1", "writer2"}


@scenario("x_label", "labels", since="0.19.9")
def test_label(ran: Ran) -> None:
    assert labels(ran.lab, "label") == {"node-7"}


def labels(lab: Lab, uid: str) -> set[str]:
    """Return the labels of a run's system metrics."""
    reply = lab.ada.wire.data(EVENTS, project=lab.project, entity=lab.ada.name, name=uid)
    events = [json.loads(line) for line in reply["project"]["run"]["events"]]
    return {key.rpartition("/l:")[2] for event in events for key in event if "/l:" in key}


EVENTS = """
query E($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) { events(samples: 1000) } }
}"""


@scenario("Api: runs, filters, order", "api")
def test_api_runs(ran: Ran) -> None:
    told, all_runs = ran.told, ["api0", "api1", "api2", "api3"]
    assert (told["viewer"], told["entity"]) == (ran.lab.ada.name, ran.lab.ada.name)
    assert (told["all"], told["newest"], told["count"]) == (all_runs, all_runs[::-1], 4)
    assert told["filters"] == {
        "config": ["api2", "api3"], "value": ["api2"], "tags": ["api1", "api3"], "tags in": ["api1", "api3"],
        "or": ["api0", "api3"], "state": all_runs, "summary": ["api0", "api1"], "regex": all_runs,
    }  # fmt: skip
    assert (told["by loss"], told["by n"]) == (all_runs[::-1], all_runs[::-1])


@scenario("Api: run", "api")
def test_api_run(ran: Ran) -> None:
    told = ran.told
    assert (told["config"], told["summary"], told["state"], told["tags"]) == (
        {"n": 1},
        1.24,
        "finished",
        ["odd"],
    )
    assert told["last"] == 24


@scenario("Api: history", "api")
def test_api_history(ran: Ran) -> None:
    told = ran.told
    assert told["history"] == list(range(25))
    assert (told["sampled"][0], told["sampled"][-1], len(told["sampled"])) == (0, 24, 5)
    assert told["keys"] == [[step, step] for step in range(0, 25, 5)]


@scenario("Api: scan_history", "api")
def test_api_scan_history(ran: Ran) -> None:
    told = ran.told
    assert told["scan"] == [[step, pytest.approx(1 + step / 100)] for step in range(25)]
    assert told["scan keys"] == list(range(0, 25, 5))
    assert told["scan pages"] == list(range(25))
    assert told["scan range"] == [3, 4, 5]


@scenario("Api: files", "api")
def test_api_files(ran: Ran) -> None:
    told = ran.told
    assert {"late.txt", "config.yaml", "wandb-summary.json", "wandb-metadata.json"} <= set(told["files"])
    assert (told["read"], told["uploaded"]) == ("saved", ["more.txt"])
    lab = ran.lab
    assert (lab.file("api0", "more.txt"), lab.file("api0", "late.txt")) == ("uploaded", None)


@scenario("Api: update, delete", "api")
def test_api_changes(ran: Ran) -> None:
    lab = ran.lab
    found = lab.ada.wire.data(ABOUT, project=lab.project, entity=lab.ada.name, name="api2")["project"]["run"]
    told = [found[key] for key in ("displayName", "notes", "tags", "group")]
    assert told == ["renamed", "noted", ["new"], "grouped"]
    config = json.loads(lab.found("api2")["config"])
    assert [config[key]["value"] for key in ("n", "m")] == [2, 5]
    assert (json.loads(lab.found("api2")["summaryMetrics"])["hand"], lab.found("api2")["state"]) == (
        7,
        "finished",
    )
    assert ran.told["after"] == ["api0", "api1", "api2"]
    assert ran.told["deleted"] != "there"
