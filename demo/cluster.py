"""What runs now: a training over several nodes, and the agent that watches a machine."""

from collections.abc import Iterator

import numpy as np

from demo.hardware import run_environment, samples
from demo.plans import Log, Plan, Source, console, rows, times
from demo.wire import LoggedRun

NODES = 4
LASTS_S = 1800.0


def _training(run: LoggedRun, chance: Source, began_at: float) -> int | None:
    count = 900
    loss = 1.8 + 6 * np.exp(-np.arange(count) / 200) + chance.normal(scale=0.03, size=count)
    system = []
    for node in range(1, NODES + 1):
        moments = times(began_at, LASTS_S, 120)
        held = (0, 1, 2, 3, 4, 5) if node == NODES else range(8)
        system += samples(chance, moments, began_at, gpus=8, label=f"node-{node}", held=held)
    system.sort(key=lambda sample: sample["_timestamp"])
    lines = [console(n, f"step {n}  loss {value:.4f}", began_at + 2 * n) for n, value in enumerate(loss)]
    run.log(rows({"train/loss": loss}, began_at, LASTS_S), system, lines)
    return None


def _watching(run: LoggedRun, chance: Source, began_at: float) -> int | None:
    run.log(system=samples(chance, times(began_at, LASTS_S, 120), began_at, gpus=8, held=(0, 2, 3)))
    return None


def cluster(_source: Source) -> Iterator[Plan]:
    """Yield two runs that have not ended."""
    plans: list[tuple[str, str, str, str, list[str], Log]] = [
        ("nodes", "four-nodes", "train", "node-1", ["pretrain.py", "--nodes", "4"], _training),
        ("watch-gpu-09", "gpu-09", "host", "gpu-09", ["runyard-agent", "host"], _watching),
    ]
    for number, (uid, title, job_type, host, command, log) in enumerate(plans):
        yield Plan(
            author="ada", team="vision", project="cluster", uid=uid, seed=900 + number,
            fields={
                "displayName": title, "jobType": job_type, "host": host, "program": command[0],
                "told": run_environment(host, command, gpus=8),
            },
            log=log, began_s_ago=LASTS_S, lasts_s=LASTS_S,
        )  # fmt: skip
