# ruff: noqa: T201
# mypy: ignore-errors
"""A run of somebody who logged in before."""

import os

import wandb

print("VERIFIED", wandb.login(key=os.environ.get("KEY"), verify=True))
run = wandb.init(id="login")
run.log({"a": 1})
run.finish()
