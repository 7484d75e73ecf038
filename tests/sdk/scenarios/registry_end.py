# mypy: ignore-errors
"""The registry admin gives a protected alias, unlinks, and deletes the registry."""

import json
import os
from pathlib import Path

import wandb

organization, team, told = os.environ["ORGANIZATION"], os.environ["TEAM"], {}
api = wandb.Api(overrides={"entity": team})
linked = api.artifact(f"{organization}/wandb-registry-model/Net:v0")
linked.aliases.append("production")
linked.save()
told["protected"] = sorted(wandb.Api().artifact(f"{organization}/wandb-registry-model/Net:v0").aliases)
if hasattr(wandb.Artifact, "unlink"):
    api.artifact(f"{organization}/wandb-registry-model/Net:v0").unlink()
if hasattr(wandb.Api, "create_registry"):
    told["left"] = [one.name for one in api.registries(organization, {"name": "model"}).versions()]
    api.registry("common", organization).delete()
    told["registries"] = sorted(
        one.name.removeprefix("wandb-registry-") for one in api.registries(organization=organization)
    )
told["source"] = wandb.Api().artifact(f"{team}/{os.environ['WANDB_PROJECT']}/net:v0").name
Path("told.json").write_text(json.dumps(told))
