"""AGT-1: a command that the agent records, and in which the real SDK logs, is one run."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import clients, sdks
from tests.agents import environment_of
from tests.installation import Installation
from tests.sdk.people import Person
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.sdk

SCRIPT = """
import sys, time, wandb
print("before", flush=True)
time.sleep(2)
run = wandb.init(project="scripts", config={"lr": 0.1})
for step in range(5):
    run.log({"loss": 1 / (step + 1)})
run.summary["best"] = 0.2
print("trained", flush=True)
time.sleep(1)
run.finish()
other = wandb.init(project="scripts", name="second")
other.log({"loss": 7})
other.finish()
print("after", flush=True)
sys.exit(3)
"""


@pytest.fixture
def rest(server: Installation, ada: Person) -> Iterator[httpx.Client]:
    address = f"{server.url}/api/v1"
    with clients.client(base_url=address, auth=("api", ada.key), follow_redirects=True) as http:
        yield http


def fails(release: str) -> bool:
    """Whether a release ends with an error where the environment names further headers."""
    return release.startswith(("0.19.", "0.20."))


def runs_of(rest: httpx.Client, ada: Person, project: str) -> list[Any]:
    found = rest.get("/runs/", params={"entity": ada.name, "project": project}).json()["results"]
    return [rest.get(f"/runs/{run['id']}/").json() for run in reversed(found)]


def ended(runs: list[Any]) -> list[Any]:
    return runs if len(runs) == 2 and all(run["state"] != "running" for run in runs) else []


def lines_of(rest: httpx.Client, run: Any, what: str) -> list[Any]:
    return [json.loads(line) for line in rest.get(f"/runs/{run['id']}/{what}/").text.splitlines()]


@pytest.mark.parametrize("release", [name for name in sdks.tried() if not fails(name)])
def test_the_sdk_in_a_command_logs_to_the_commands_run(
    *,
    server: Installation,
    ada: Person,
    rest: httpx.Client,
    sdk: Callable[[str], Path],
    tmp_path: Path,
    release: str,
) -> None:
    """The script's id, project, history, summary and config; the agent's console, hardware and exit code; each once."""
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace('"scripts"', f'"scripts-{release}"'))
    env = environment_of(
        server,
        ada.key,
        RUNYARD_PROJECT=f"commands-{release}",
        RUNYARD_SPOOL_DIR=str(tmp_path / "spool"),
        RUNYARD_INTERVAL="0.5",
    )
    env |= sdks.script_env(ada.env | {"PYTHONPATH": env["PYTHONPATH"]}, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "runyard_agent", "run", "--", str(sdk(release)), str(script)],
        env=env, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    run, second = until(lambda: ended(runs_of(rest, ada, f"scripts-{release}")), "both runs")
    assert runs_of(rest, ada, f"commands-{release}") == []
    assert (run["state"], run["exit_code"], run["config"]["lr"], run["summary"]["best"]) == (
        "failed",
        3,
        0.1,
        0.2,
    )
    assert [row["loss"] for row in lines_of(rest, run, "history")] == [1 / (step + 1) for step in range(5)]
    printed = [line["text"] for line in rest.get(f"/runs/{run['id']}/logs/").json()["lines"]]
    assert [printed.count(text) for text in ("before", "trained", "after")] == [1, 1, 1]
    assert (second["display_name"], second["state"], second["summary"]["loss"]) == ("second", "finished", 7)


@pytest.mark.parametrize("release", [name for name in sdks.tried() if fails(name)])
def test_a_release_that_fails_on_headers_trains_as_ever(
    *,
    server: Installation,
    ada: Person,
    rest: httpx.Client,
    sdk: Callable[[str], Path],
    tmp_path: Path,
    release: str,
) -> None:
    """AGT-1: the command ends as it would without the agent; both have a run."""
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace('"scripts"', f'"scripts-{release}"'))
    env = environment_of(
        server,
        ada.key,
        RUNYARD_PROJECT=f"commands-{release}",
        RUNYARD_SPOOL_DIR=str(tmp_path / "spool"),
    )
    env |= sdks.script_env(ada.env | {"PYTHONPATH": env["PYTHONPATH"]}, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "runyard_agent", "run", "--", str(sdk(release)), str(script)],
        env=env, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    until(lambda: ended(runs_of(rest, ada, f"scripts-{release}")), "both runs of the script")
    [run] = runs_of(rest, ada, f"commands-{release}")
    assert run["exit_code"] == 3
