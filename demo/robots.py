"""Reinforcement learning with many seeds, to be grouped."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from demo.hardware import run_environment
from demo.plans import Log, Plan, Source, rows
from demo.wire import LoggedRun


def _robot_log(config: dict[str, Any], lasts_s: float) -> Log:
    def log(run: LoggedRun, chance: Source, began_at: float) -> int | None:
        count = 400
        best = {"ppo": 3400, "sac": 4300, "td3": 3900}[config["algorithm"]] + chance.normal(scale=250)
        episode = best / (1 + np.exp(-(np.arange(count) - 150) / 45)) + chance.normal(scale=220, size=count)
        length = np.clip(episode / 4.2, 20, 1000)
        history = rows(
            {
                "rollout/reward": episode, "rollout/length": length,
                "policy/entropy": 1.4 * np.exp(-np.arange(count) / 170) + chance.normal(scale=0.02, size=count),
                "value/loss": 60 * np.exp(-np.arange(count) / 90) + chance.gamma(2, 1, count),
            }, began_at, lasts_s,
        )  # fmt: skip
        run.log(history)
        return 255 if config["seed"] == 7 else 0

    return log


def robots(source: Source) -> Iterator[Plan]:
    """Yield ten seeds of three algorithms; the eighth of each was stopped by hand."""
    for number in range(30):
        config = {"algorithm": ["ppo", "sac", "td3"][number % 3], "seed": number // 3, "env": "Humanoid-v5"}
        lasts_s = 2400.0
        yield Plan(
            author="grace" if number % 2 else "kenji", team="robotics", project="humanoid", uid=f"robot{number:02d}",
            seed=300 + number, tags=["paper"] if config["algorithm"] == "sac" else [],
            fields={
                "displayName": f"{config['algorithm']}-seed-{config['seed']}", "config": config, "host": "sim-01",
                "groupName": str(config["algorithm"]), "jobType": "train", "program": "rl.py",
                "told": run_environment("sim-01", ["rl.py", "--algorithm", str(config["algorithm"])]),
            },
            log=_robot_log(config, lasts_s), began_s_ago=(31 - number) * 2700.0, lasts_s=lasts_s,
        )  # fmt: skip
