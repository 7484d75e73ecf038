# mypy: ignore-errors
"""One of several processes that write a version together; the last one finishes it, and one waits for its kill."""

import os
import time
from pathlib import Path

import wandb

who = os.environ["WHO"]
with wandb.init(id=f"writer-{who}", group="together") as run:
    made = wandb.Artifact("joint", "dataset")
    with made.new_file(f"{who}.txt") as file:
        file.write(who)
    with made.new_file("same.txt") as file:
        file.write("same")
    if who == "last":
        run.finish_artifact(made, distributed_id="joint-1").wait()
    else:
        run.upsert_artifact(made, distributed_id="joint-1")
        if "UNTIL_KILLED" in os.environ:
            Path("killable").touch()
            time.sleep(600)
