# mypy: ignore-errors
"""A member of a registry who does not see the project that a version comes from gives it an alias there."""

import json
import os
from pathlib import Path

import wandb

path = f"{os.environ['ORGANIZATION']}/wandb-registry-model/Net"
api = wandb.Api(overrides={"entity": os.environ["OPS"]})
linked = api.artifact(f"{path}:v0")
linked.aliases.append("promoted")
told = {"refused": ""}
try:
    linked.save()
except Exception as error:  # noqa: BLE001 - each SDK raises its own
    told["refused"] = f"{error} | {error.__cause__}"
told["aliases"] = sorted(wandb.Api().artifact(f"{path}:v0").aliases)
Path("told.json").write_text(json.dumps(told))
