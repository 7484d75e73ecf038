"""Three runs that go on logging, to see pages change."""

import contextlib
import sys
import time

import numpy as np

from demo.hardware import run_environment, samples
from demo.wire import LoggedRun, Server

EVERY_S = 1.0


def go_live(server: Server, minutes: float) -> None:
    """Log a row a second for so long; Ctrl-C ends the runs earlier."""
    chance = np.random.default_rng(1)
    began_at = time.time()
    runs = [
        LoggedRun.begin(
            server, "vision", "cifar-sweep", f"live{int(began_at)}{number}", displayName=f"live-{number}",
            config={"optimizer.lr": 0.001 * 3**number, "batch_size": 128, "epochs": 90}, host="gpu-01",
            program="train.py", told=run_environment("gpu-01", ["train.py"], gpus=1),
        )
        for number in range(3)
    ]  # fmt: skip
    sys.stdout.write(f"Three runs log into vision/cifar-sweep for {minutes:g} minutes; Ctrl-C ends them.\n")
    step = 0
    with contextlib.suppress(KeyboardInterrupt):
        while time.time() < began_at + minutes * 60:
            now = time.time()
            for number, run in enumerate(runs):
                loss = 2.3 * np.exp(-step / (60 + 40 * number)) + 0.1 + chance.normal(scale=0.03)
                row = {
                    "_step": step, "_timestamp": now, "_runtime": now - began_at, "train/loss": float(loss),
                    "train/accuracy": float(0.96 - loss / 3), "val/loss": float(loss + 0.07),
                    "val/accuracy": float(0.94 - loss / 3),
                }  # fmt: skip
                line = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.000000 step {step}  loss {loss:.4f}"
                run.log([row], samples(chance, [now], began_at, gpus=1), [line])
            step += 1
            time.sleep(EVERY_S)
    for run in runs:
        run.finish(0)
