# mypy: ignore-errors
"""Alerts of every level, with and without waiting."""

from datetime import timedelta

import wandb

with wandb.init(id="alerts") as run:
    for text in ("first ü\nsecond line", "again"):
        run.alert("hardly any", text, level=wandb.AlertLevel.ERROR, wait_duration=0.001)
    for _ in range(2):
        run.alert(title="a minute", text="by default", level="WARN")
        run.alert(title="an hour", text="as told", wait_duration=timedelta(hours=1))
        run.alert(title="seconds", text="as told", level="INFO", wait_duration=300)
