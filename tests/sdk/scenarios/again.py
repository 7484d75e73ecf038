# ruff: noqa: T201
# mypy: ignore-errors
"""A process that uses an id without asking whether it is taken."""

import os

import wandb

run = wandb.init(id="again")
for step in range(10):
    run.log({"who": int(os.environ["WHO"]), "i": step})
    print("who", os.environ["WHO"], step)
run.finish()
