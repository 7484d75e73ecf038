# ruff: noqa: T201
# mypy: ignore-errors
"""One of several processes that write to one run at the same time."""

import os
import time
from pathlib import Path

import wandb

who = os.environ["WHO"]
folder = Path(os.environ["TOGETHER"])
primary = who == "0"
settings = wandb.Settings(
    mode="shared", x_label=f"writer{who}", x_primary=primary, x_update_finish_state=primary,
    x_stats_sampling_interval=1,
)  # fmt: skip
run = wandb.init(id="shared", config={"from0": True} if primary else None, settings=settings)
(folder / f"begun{who}").touch()
while len(list(folder.glob("begun*"))) < 3:
    time.sleep(0.1)
for step in range(20):
    run.log({f"value{who}": step, "who": who})
    print("writer", who, step)
    time.sleep(0.1)
if primary:  # the others must have sent all theirs before the run ends
    while len(list(folder.glob("ended*"))) < 2:
        time.sleep(0.1)
run.finish()
(folder / f"ended{who}").touch()
