"""RUN-50: sweeps by the unmodified SDK: its command line, its agents, its Python."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import person
from tests.sdk.table import parts

pytestmark = pytest.mark.sdk

SCENARIO = Path(__file__).with_name("scenarios") / "sweeps.py"


@pytest.fixture(scope="module", params=sdks.of_scenarios())
def told(
    request: pytest.FixtureRequest, server: Installation, sdk: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:  # fmt: skip
    """Run the scenario with one release; return what it saw."""
    version, folder = request.param, tmp_path_factory.mktemp("sweeps")
    python = sdk(version)
    with person(server, f"sweeps-{version.replace('.', '-')}") as ada:
        env = ada.env | {"PATH": f"{python.parent}:/usr/bin:/bin"}
        sdks.run_script(python, SCENARIO.read_text(), env=env, cwd=folder, timeout=400)
    return {"version": version, **json.loads((folder / "told.json").read_text())}


def test_a_new_sweep_is_pending_with_its_configuration(told: dict[str, Any]) -> None:
    assert told["before"] == ["PENDING", {"values": [0.1, 0.2, 0.3]}, 0]


def test_agents_of_a_function_run_each_point_of_a_grid_once(told: dict[str, Any]) -> None:
    after = told["after"]
    assert after["runs"] == [[lr, kind, 7] for lr in (0.1, 0.2, 0.3) for kind in ("adam", "sgd")]
    assert after["state"] == "FINISHED"
    assert after["names"] == [f"sweep-{number}" for number in range(1, 7)]


def test_the_best_run_is_that_of_the_metric(told: dict[str, Any]) -> None:
    assert told["after"]["best"] == [0.1, "adam", 0.1]


def test_a_bayesian_sweep_learns_from_earlier_runs(told: dict[str, Any]) -> None:
    """From 0.19 on."""
    assert ("learned" in told) == (parts(told["version"]) >= (0, 19))
    rates = told.get("learned", [0.1, 0.2])
    assert len(set(rates)) == 2
    assert all(0.05 <= rate <= 0.3 for rate in rates), rates


def test_the_public_api_lists_sweeps_and_agents(told: dict[str, Any]) -> None:
    assert len(told["listed"]) == 1
    if parts(told["version"]) >= (0, 29):
        assert told["agents"] == [[2], [2, 4]]
        assert (told["after"]["name"], told["after"]["expected"]) == ("a grid", 6)


def test_the_command_line_creates_a_sweep_and_starts_an_agent(told: dict[str, Any]) -> None:
    assert told["created"][0] == 0, told["created"]
    assert told["agent"][0] == 0, told["agent"]
    assert "Traceback" not in told["agent"][1]


def test_the_command_line_steers_a_sweep(told: dict[str, Any]) -> None:
    assert [[way, state] for way, _status, state, _printed in told["states"]] == [
        ["--pause", "PAUSED"], ["--resume", "RUNNING"], ["--stop", "FINISHED"], ["--resume", "RUNNING"],
        ["--cancel", "CANCELED"],
    ], told["states"]  # fmt: skip


def test_a_sweep_is_updated(told: dict[str, Any]) -> None:
    assert (told["update"][0], told["cap"]) == (0, 9), told["update"]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("custom", "method: custom is not supported"),
        ("continuous grid", "parameters.lr: a grid needs values"),
        ("controller", "the local controller is not supported"),
        ("no parameters", "parameters"),
    ],
)
def test_what_is_wrong_is_named_where_it_is(told: dict[str, Any], what: str, message: str) -> None:
    assert message in told[what]
