# ruff: noqa: T201
# mypy: ignore-errors
"""A run that is killed after it has sent some of its rows."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import wandb

run = wandb.init(id="killed")
for step in range(50):
    run.log(
        {"i": step, "text": "x" * 2000}
    )  # wide rows, or the SDK keeps all of them in memory until the kill
    print("line", step)
    if step == 30:
        time.sleep(16)  # newer releases post every 15 s
time.sleep(1)
for stat in Path("/proc").glob("[0-9]*/stat"):  # 0.16 gives its service a session of its own
    with suppress(OSError):  # others end meanwhile
        if stat.read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
            os.kill(int(stat.parent.name), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
