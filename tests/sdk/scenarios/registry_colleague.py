# mypy: ignore-errors
"""Somebody who sees the organization's registries alone, and not the project that versions come from."""

import json
import os
from pathlib import Path

import wandb

organization, ops, name = (os.environ[name] for name in ("ORGANIZATION", "OPS", "REGISTRY"))
told, path = {}, f"{organization}/wandb-registry-{name}/Net"


def refused(call):
    """Return what an exception says, with what it came from."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - each SDK raises its own
        return f"{error} | {error.__cause__}"
    return ""


with wandb.init(id="reader", entity=ops) as run:
    used = run.use_artifact(f"{path}:v0")
    told["bytes"] = Path(used.download("got"), "net.bin").read_text() == "net " * 100
    told["known"] = [used.entity, used.project, used.source_entity, used.source_project]
    own = wandb.Artifact("own", "model")
    own.add_file("got/net.bin")
    run.log_artifact(own).wait()

api = wandb.Api(overrides={"entity": ops})
told["used"] = [one.name for one in api.run(f"{ops}/{os.environ['WANDB_PROJECT']}/reader").used_artifacts()]
linked = api.artifact(f"{path}:v0")
linked.aliases.append("mine")
told["alias"] = refused(linked.save)
if hasattr(wandb.Artifact, "unlink"):
    told["unlink"] = refused(linked.unlink)
if hasattr(wandb.Api, "create_registry"):
    own = api.artifact(f"{ops}/{os.environ['WANDB_PROJECT']}/own:v0")
    told["link"] = refused(lambda: own.link(path))
    told["create"] = refused(lambda: api.create_registry("mine", "organization", organization))
    told["delete"] = refused(api.registry(name, organization).delete)
    registries = list(api.registries(organization=organization))
    told["registries"] = sorted(one.name.removeprefix("wandb-registry-") for one in registries)
    told["left"] = [
        one.name for one in api.registries(organization, {"name": name}).versions({"version": {"$gt": 0}})
    ]
    told["nobody's"] = refused(lambda: list(api.registries(organization="nowhere")))
    mine = wandb.Api(overrides={"entity": os.environ["WANDB_USERNAME"]})
    told["by person"] = refused(lambda: mine.artifact(f"wandb-registry-{name}/Net:v0"))
Path("told.json").write_text(json.dumps(told))
