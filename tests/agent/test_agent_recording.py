"""AGT-1, AGT-3, AGT-8: what the agent's Python API and `run` record, as a real installation has it afterwards."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests import clients
from tests.agents import agent
from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.waiting import PATIENCE_S, until

TRAINING = """
import runyard_agent as runyard
with runyard.init(project="recorded", id="from-python", config={"lr": 0.1, "net": {"depth": 4}}, tags=["night"]) as run:
    for step in range(500):
        run.log({"loss": 1 / (step + 1), "net": {"norm": step}})
    run.summary["best"] = 0.002
    run.config["seed"] = 7
    open("weights.txt", "w").write("weights")
    run.save("weights.txt")
    print("trained", run.step, "steps")
"""
WRAPPED = "import sys, time; print('hello'); print('oh no', file=sys.stderr, flush=True); time.sleep(1); sys.exit(3)"
UNTIL_STOPPED = """
import time
try:
    print("waiting", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    print("asked to stop", flush=True)
    raise SystemExit(0)
"""


@pytest.fixture(scope="module")
def ada(server: Installation) -> Iterator[Person]:
    with person(server, "recording-ada") as made:
        yield made


@pytest.fixture
def here(server: Installation, ada: Person, tmp_path, monkeypatch) -> Callable[..., Any]:
    """Give a function that starts the agent in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    more = {"RUNYARD_SPOOL_DIR": str(tmp_path / "spool"), "RUNYARD_PROJECT": "recorded"}
    return lambda *command: agent(server, ada.key, *command, **more)


@pytest.fixture
def rest(server: Installation, ada: Person) -> Iterator[httpx.Client]:
    address = f"{server.url}/api/v1"
    with clients.client(base_url=address, auth=("api", ada.key), follow_redirects=True) as http:
        yield http


@pytest.mark.parametrize("uid", ["..", "lr=0.1 50% 日本", "龍" * 128])
def test_a_command_is_recorded_as_a_run_of_any_id(here, rest, uid):
    """RUN-1, AGT-1."""
    command = here("-m", "runyard_agent", "run", "--run-id", uid, "--", "sh", "-c", "echo hello; exit 3")
    printed, _ = command.communicate(timeout=PATIENCE_S)
    assert command.returncode == 3, printed
    run = until(lambda: (found := run_of(rest, uid)).get("state") == "failed" and found, "the end")
    assert "hello" in rest.get(f"/runs/{run['id']}/logs/download/").text


def run_of(rest: httpx.Client, uid: str) -> dict[str, Any]:
    found = rest.get("/runs/", params={"uid": uid}).json()["results"]
    return dict(rest.get(f"/runs/{found[0]['id']}/").json()) if found else {}


def lines_of(rest: httpx.Client, run: dict[str, Any], what: str) -> list[Any]:
    return [json.loads(line) for line in rest.get(f"/runs/{run['id']}/{what}/").text.splitlines()]


def printed(process: Any) -> str:
    text, _ = process.communicate(timeout=PATIENCE_S)
    return str(text)


def test_a_training_in_python(here, rest):
    """AGT-3: history, configuration, summary, console, file and hardware are there when the program has ended."""
    process = here("-c", TRAINING)
    shown = printed(process)
    assert process.returncode == 0, shown
    run = run_of(rest, "from-python")
    assert (run["state"], run["exit_code"], run["tags"]) == ("finished", 0, ["night"])
    assert run["config"] == {"lr": 0.1, "net": {"depth": 4}, "seed": 7}
    assert (run["summary"]["loss"], run["summary"]["best"]) == (0.002, 0.002)
    history = lines_of(rest, run, "history")
    assert [(row["_step"], row["loss"]) for row in history] == [(step, 1 / (step + 1)) for step in range(500)]
    assert lines_of(rest, run, "system")
    assert "trained 500 steps" in rest.get(f"/runs/{run['id']}/logs/download/").text
    assert rest.get(f"/runs/{run['id']}/files/weights.txt/").text == "weights"
    assert "/recorded/runs/from-python" in shown


def test_a_wrapped_command(here, rest):
    """AGT-1: its output is shown and recorded, its exit code is ours and the run's."""
    process = here("-m", "runyard_agent", "run", "--run-id", "wrapped", "--", "python3", "-c", WRAPPED)
    shown = printed(process)
    assert process.returncode == 3, shown
    run = run_of(rest, "wrapped")
    assert (run["state"], run["exit_code"]) == ("failed", 3)
    lines = rest.get(f"/runs/{run['id']}/logs/").json()["lines"]
    assert {(line["level"], line["text"]) for line in lines} == {(None, "hello"), ("error", "oh no")}
    assert "hello" in shown
    assert "oh no" in shown


def test_a_stop_on_the_web_reaches_a_wrapped_command(here, rest):
    """AGT-1, RUN-4: it is asked to end, and the run counts as killed."""
    process = here("-m", "runyard_agent", "run", "--run-id", "stopped", "--", "python3", "-c", UNTIL_STOPPED)
    run = until(lambda: run_of(rest, "stopped"), "the run")
    assert rest.post(f"/runs/{run['id']}/stop/").status_code == 200
    shown = printed(process)
    assert "asked to stop" in shown
    assert run_of(rest, "stopped")["state"] == "killed"


def test_a_killed_recorder_leaves_what_sync_sends(here, rest):
    """AGT-5: kill -9 of the agent; the rest is on disk, and ``sync`` brings it."""
    command = "import time\nfor n in range(10**6): print('line', n, flush=True); time.sleep(0.01)"
    process = here("-m", "runyard_agent", "run", "--run-id", "cut", "--", "python3", "-c", command)
    until(lambda: run_of(rest, "cut"), "the run")
    os.kill(process.pid, signal.SIGKILL)
    shown = printed(process)
    seen = max(int(line.split()[1]) for line in shown.splitlines() if line.startswith("line "))
    sent = here("-m", "runyard_agent", "sync", "--timeout", "60")
    told = printed(sent)
    assert sent.returncode == 0, told
    text = rest.get(f"/runs/{run_of(rest, 'cut')['id']}/logs/download/").text
    numbers = [int(line.rpartition("line ")[2]) for line in text.splitlines()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= seen  # what was shown was recorded first, but for the line being written
