"""The agent beside the SDK at the same training: CPU and memory of all their processes, log(), start and finish."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers.meter import Meter, tree
from tests import sdks
from tests.installation import Installation
from tests.sdk.people import VERSION, person

ROOT = Path(__file__).resolve().parents[1]
KEYS, STEPS_A_SECOND, SECONDS = 20, 100, 15

TRAIN = f"""
import json, os, sys, time
interval, steps, pause = float(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
row = {{"train/metric_" + str(number): 1 / (number + 3) for number in range({KEYS})}}
begun = time.perf_counter()
BEGIN
started, spent, first = time.perf_counter(), [], time.perf_counter()
for step in range(steps):
    time.sleep(max(first + step * pause - time.perf_counter(), 0))
    before = time.perf_counter()
    run.log(row)
    spent.append(time.perf_counter() - before)
print("logged", flush=True)
sys.stdin.readline()
ending = time.perf_counter()
run.finish()
ended = time.perf_counter()
told = {{"start_s": started - begun, "finish_s": ended - ending, "log_us": [each * 1e6 for each in spent]}}
print(json.dumps(told))
"""

BEGINS = {
    "agent": "import runyard_agent\n"
    "run = runyard_agent.init(project='bench', settings={'interval': interval})",
    "wandb": "import wandb\n"
    "run = wandb.init(project='bench', settings=wandb.Settings(x_stats_sampling_interval=interval))",
    "none": "class run:\n    log = staticmethod(lambda row: None)\n    finish = staticmethod(lambda: None)",
}
"""``none`` logs nothing: what the training itself takes."""


@dataclass(frozen=True)
class Cost:
    """What one training took, with all it started."""

    cpu_s: float
    """While it logged."""
    rss_mb: float
    """When it had logged everything, the training's own included."""
    pss_mb: float
    helpers_cpu_s: float
    """Of the processes beside the training: recorder, or core and monitor."""
    helpers_rss_mb: float
    told: dict[str, Any]


def _environment(name: str, server: Installation, key: str, folder: str) -> dict[str, str]:
    own = {
        "agent": {
            "PYTHONPATH": str(ROOT / "agent"),
            "RUNYARD_URL": server.url,
            "RUNYARD_API_KEY": key,
            "RUNYARD_SPOOL_DIR": folder,
        },
        "wandb": server.client_env(key),
        "none": {},
    }
    return sdks.script_env(own[name], Path(folder))


def measure(name: str, server: Installation, key: str, *, interval_s: float, rate: float, steps: int) -> Cost:
    """Train once in a process of its own."""
    python = str(sdks.python_of(VERSION)) if name == "wandb" else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [python, "-c", TRAIN.replace("BEGIN", BEGINS[name]), str(interval_s), str(steps), str(1 / rate)],
            env=_environment(name, server, key, folder),
            cwd=folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin
        assert process.stdout
        with Meter([process.pid]) as meter:
            while process.stdout.readline().strip() != "logged":
                assert process.poll() is None, f"{name} ended with {process.returncode}"
            cpu_s, rss, pss = meter.cpu_s(), meter.rss, meter.pss()
            helpers = [each for each in tree([process.pid]) if each.pid != process.pid]
            told = process.communicate("\n", timeout=120)[0].splitlines()[-1]
        assert not any(Path(folder).glob("*/spool.json")), "the agent left something unsent"
        return Cost(
            cpu_s,
            rss / 1e6,
            pss / 1e6,
            sum(each.cpu_s for each in helpers),
            sum(each.rss_bytes for each in helpers) / 1e6,
            json.loads(told),
        )


def run(home: Path) -> None:
    """Print a table row for each client, at the default interval, at 1 s, and as fast as it goes."""
    with (
        tempfile.TemporaryDirectory(dir=home) as folder,
        Installation(Path(folder)) as server,
        person(server, "bench-agent") as ada,
    ):
        print(
            f"{KEYS} keys, {STEPS_A_SECOND} steps a second for {SECONDS} s; load {os.getloadavg()[0]:.1f}\n"
        )
        print("| client | samples every | CPU, s | of its helpers | RSS, MB | of its helpers | PSS, MB |"
              " log() p50, us | p99 | start, s | finish, s |")  # fmt: skip
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        for interval_s in (15.0, 1.0):
            for name in BEGINS:
                steps = STEPS_A_SECOND * SECONDS
                cost = measure(name, server, ada.key, interval_s=interval_s, rate=STEPS_A_SECOND, steps=steps)
                print(_row(name, f"{interval_s:g} s", cost), flush=True)
        for name in BEGINS:
            cost = measure(name, server, ada.key, interval_s=15.0, rate=1e9, steps=10_000)
            print(_row(name, "10,000 steps at once", cost), flush=True)


def _row(name: str, when: str, cost: Cost) -> str:
    spent = sorted(cost.told["log_us"])
    figures = (
        f"{cost.cpu_s:.2f}", f"{cost.helpers_cpu_s:.2f}", f"{cost.rss_mb:.0f}", f"{cost.helpers_rss_mb:.0f}",
        f"{cost.pss_mb:.0f}", f"{statistics.median(spent):.1f}", f"{spent[int(len(spent) * 0.99)]:.0f}",
        f"{cost.told['start_s']:.2f}", f"{cost.told['finish_s']:.2f}",
    )  # fmt: skip
    return f"| {name} | {when} | {' | '.join(figures)} |"
