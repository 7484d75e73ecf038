# ruff: noqa: BLE001
# mypy: ignore-errors
"""What `wandb.Api()` says of runs."""

import json
import os
from pathlib import Path

import wandb

project = os.environ["WANDB_PROJECT"]
for number in range(4):
    run = wandb.init(
        project=project, id=f"api{number}", config={"n": number}, tags=["odd"] if number % 2 else []
    )
    for step in range(25):
        run.log(
            {"loss": number + step / 100, "rare": step} if step % 5 == 0 else {"loss": number + step / 100}
        )
    if number == 0:
        Path("late.txt").write_text("saved")
        run.save("late.txt", base_path=".", policy="now")
    run.finish()

api = wandb.Api()
told = {"viewer": api.viewer.username, "entity": api.default_entity}
path = f"{api.default_entity}/{project}"


def ids(filters=None, order="+created_at"):
    """Return the ids of what is found."""
    return [found.id for found in api.runs(path, filters=filters, order=order, per_page=2)]


told["all"] = ids()
told["newest"] = ids(order="-created_at")
told["count"] = len(api.runs(path))
told["filters"] = {
    "config": ids({"config.n": {"$gt": 1}}),
    "value": ids({"config.n.value": 2}),
    "tags": ids({"tags": "odd"}),
    "tags in": ids({"tags": {"$in": ["odd"]}}),
    "or": ids({"$or": [{"config.n": 0}, {"config.n": 3}]}),
    "state": ids({"state": "finished"}),
    "summary": ids({"summary_metrics.loss": {"$lt": 2}}),
    "regex": ids({"display_name": {"$regex": "."}}),
}
told["by loss"] = ids(order="-summary_metrics.loss")
told["by n"] = ids(order="-config.n.value")

run = api.run(f"{path}/api1")
told["config"], told["summary"] = run.config, run.summary["loss"]
told["state"], told["tags"] = run.state, run.tags
told["last"] = run.lastHistoryStep
told["history"] = [row["_step"] for row in run.history(pandas=False)]
told["sampled"] = [row["_step"] for row in run.history(samples=5, keys=["loss"], pandas=False)]
told["keys"] = [(row["_step"], row["rare"]) for row in run.history(keys=["loss", "rare"], pandas=False)]
told["scan"] = [(row["_step"], row["loss"]) for row in run.scan_history()]
told["scan keys"] = [row["rare"] for row in run.scan_history(keys=["rare", "loss"])]
told["scan pages"] = [row["_step"] for row in run.scan_history(page_size=7)]
told["scan range"] = [row["_step"] for row in run.scan_history(min_step=3, max_step=6)]

run = api.run(f"{path}/api0")
told["files"] = sorted(file.name for file in run.files())
told["read"] = run.file("late.txt").download(root="down", replace=True).read()
Path("more.txt").write_text("uploaded")
run.upload_file("more.txt")
told["uploaded"] = [file.name for file in api.run(f"{path}/api0").files(names=["more.txt"])]
run.file("late.txt").delete()

run = api.run(f"{path}/api2")
run.name, run.notes, run.tags, run.group = "renamed", "noted", ["new"], "grouped"
run.config["m"] = 5
run.update()
run.summary["hand"] = 7
run.summary.update()

api.run(f"{path}/api3").delete()
told["after"] = [found.id for found in wandb.Api().runs(path, order="+created_at")]
try:
    assert wandb.Api().run(f"{path}/api3").state
    told["deleted"] = "there"
except Exception as error:
    told["deleted"] = type(error).__name__
Path("told.json").write_text(json.dumps(told, default=str))
