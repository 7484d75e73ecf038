# mypy: ignore-errors
"""A run that goes on until somebody ends it."""

import os
import time
from pathlib import Path

import wandb

soon = {
    "_live_policy_rate_limit": 1,
    "_live_policy_wait_time": 1,
}  # else 0.16 waits a minute for another change
old = wandb.__version__.startswith("0.16.")
run = wandb.init(id=os.environ["RUN"], settings=wandb.Settings(**soon) if old else None)
for name in ("now", "live", "end"):
    Path(f"{name}.txt").write_text("first")
    run.save(f"{name}.txt", base_path=".", policy=name)
try:
    for step in range(1000):
        run.log({"step": step})
        Path("begun").touch()  # within what catches the signal, which may come at once
        time.sleep(0.1)
except KeyboardInterrupt:
    Path("interrupted").touch()
    raise
