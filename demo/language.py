"""Language models of growing size on several nodes: long curves, many GPUs, long logs."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from demo.hardware import run_environment, samples
from demo.plans import Log, Plan, Source, console, rows, times
from demo.wire import LoggedRun


def _language_log(config: dict[str, Any], lasts_s: float, *, dies: bool) -> Log:
    def log(run: LoggedRun, chance: Source, began_at: float) -> int | None:
        count = 4000
        tokens = np.linspace(1e6, config["tokens"], count)
        floor = 1.9 + 380 / config["params"] ** 0.34
        loss = floor + 7.5 * (tokens / 1e6) ** -0.42 + chance.normal(scale=0.02, size=count)
        spikes = chance.random(count) < 0.002
        loss = np.where(spikes, loss + chance.uniform(0.5, 2.0, count), loss)
        history = rows(
            {
                "train/loss": loss, "train/grad_norm": 0.6 + 2 * np.exp(-np.arange(count) / 300) + 3 * spikes,
                "train/tokens": tokens, "perf/tokens_per_second": chance.normal(412_000, 6_000, count),
                "perf/mfu": chance.normal(0.47, 0.006, count),
                "eval/loss": np.where(np.arange(count) % 100 == 99, loss + 0.05, np.nan),
            }, began_at, lasts_s,
        )  # fmt: skip
        system = []
        for node in range(int(config["nodes"])):
            moments = times(began_at + node, lasts_s, 120)  # nodes sample on their own clocks
            system += samples(chance, moments, began_at, gpus=8, label=f"node-{node}")
        system.sort(key=lambda sample: sample["_timestamp"])
        lines = [f"\x1b[1mLaunching on \x1b[36m{config['nodes']} nodes\x1b[0m x 8 GPUs"]
        lines += [
            f"\x1b[2mstep {n:5d}\x1b[0m  loss \x1b[33m{loss[n]:.4f}\x1b[0m  {tokens[n] / 1e9:.2f}B tokens"
            for n in range(count)
        ]
        run.log(
            history[:2000], system[:200], [console(n, x, began_at + n) for n, x in enumerate(lines[:2000])]
        )
        if dies:
            return None
        run.log(
            history[2000:], system[200:], [console(n, x, began_at + n) for n, x in enumerate(lines[2000:])]
        )
        return 0

    return log


def language_models(source: Source) -> Iterator[Plan]:
    """Yield eight pretraining runs of growing size; the last one loses its nodes half-way."""
    for number, params in enumerate([125e6, 350e6, 760e6, 1.3e9, 1.3e9, 2.7e9, 6.7e9, 6.7e9]):
        config = {
            "params": params, "tokens": 20 * params, "nodes": 2 if params < 1e9 else 4, "lr": 6e-4 / (number + 1),
            "context": 4096, "parallel": {"tensor": 2, "pipeline": 1 if params < 3e9 else 2}, "precision": "bf16",
        }  # fmt: skip
        lasts_s = 40_000.0 + 9_000 * number
        yield Plan(
            author="lena" if number % 2 else "tomas", team="language", project="pretraining", uid=f"lm{number}",
            seed=100 + number, tags=["scaling-law"],
            fields={
                "displayName": f"gpt-{params / 1e9:g}b-{'ab'[number % 2]}", "config": config, "jobType": "pretrain",
                "host": "hpc-login-1", "program": "pretrain.py", "groupName": "scaling",
                "told": run_environment("hpc-login-1", ["pretrain.py", "--config", "gpt.yaml"], gpus=8),
                "notes": "Loss at 20 tokens a parameter, for the scaling law.",
            },
            log=_language_log(config, lasts_s, dies=number == 7),
            began_s_ago=(9 - number) * 60_000.0 + lasts_s, lasts_s=lasts_s,
        )  # fmt: skip
