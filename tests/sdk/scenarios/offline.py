# ruff: noqa: T201
# mypy: ignore-errors
"""A run that the server hears of later."""

from pathlib import Path

import wandb

run = wandb.init(id="offline", mode="offline", config={"lr": 1}, tags=["away"])
for step in range(30):
    run.log({"i": step})
Path("kept.txt").write_text("kept")
run.save("kept.txt", base_path=".", policy="now")
print("printed offline")
run.finish()
