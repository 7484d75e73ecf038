# mypy: ignore-errors
"""Tables with media, joined and partitioned ones, logged and got back."""

import json
import os
from pathlib import Path

import wandb
from PIL import Image
from wandb.data_types import JoinedTable, PartitionedTable

project, told = os.environ["WANDB_PROJECT"], {}


def picture(number):
    """Make a picture of one colour."""
    return wandb.Image(Image.new("RGB", (2, 2), (number, 0, 0)), caption=f"picture {number}")


def table(*numbers):
    """Make a table of numbers, names and pictures."""
    return wandb.Table(
        columns=["id", "name", "picture"], data=[[n, f"name {n}", picture(n)] for n in numbers]
    )


with wandb.init(id="tabler") as run:
    run.log({"seen": table(1, 2), "loss": 1})
    made = wandb.Artifact("tables", "dataset")
    left, right = table(1, 2, 3), wandb.Table(columns=["id", "x"], data=[[2, 0.5], [3, 0.25]])
    made.add(left, "left")
    made.add(right, "right")
    made.add(JoinedTable(left, right, "id"), "joined")
    for number in (4, 5):
        made.add(table(number), f"parts/{number}")
    made.add(PartitionedTable(parts_path="parts"), "parted")
    run.log_artifact(made).wait()

with wandb.init(id="reader") as run:
    found = run.use_artifact("tables:latest")
    got = found.get("left")
    pixels = [Image.open(row[2]._path).getpixel((0, 0)) for row in got.data]
    told["left"] = [got.columns, [row[:2] for row in got.data], [red for red, _, _ in pixels]]
    parts = [row for _, row in found.get("parted").iterrows()]
    told["parts"] = sorted(row[:2] for row in parts)
    joined = found.get("joined")
    told["joined"] = [joined._join_key, len(joined._table1.data), len(joined._table2.data)]

[seen] = [one for one in wandb.Api().run(f"{project}/tabler").logged_artifacts() if one.type == "run_table"]
told["run table"] = [seen.name, seen.get("seen").data[1][:2]]
Path("told.json").write_text(json.dumps(told))
