# mypy: ignore-errors
"""A process that labels what it measures of its machine."""

import time

import wandb

run = wandb.init(id="label", settings=wandb.Settings(x_label="node-7", x_stats_sampling_interval=1))
run.log({"a": 1})
time.sleep(3)
run.finish()
