"""What was acknowledged is there, once, whatever is killed (RUN-2, RUN-8, RUN-9)."""

import json
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import sdks
from tests.installation import Installation
from tests.plugin import GIVEN_REDIS
from tests.sdk.people import VERSION, Person, person
from tests.sdk.wire import Run, Wire, history, row
from tests.suite.passes import amount
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.sdk, pytest.mark.races]

CRASH_TIMEOUT_S = 60
"""The least that `manage.py check` accepts: two heartbeats of the SDK."""

SETTINGS = {
    "WANDB__TRANSACTION_LOG_FLUSH_INTERVAL": "0.1",  # or a killed client has lost 15 s before we see any of them
    "WANDB_X_DISABLE_STATS": "true",
    "WANDB_SILENT": "true",
}


@dataclass(frozen=True)
class Site:
    """An installation of this module's own, which it may kill."""

    server: Installation
    ada: Person
    env: dict[str, str]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="runyard-server-")))
        server = stack.enter_context(Installation(folder, RUNYARD_CRASH_TIMEOUT_S=str(CRASH_TIMEOUT_S)))
        ada = stack.enter_context(person(server, "dur-ada"))
        yield Site(server, ada, {**ada.env, **SETTINGS})


@pytest.fixture(scope="module")
def python(sdk: Callable[[str], Path]) -> Path:
    return sdk(VERSION)


def steps_of(wire: Wire, run: Run) -> list[int]:
    return [line["_step"] for line in wire.rows(run)]


def sync(python: Path, folder: Path, env: dict[str, str], *options: str) -> None:
    """Run `wandb sync` on the one run below the folder."""
    found = sorted((folder / "wandb").glob("*run-*"))
    assert len(found) == 1, found
    done = subprocess.run(
        [str(python.with_name("wandb")), "sync", *options, str(found[0])],
        env=sdks.script_env(env, folder), cwd=folder, text=True, capture_output=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


# -- clients that only do something after 15 s: begun first, so that other tests run meanwhile ----------------------
# (0.31 posts what there is at once, every 15 s and at the end; it has a setting for that, which does nothing.)

TRAINS = """
import time, wandb
run = wandb.init(project="crashes", id="crashing")
for step in range(1000):
    run.log({"loss": step})
    print("line", step)
    time.sleep(0.1)
"""
HALF = """
import os, signal, time, wandb
run = wandb.init(project="halves", id="ID")
for step in range(100):
    run.log({"step": step})
    print("line", step)
    while step == 30 and SENT and wandb.Api().run("halves/ID").lastHistoryStep < 30:
        time.sleep(0.1)
    if step == 49:
        time.sleep(0.5)
        os.killpg(0, signal.SIGKILL)  # this process and its core, which is in its group
"""
STOPS = """
import time, wandb
run = wandb.init(project="stops", id="stopping")
open("begun", "w").close()
try:
    for step in range(600):
        run.log({"step": step})
        time.sleep(0.1)
except KeyboardInterrupt:
    open("interrupted", "w").close()
    raise
"""


@dataclass(frozen=True)
class Client:
    """A script of the SDK that was started."""

    process: "subprocess.Popen[str]"
    folder: Path


@pytest.fixture(scope="module")
def bea(server: Installation) -> Iterator[Person]:
    """Somebody whose server is not killed: a client that ends waits for one."""
    with person(server, "dur-bea") as made:
        yield made


@pytest.fixture(scope="module")
def early(
    site: Site, bea: Person, python: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Client]]:
    """Start them all."""
    sent_half = HALF.replace("ID", "sent").replace("SENT", "True")
    of_bea = bea.env | SETTINGS
    clients = {}
    for name, code, env in (
        ("trains", TRAINS, site.env),
        ("half", sent_half, site.env),
        ("stops", STOPS, of_bea),
    ):
        folder = tmp_path_factory.mktemp(name)
        clients[name] = Client(sdks.start_script(python, code, env=env, cwd=folder), folder)
    yield clients
    for client in clients.values():
        sdks.kill_script(client.process)


@pytest.fixture(scope="module")
def crashing(site: Site, early: dict[str, Client]) -> Path:
    """Kill -9 a training process; return the folder it left."""
    client, run = early["trains"], Run(site.ada.name, "crashes", "crashing")
    until(lambda: site.ada.wire.find(run).get("historyLineCount", 0) > 5, "rows at the server")
    sdks.kill_script(client.process)
    return client.folder


# -- the server is killed ------------------------------------------------------------------------------------------

CLIENTS = amount("SDK processes at a server that is killed", 2, 20)
STEPS = 190
LOGS = """
import time, wandb
number, steps = NUMBER, STEPS
run = wandb.init(project="kills", id=f"client{number}")
open(f"begun{number}", "w").close()
for step in range(steps):
    run.log({"step": step, "value": step * 1000 + number, "text": f"{number}:{step}"})
    if step % 10 == 0:
        print("at", number, step)
    time.sleep(0.1)
run.finish()
"""


def test_all_lines_of_many_sdk_processes_are_there_once_after_kill_9_of_web_and_of_everything(
    site: Site, python: Path, early: dict[str, Client], stopped: Client, tmp_path: Path
) -> None:
    """RUN-8: the SDK sends again what was not acknowledged, and what was acknowledged is durable."""
    server, wire = site.server, site.ada.wire
    codes = [LOGS.replace("NUMBER", str(number)).replace("STEPS", str(STEPS)) for number in range(CLIENTS)]
    processes = [sdks.start_script(python, code, env=site.env, cwd=tmp_path) for code in codes]
    first = Run(site.ada.name, "kills", "client0")
    try:
        until(lambda: len(list(tmp_path.glob("begun*"))) == CLIENTS, "all clients have begun")
        until(lambda: wire.find(first).get("historyLineCount"), "rows of the first client")
        server.kill9("web")
        server.start()
        until(lambda: wire.run(first)["state"] == "finished", "the end of the first client")
        for name in ("web", "worker", *(["redis"] if GIVEN_REDIS == "" else [])):
            server.kill9(name)
        server.start()
        for process in processes:
            out = sdks.ended(process)
            assert process.returncode == 0, out
    finally:
        for process in processes:
            sdks.kill_script(process)
    for number in range(CLIENTS):
        run = Run(site.ada.name, "kills", f"client{number}")
        rows = wire.rows(run)
        assert [line["_step"] for line in rows] == list(range(STEPS)), f"client {number}"
        assert [line["text"] for line in rows] == [f"{number}:{step}" for step in range(STEPS)]
        log = [line for line in wire.log(run) if line.startswith("at ")]
        assert log == [f"at {number} {step}" for step in range(0, STEPS, 10)]
        assert wire.run(run)["state"] == "finished"


KILLS = amount("kills of a server that raw posts go to", 4, 10)
BATCH = 7


@dataclass
class Poster:
    """Posts rows until told to end, each post again until it is acknowledged, as the SDK does."""

    url: str
    key: str
    run: Run
    ended: threading.Event
    acknowledged: int = 0
    retries: int = 0
    refused: list[str] = field(default_factory=list)

    def go(self) -> None:
        wire = Wire(self.url, self.key)
        while not self.ended.is_set() or not self.acknowledged:
            rows = [row(i, value=i * 3) for i in range(self.acknowledged, self.acknowledged + BATCH)]
            body = history(self.acknowledged, *rows)
            lines = [f"line {i}" for i in range(self.acknowledged, self.acknowledged + BATCH)]
            body["files"]["output.log"] = {"offset": self.acknowledged, "content": lines}
            while not self._sent(wire, body):
                self.retries += 1
                time.sleep(0.02)
            self.acknowledged += BATCH
        wire.http.close()

    def _sent(self, wire: Wire, body: Any) -> bool:
        try:
            reply = wire.post(self.run, body)
        except httpx.TransportError:
            return False
        if 400 <= reply.status_code < 500:
            self.refused.append(reply.text)
        return reply.status_code == 200


def test_what_was_acknowledged_is_stored_once_after_many_kills(site: Site, crashing: Path) -> None:
    """RUN-8."""
    server, wire = site.server, site.ada.wire
    ended = threading.Event()
    posters = [Poster(server.url, site.ada.key, wire.begin("acks", f"poster{i}"), ended) for i in range(4)]
    threads = [threading.Thread(target=poster.go) for poster in posters]
    for thread in threads:
        thread.start()
    try:
        for _ in range(KILLS):
            time.sleep(random.uniform(0.05, 0.5))
            server.kill9("web")
            server.start()
    finally:
        ended.set()
        for thread in threads:
            thread.join(timeout=PATIENCE_S)
    for poster in posters:
        assert poster.refused == []
        assert poster.retries >= KILLS
        assert steps_of(wire, poster.run) == list(range(poster.acknowledged))
        last = [f"line {i}" for i in range(poster.acknowledged)][-10_000:]
        assert wire.log(poster.run) == last


# -- a client is killed, and its folder synced ---------------------------------------------------------------------


def check_that_it_is_there_once(site: Site, python: Path, client: Client, uid: str, *, sent: int) -> None:
    wire, run = site.ada.wire, Run(site.ada.name, "halves", uid)
    sdks.ended(client.process)
    assert client.process.returncode == -signal.SIGKILL
    assert steps_of(wire, run) == list(range(sent))
    for options in (["--include-online"], ["--include-online", "--include-synced"]):
        sync(python, client.folder, site.env, *options)
        assert steps_of(wire, run) == list(range(50))
        log = [line for line in wire.log(run) if line.startswith("line ")]
        assert log == [f"line {step}" for step in range(50)]


def test_a_killed_clients_rows_are_there_once_after_syncing_twice(
    site: Site, python: Path, early: dict[str, Client]
) -> None:
    """RUN-8: told of the 31 rows that were sent, `wandb sync` sends all 50, from that count on."""
    check_that_it_is_there_once(site, python, early["half"], "sent", sent=31)


def test_a_killed_clients_rows_that_were_never_sent_are_there_after_syncing_twice(
    site: Site, python: Path, tmp_path: Path
) -> None:
    code = HALF.replace("ID", "unsent").replace("SENT", "False")
    client = Client(sdks.start_script(python, code, env=site.env, cwd=tmp_path), tmp_path)
    check_that_it_is_there_once(site, python, client, "unsent", sent=0)


AGAIN = """
import wandb
run = wandb.init(project="halves", id="again")
for step in range(10):
    run.log({"who": WHO, "step": step})
    print("who", WHO, step)
run.finish()
"""


def test_the_same_id_again_without_resume_keeps_both_processes_rows(
    site: Site, python: Path, tmp_path: Path
) -> None:
    """RUN-9."""
    for who in (1, 2):
        sdks.run_script(python, AGAIN.replace("WHO", str(who)), env=site.env, cwd=tmp_path)
    run = Run(site.ada.name, "halves", "again")
    found = sorted((line["who"], line["step"]) for line in site.ada.wire.rows(run))
    assert found == [(who, step) for who in (1, 2) for step in range(10)]
    log = [line for line in site.ada.wire.log(run) if line.startswith("who")]
    assert log == [f"who {who} {step}" for who in (1, 2) for step in range(10)]
    assert site.ada.wire.run(run)["state"] == "finished"


OFFLINE = """
import math, wandb
run = wandb.init(project="offline", id="away", mode="offline", config={"lr": 1})
for step in range(30):
    run.log({"step": step, "odd": math.nan})
print("done")
run.finish()
"""


def test_an_offline_run_is_all_there_after_syncing(site: Site, python: Path, tmp_path: Path) -> None:
    sdks.run_script(python, OFFLINE, env=site.env, cwd=tmp_path)
    sync(python, tmp_path, site.env)
    run = Run(site.ada.name, "offline", "away")
    found = site.ada.wire.run(run)
    assert [line["step"] for line in site.ada.wire.rows(run)] == list(range(30))
    assert found["state"] == "finished"
    assert json.loads(found["config"])["lr"] == {"value": 1}
    assert "done" in site.ada.wire.log(run)


# -- a run is stopped ----------------------------------------------------------------------------------------------

STOP = "mutation S($id: ID!) { stopRun(input: {id: $id}) { success } }"


@pytest.fixture(scope="module")
def stopped(bea: Person, early: dict[str, Client]) -> Client:
    """Ask a run to stop."""
    client, run = early["stops"], Run(bea.name, "stops", "stopping")
    until((client.folder / "begun").exists, "the run has begun")
    assert bea.wire.data(STOP, id=bea.wire.run(run)["id"])["stopRun"]["success"] is True
    return client


def test_a_stopped_run_is_interrupted_and_killed(bea: Person, stopped: Client) -> None:
    """RUN-2, RUN-4."""
    out = sdks.ended(stopped.process)
    assert (stopped.folder / "interrupted").exists(), out
    assert stopped.process.returncode != 0
    assert bea.wire.run(Run(bea.name, "stops", "stopping"))["state"] == "killed"


# -- what became of the killed training process --------------------------------------------------------------------


def of_rest(site: Site, run: Run) -> dict[str, Any]:
    reply = site.ada.wire.http.get(f"/api/v1/runs/?entity={run.entity}&project={run.project}")
    if reply.status_code == 404:
        reply = site.ada.wire.http.get(f"/api/v1/runs?entity={run.entity}&project={run.project}")
    assert reply.status_code == 200, reply.text
    return next(dict(found) for found in reply.json()["results"] if found["uid"] == run.uid)


def test_a_killed_training_process_is_crashed_and_runs_again_when_its_data_comes(
    site: Site, python: Path, crashing: Path
) -> None:
    """RUN-2: it ends as of its last heartbeat; a client that comes back is Running again."""
    run = Run(site.ada.name, "crashes", "crashing")
    wire = site.ada.wire
    until(lambda: wire.run(run)["state"] == "crashed", "Crashed", patience_s=CRASH_TIMEOUT_S + PATIENCE_S)
    found = of_rest(site, run)
    assert found["finished_at"] == found["heartbeat_at"]
    assert wire.post(run, {}).status_code == 200
    again = of_rest(site, run)
    assert (again["state"], again["finished_at"]) == ("running", None)
    before = steps_of(wire, run)
    sync(python, crashing, site.env, "--include-online")
    steps = steps_of(wire, run)
    assert steps == list(range(len(steps)))
    assert len(steps) >= len(before) > 5
