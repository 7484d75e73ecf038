# mypy: ignore-errors
"""A run with an artifact and a table that the server hears of later."""

import wandb

with wandb.init(id="away", mode="offline") as run:
    made = wandb.Artifact("parcel", "dataset", metadata={"sent": "later"})
    with made.new_file("a.txt") as file:
        file.write("packed")
    run.log_artifact(made, aliases=["home"])
    run.log({"t": wandb.Table(columns=["a"], data=[[1], [2]])})
