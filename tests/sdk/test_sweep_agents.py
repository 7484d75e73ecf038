"""RUN-50: real agents side by side: each point once, hyperband stops what falls behind, and kills lose nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.installation import Installation
from tests.sdk.people import VERSION, person
from tests.sdk.sweep_lab import SweepLab, sweep_lab

pytestmark = pytest.mark.sdk

HYPERBAND = """
program: train.py
method: grid
metric: {name: loss, goal: minimize}
early_terminate: {type: hyperband, min_iter: 3, eta: 2}
parameters:
  kind: {values: [%s]}
  lr: {values: [%s]}
"""


@pytest.fixture
def lab(server: Installation, sdk: Callable[[str], Path], tmp_path: Path) -> Iterator[SweepLab]:
    """Give somebody with a folder of the newest release."""
    with (
        person(server, f"agents-{tmp_path.name}".replace("_", "-")[:40]) as ada,
        sweep_lab(server, ada, sdk(VERSION), tmp_path) as made,
    ):
        yield made


def check(found: dict[str, Any], points: int) -> None:
    """See that each point was handed out once, and what was stopped had fallen behind."""
    trials = found["of trials"]
    assert (found["state"], found["trials"], len(trials), found["runs"]) == (
        "FINISHED",
        points,
        points,
        points,
    )
    assert len({(args["kind"], args["lr"]) for _number, args, *_rest in trials}) == points
    stopped = [
        (args["lr"], state) for _number, args, _state, _attempts, state, is_early in trials if is_early
    ]
    assert stopped, trials
    assert all(lr > 0.5 and state == "killed" for lr, state in stopped), trials
    assert {state for _number, args, _s, _a, state, _e in trials if args["lr"] < 0.5} == {"finished"}, trials


def test_two_agents_share_eight_points(lab: SweepLab) -> None:
    lab.create(HYPERBAND % ("a, b", "0.1, 0.2, 0.8, 0.9"))
    lab.start_agents(2)
    lab.wait_for_agents(300)
    check(lab.look(), 8)


@pytest.mark.exhaustive("let four agents do a sweep of 40 runs")
def test_four_agents_share_forty_points(lab: SweepLab) -> None:
    lab.create(HYPERBAND % ("a, b, c, d", "0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.7, 0.8, 0.9"))
    lab.start_agents(4)
    lab.wait_for_agents(1200)
    check(lab.look(), 40)


def kill_host(lab: SweepLab, number: int) -> None:
    """Kill an agent and all that it has started, as a host that goes down does."""
    agent = psutil.Process(lab.agents[number].pid)
    for process in [agent, *agent.children(recursive=True)]:
        process.kill()


@pytest.mark.exhaustive("kill server, worker and an agent's host in the middle of a sweep")
@pytest.mark.faults
def test_kills_lose_no_point_and_give_none_twice(
    new_server: Callable[..., Installation], sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    server = new_server(RUNYARD_CRASH_TIMEOUT_S="60")
    with person(server, "killed-agents") as ada, sweep_lab(server, ada, sdk(VERSION), tmp_path) as lab:
        lab.create(
            HYPERBAND.replace("min_iter: 3", "min_iter: 5000") % ("a, b, c, d", "0.1, 0.2, 0.3"), steps=200
        )
        lab.start_agents(3)
        lab.wait_until(lambda found: found["runs"] >= 3, "three runs under way", 120)
        kill_host(lab, 0)
        server.kill9("web")
        server.start()
        lab.wait_until(lambda found: found["runs"] >= 6, "agents go on", 120)
        for name in ("worker", "web"):
            server.kill9(name)
            server.start()
        found = lab.wait_until(lambda found: found["state"] == "FINISHED", "all points done", 600)
        for agent in lab.agents[1:]:
            agent.communicate(timeout=120)
    trials = found["of trials"]
    assert sorted((args["kind"], args["lr"]) for _n, args, *_rest in trials) == sorted(
        (kind, lr) for kind in "abcd" for lr in (0.1, 0.2, 0.3)
    )
    assert {state for _n, _a, _s, _t, state, _e in trials} == {"finished"}, trials
    assert max(attempts for _n, _a, _s, attempts, *_rest in trials) == 2, "the killed host's run is repeated"
    assert found["run states"] == ["crashed"] + ["finished"] * 12
