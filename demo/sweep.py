"""Image classifiers over a random grid of settings; how good one gets follows from its configuration."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from demo.code import files_of
from demo.hardware import run_environment, samples
from demo.plans import Log, Plan, Source, console, name, rows, times
from demo.wire import LoggedRun

COUNT = 180


def _sweep_log(number: int, config: dict[str, Any], lasts_s: float) -> Log:
    def log(run: LoggedRun, chance: Source, began_at: float) -> int | None:
        epochs = int(config["epochs"])
        t = np.arange(1, epochs + 1) / epochs
        distance = abs(np.log10(config["optimizer.lr"]) + 2.7) + 0.3 * (config["augment"] == "none")
        ceiling = (
            0.955 - 0.06 * distance**1.5 + 0.01 * (config["model.depth"] == 50) + chance.normal(scale=0.004)
        )
        pace = 4 + 3 * (config["batch_size"] < 256)
        accuracy = ceiling - (ceiling - 0.1) * np.exp(-pace * t) + chance.normal(scale=0.006, size=epochs)
        loss = (
            2.3 * np.exp(-pace * 0.9 * t) + 0.1 + 0.4 * distance * t + chance.normal(scale=0.02, size=epochs)
        )
        lines = [f"config: {config}", "loading CIFAR-100 (50000 train, 10000 test)"]
        lines += [f"epoch {n + 1:3d}  loss {loss[n]:.4f}  acc {accuracy[n]:.4f}" for n in range(epochs)]
        if files := files_of(number, config, chance):
            run.upload(files)
        failed = config["batch_size"] >= 1024 and config["model.depth"] >= 101
        if failed:
            lines = [
                *lines[:5], "Traceback (most recent call last):", '  File "train.py", line 212, in <module>',
                "    main()", '  File "train.py", line 171, in main', "    loss.backward()",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.75 GiB. GPU 0 has 79.11 GiB in all.",
            ]  # fmt: skip
        shown = 3 if failed else epochs
        history = rows(
            {
                "epoch": np.arange(shown), "train/loss": loss[:shown],
                "train/accuracy": np.clip(accuracy + 0.02 * t, 0, 1)[:shown],
                "val/loss": (loss + 0.08 + 0.05 * t)[:shown], "val/accuracy": np.clip(accuracy, 0, 1)[:shown],
                "lr": (config["optimizer.lr"] * (1 + np.cos(np.pi * t)) / 2)[:shown],
            }, began_at, lasts_s,
        )  # fmt: skip
        run.log(
            history,
            samples(chance, times(began_at, lasts_s, 24), began_at, gpus=1),
            [console(n, line, began_at + n) for n, line in enumerate(lines)],
        )
        return 1 if failed else 0

    return log


def sweep(source: Source) -> Iterator[Plan]:
    """Yield image classifiers over a random grid of settings."""
    people = ("ada", "kenji")
    for number in range(COUNT):
        config = {
            "model.name": "resnet", "model.depth": int(source.choice([18, 34, 50, 101])),
            "optimizer.name": str(source.choice(["adamw", "sgd", "lion"])),
            "optimizer.lr": float(np.round(10 ** source.uniform(-4.5, -1.3), 6)),
            "optimizer.weight_decay": float(source.choice([0.0, 0.01, 0.05, 0.1])),
            "batch_size": int(source.choice([64, 128, 256, 512, 1024])), "epochs": 90, "seed": int(number % 5),
            "augment": str(source.choice(["none", "flip", "randaugment"])), "dataset": "cifar-100",
        }  # fmt: skip
        lasts_s = float(source.uniform(1500, 5200))
        host = f"gpu-{int(source.integers(1, 9)):02d}"
        yield Plan(
            author=people[number % 2], team="vision", project="cifar-sweep", uid=f"sweep{number:03d}", seed=number,
            fields={
                "displayName": name(number), "config": config, "groupName": str(config["optimizer.name"]),
                "jobType": "train", "host": host, "program": "train.py",
                "told": run_environment(host, ["train.py", "--sweep"], gpus=1), "commit": "9f31c7e2a4",
            },
            tags=["baseline"] if number % 17 == 0 else [],
            log=_sweep_log(number, config, lasts_s), began_s_ago=(COUNT - number) * 2900.0 + lasts_s, lasts_s=lasts_s,
        )  # fmt: skip
