# mypy: ignore-errors
"""One of two writers that log to the same collections at the same moment."""

import os
import time
from pathlib import Path

import wandb

who, together = os.environ["WHO"], Path(os.environ["TOGETHER"])
with wandb.init(id=f"racer-{who}") as run:
    (together / who).touch()
    while len(list(together.glob("[12]"))) < 2:
        time.sleep(0.02)
    for number in range(3):
        for name, text in (("differs", f"{who} {number}"), ("equals", f"{number}")):
            made = wandb.Artifact(name, "dataset")
            with made.new_file("a.txt") as file:
                file.write(text)
            run.log_artifact(made).wait()
