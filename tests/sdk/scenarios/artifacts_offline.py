# mypy: ignore-errors
"""A run with an artifact and a table that the server hears of later."""

from pathlib import Path

import wandb

Path("a.txt").write_text("packed")
with wandb.init(id="away", mode="offline") as run:
    made = wandb.Artifact("parcel", "dataset", metadata={"sent": "later"})
    made.add_file("a.txt")  # what `new_file` has written 0.16 removes before it is synced
    run.log_artifact(made, aliases=["home"])
    run.log({"t": wandb.Table(columns=["a"], data=[[1], [2]])})
