# mypy: ignore-errors
"""Versions and collections that are changed after they were logged."""

import json
import os
from datetime import timedelta
from pathlib import Path

import wandb
from wandb.sdk.artifacts.artifact_ttl import ArtifactTTL

project, told = os.environ["WANDB_PROJECT"], {}
has_tags = hasattr(wandb.Artifact, "tags")


def log(run, text, name="things"):
    """Log a version of one file."""
    made = wandb.Artifact(name, "dataset")
    with made.new_file("a.txt") as file:
        file.write(text)
    return run.log_artifact(made).wait()


def find(version, name="things"):
    """Return a version as the server has it."""
    return wandb.Api().artifact(f"{project}/{name}:{version}")


def error_of(call):
    """Return what a call raises."""
    try:
        return f"nothing: {call()!r}"
    except Exception as error:  # noqa: BLE001 - releases raise different ones
        return f"{type(error).__name__}: {error}"


with wandb.init(id="changer") as run:
    for text in ("zero", "one", "two"):
        log(run, text)
    kept = log(run, "short", "kept")

    one = find("v1")
    one.aliases.append("fine")
    one.description, one.metadata["lr"] = "described", 0.5
    if has_tags:
        one.tags = ["red", "blue"]
    one.save()
    one = find("fine")
    told["changed"] = [one.version, one.description, one.metadata, sorted(one.aliases)]
    told["tags"] = sorted(one.tags) if has_tags else ["blue", "red"]
    zero = find("v0")
    zero.aliases.append("fine")
    zero.save()
    told["moved"] = [find("fine").version, sorted(find("v1").aliases)]
    zero = find("v0")
    zero.aliases.remove("fine")
    zero.save()
    told["removed"] = error_of(lambda: find("fine").version)
    if has_tags:
        one = find("v1")
        one.tags = ["red"]
        one.save()
        told["fewer tags"] = find("v1").tags

    told["inherited"] = [kept.ttl]
    for ttl in (timedelta(days=3), None, ArtifactTTL.INHERIT):
        kept = find("v0", "kept")
        kept.ttl = ttl
        kept.save()
        left = find("v0", "kept").ttl
        told["inherited"].append(left and left.total_seconds())
    made = wandb.Artifact("short", "dataset")
    made.ttl = timedelta(hours=2)
    with made.new_file("a.txt") as file:
        file.write("brief")
    told["born with"] = run.log_artifact(made).wait().ttl.total_seconds()

    told["refused"] = error_of(find("v2").delete)
    told["still there"] = find("latest").version
    find("v2").delete(delete_aliases=True)
    told["latest"] = [find("latest").version, error_of(lambda: find("v2").version)]
    told["next"] = log(run, "three").version
    told["gone and logged again"] = log(run, "two").version
    told["without aliases"] = [find("v0").aliases, error_of(find("v0").delete)[:7]]

api = wandb.Api()
collection = api.artifact_collection("dataset", f"{project}/things")
told["versions"] = [one.version for one in collection.artifacts()]
told["aliases"] = sorted(collection.aliases)
collection.change_type("data")
told["type"] = [wandb.Api().artifact(f"{project}/things:latest").type]
told["type"] += [one.name for one in wandb.Api().artifact_type("data", project).collections()]
if hasattr(collection, "save"):
    collection = api.artifact_collection("data", f"{project}/things")
    collection.name, collection.description, collection.tags = "stuff", "all of it", ["good", "old"]
    collection.save()
    collection = wandb.Api().artifact_collection("data", f"{project}/stuff")
    told["collection"] = [collection.name, collection.description, sorted(collection.tags)]
    collection.tags = ["old"]
    collection.save()
    told["collection tags"] = wandb.Api().artifact_collection("data", f"{project}/stuff").tags
    told["renamed"] = wandb.Api().artifact(f"{project}/stuff:v3").version
told["is sequence"] = collection.is_sequence()
collection.delete()
told["deleted"] = error_of(lambda: wandb.Api().artifact(f"{project}/{collection.name}:latest").version)
Path("told.json").write_text(json.dumps(told))
