"""AGT-2, AGT-9: hosts, attached nodes, `top` and `doctor` of the agent against a real installation."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents import environment_of
from tests.installation import Installation
from tests.waiting import PATIENCE_S, until

QUICK = ("--interval", "0.2", "--without", "ipu")


@pytest.fixture(scope="module")
def key(server: Installation) -> str:
    server.manage("create_user", "fleet-flo", "--email", "flo@example.com", "--password", "correct-horse-9")
    return str(server.manage("create_api_key", "fleet-flo")["api_key"])


@pytest.fixture
def environment(server: Installation, key: str, tmp_path: Path) -> dict[str, str]:
    return environment_of(server, key, RUNYARD_SPOOL_DIR=str(tmp_path / "spool"))


@pytest.fixture
def agent(environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "runyard_agent", *arguments]
        started.append(
            subprocess.Popen(
                command,
                env={**environment, **more},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def ask(server: Installation, key: str) -> Callable[..., Any]:
    """Give a function that asks REST; None is what is not JSON."""

    def asked(method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(f"{server.url}/api/v1/{path}", method=method)  # noqa: S310 - our own server
        request.add_header("Authorization", f"Bearer {key}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
            return json.load(answer)

    return asked


def test_a_host_from_start_to_stop_and_again(agent, ask):
    """AGT-2: restarts leave one run, running or finished and never crashed; AGT-9: `top` shows it."""

    def runs() -> list[dict[str, Any]]:
        return list(ask("GET", "runs/?entity=fleet-flo&project=hosts")["results"])

    def run() -> dict[str, Any]:
        [found] = runs()
        return found

    def rows() -> int:
        keys = ask("GET", f"runs/{run()['id']}/keys/?kind=system")["keys"] if runs() else []
        return max((each["count"] for each in keys), default=0)

    for _ in range(2):
        before = rows()
        process = agent("host", *QUICK)
        until(lambda: rows() > before + 3, "rows")  # noqa: B023 - called at once
        assert run()["state"] == "running"
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, errors
        assert run()["state"] == "finished"
        assert "Traceback" not in errors
    assert run()["job_type"] == "host"
    path = f"fleet-flo/hosts/{run()['uid']}"
    shown, errors = agent("top", path, "--once").communicate(timeout=PATIENCE_S)
    assert not errors
    for part in ("finished", path, "last sample", "CPU", "Memory", " GiB"):
        assert part in shown
    data = json.loads(agent("top", path, "--once", "--json").communicate(timeout=PATIENCE_S)[0])
    tags = {each["tag"] for each in data["metrics"]}
    assert {"system.cpu", "system.memory_percent", "system.network.recv"} <= tags
    assert any("per_second" in each for each in data["metrics"])
    files = ask("GET", f"runs/{run()['id']}/files/")["results"]
    assert "wandb-metadata.json" in {file["name"] for file in files}


def test_nodes_attached_to_a_run(agent, ask, server):
    """AGT-2: every node's samples under its label; they neither end the run nor outlive it."""
    nodes = [
        agent("attach", "--run", "fleet-flo/jobs/multi", "--label", f"node-{number}", *QUICK)
        for number in (3, 4)
    ]
    body = {"entity": "fleet-flo", "project": "jobs", "uid": "multi", "resume": "allow", "host": "elsewhere"}
    begun = ask("POST", "runs/", body)
    assert begun["inserted"]

    def labels() -> set[str]:
        keys = ask("GET", f"runs/{begun['id']}/keys/?kind=system")["keys"]
        return {each["key"].partition("/l:")[2] for each in keys if each["count"] > 2}

    until(lambda: labels() == {"node-3", "node-4"}, "both nodes")
    shown, _ = agent("top", begun["url"], "--once").communicate(timeout=PATIENCE_S)
    assert shown.index("node-3   last sample") < shown.index("node-4   last sample")
    assert ask("GET", f"runs/{begun['id']}/")["state"] == "running"
    writer = {"writer": "0123456789abcdef"}
    ask("POST", "runs/fleet-flo/jobs/multi/stream", {**writer, "finish": {"exit_code": 0}})
    for node in nodes:
        _, errors = node.communicate(timeout=PATIENCE_S)
        assert node.returncode == 0
        assert "the run has ended: finished" in errors
    assert ask("GET", f"runs/{begun['id']}/")["state"] == "finished"


@pytest.fixture
def doctor(agent) -> Callable[..., tuple[dict[str, tuple[str, str]], int]]:
    """Give a function that returns state and text by name, and the exit code."""

    def found(**variables: str) -> tuple[dict[str, tuple[str, str]], int]:
        process = agent("doctor", "--json", "--without", "ipu", **variables)
        printed, errors = process.communicate(timeout=PATIENCE_S)
        assert not errors
        return {
            each["name"]: (each["state"], each["text"]) for each in json.loads(printed)
        }, process.returncode

    return found


def test_doctor_knows_the_server(doctor):
    """AGT-4: server, key and clock by REST."""
    states, _ = doctor()
    assert states["key"] == ("works", "of fleet-flo (RUNYARD_API_KEY)")
    assert states["server"][0] == states["clock"][0] == states["spool"][0] == "works"


def test_doctor_says_whether_runs_can_be_logged_there_and_creates_nothing(doctor, ask):
    """The review's D4: a mistyped entity is a problem, and so is a key that only reads."""
    before = len(ask("GET", "projects/")["results"])
    states, code = doctor(RUNYARD_PROJECT="never-there")
    assert states["runs"] == (
        "works", "go to fleet-flo/never-there (project by RUNYARD_PROJECT), which will be created",
    )  # fmt: skip
    assert code == 0
    states, code = doctor(RUNYARD_ENTITY="nosuch")
    why = "the entity 'nosuch' (RUNYARD_ENTITY) does not exist, or this key has no access to it"
    what = "it can log to: fleet-flo; set entity (RUNYARD_ENTITY) to one"
    assert states["runs"] == ("problem", f"{why}; {what}")
    assert code == 1
    states, code = doctor(RUNYARD_PROJECT="a/b")
    assert states["runs"][1].startswith("'a/b' (RUNYARD_PROJECT) is not a valid project name")
    assert code == 1
    assert len(ask("GET", "projects/")["results"]) == before
    ask("POST", "projects/", {"entity": "fleet-flo", "name": "there"})
    assert doctor(RUNYARD_PROJECT="there")[0]["runs"][1].startswith("go to fleet-flo/there (project")
    scopes = ["team.view", "project.view", "run.view"]
    reads = ask("POST", "keys/", {"scopes": scopes})["secret"]
    for project in ("there", "never-there"):
        states, code = doctor(RUNYARD_API_KEY=reads, RUNYARD_PROJECT=project)
        assert states["runs"][1].startswith(f"this key can't log to fleet-flo/{project} (project"), states
        assert code == 1
    limited = ask("POST", "keys/", {"scopes": [*scopes, "run.log", "project.create"]})["secret"]
    for project in ("there", "never-there"):
        assert doctor(RUNYARD_API_KEY=limited, RUNYARD_PROJECT=project)[1] == 0
