# mypy: ignore-errors
"""Models, links and code."""

import json
import os
from pathlib import Path

import wandb

project, told = os.environ["WANDB_PROJECT"], {}
nets = f"Nets-{project}"  # all releases have one model registry
Path("net.bin").write_bytes(bytes(range(256)) * 400)
Path("train.py").write_text("print(1)")
with wandb.init(id="trainer") as run:
    run.log_model(path="net.bin", name="net", aliases=["good"])
    run.log_code(".", include_fn=lambda path: path.endswith("train.py"))
    entity = run.entity

with wandb.init(id="tester") as run:
    path = run.use_model("net:good")
    told["model"] = [Path(path).name, Path(path).read_bytes() == Path("net.bin").read_bytes()]
    model = run.use_artifact("net:latest")
    run.link_artifact(model, f"{entity}/{project}/Shelf", aliases=["prod"])
    run.link_model(path="net.bin", registered_model_name=nets, name="net", aliases=["staging"])

api = wandb.Api()
links = {"link": f"{project}/Shelf:prod", "by number": f"{project}/Shelf:v0"}
for name, path in {**links, "registered": f"model-registry/{nets}:staging"}.items():
    linked = api.artifact(f"{entity}/{path}")
    told[name] = [
        linked.collection.name,
        linked.version,
        linked.type,
        linked.source_name,
        linked.source_project == project,
    ]
linked.download(root="linked")
told["linked bytes"] = Path("linked/net.bin").read_bytes() == Path("net.bin").read_bytes()
shelf = api.artifact_collection("model", f"{entity}/{project}/Shelf")
told["shelf"] = [shelf.is_sequence(), [one.version for one in shelf.artifacts()], sorted(shelf.aliases)]
[code] = [one for one in api.run(f"{project}/trainer").logged_artifacts() if one.type == "code"]
code.download(root="code")
told["code"] = sorted(path.name for path in Path("code").rglob("*") if path.is_file())
told["logged"] = sorted(one.type for one in api.run(f"{project}/trainer").logged_artifacts())
if hasattr(wandb.Artifact, "unlink"):
    told["linked"] = sorted(one.name for one in api.artifact(f"{project}/net:v0").linked_artifacts)
    api.artifact(f"{entity}/{project}/Shelf:prod").unlink()
    told["unlinked"] = sorted(one.name for one in wandb.Api().artifact(f"{project}/net:v0").linked_artifacts)
Path("told.json").write_text(json.dumps(told))
