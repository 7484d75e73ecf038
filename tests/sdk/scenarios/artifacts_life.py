# mypy: ignore-errors
"""A dataset: logged, logged again, changed, used, looked at and downloaded."""

import functools
import http.server
import json
import os
import threading
from pathlib import Path

import wandb

project, told = os.environ["WANDB_PROJECT"], {}
tags = {"tags": ["raw"]} if hasattr(wandb.Artifact, "tags") else {}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves what is referred to."""

    def log_message(self, *_):
        """Say nothing."""


def write(path, text):
    """Write a file, with its folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def tree(folder):
    """Return all files below a folder, with what is in them."""
    found = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def pets():
    """Make the dataset."""
    made = wandb.Artifact("pets", "dataset", description="first", metadata={"n": 3, "deep": {"a": [1, 2]}})
    made.add_file("cat.txt")
    made.add_dir("birds", name="birds")
    with made.new_file("made.txt") as file:
        file.write("made")
    made.add_reference(Path("far/near.txt").absolute().as_uri(), name="near.txt")
    made.add_reference(web + "/web.txt", name="web.txt")
    return made


write("cat.txt", "cat")
write("birds/one.txt", "one")
write("birds/deep/two.txt", "cat")  # the same bytes as cat.txt
write("far/near.txt", "near")
write("far/web.txt", "web")
peer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory="far"))
threading.Thread(target=peer.serve_forever, daemon=True).start()
web = f"http://127.0.0.1:{peer.server_port}"

with wandb.init(id="maker") as run:
    first = run.log_artifact(pets(), aliases=["best"], **tags).wait()
    told["first"] = [first.version, sorted(first.aliases), first.description, first.metadata, first.state]
    told["tags"] = first.tags if tags else ["raw"]
    again = run.log_artifact(pets(), aliases=["again"]).wait()
    told["again"] = [again.version, sorted(again.aliases), again.id == first.id]
    draft = run.use_artifact("pets:v0").new_draft()
    draft.remove("cat.txt")
    with draft.new_file("dog.txt") as file:
        file.write("dog")
    second = run.log_artifact(draft).wait()
    told["second"] = [second.version, sorted(second.aliases)]
    more = wandb.Artifact("pets", "dataset", incremental=True)
    with more.new_file("fish.txt") as file:
        file.write("fish")
    third = run.log_artifact(more).wait()
    told["third"] = [third.version, sorted(third.aliases)]

with wandb.init(id="user") as run:
    used = run.use_artifact("pets:best")
    used.download(root="whole")
    told["whole"] = tree("whole")
    used.verify("whole")
    used.download(root="part", path_prefix="birds")
    told["part"] = tree("part")
    one = used.get_entry("birds/deep/two.txt")
    told["one"] = Path(one.download(root="single")).read_text()
    told["reference"] = used.get_entry("near.txt").ref == Path("far/near.txt").absolute().as_uri()
    run.use_artifact("pets:v2").download(root="incremental")
    told["incremental"] = tree("incremental")

Path("whole/cat.txt").write_text("changed")
try:
    used.verify("whole")
    told["verify"] = "nothing"
except ValueError as error:
    told["verify"] = str(error)

api = wandb.Api()
found = api.artifact(f"{project}/pets:v0", type="dataset")
told["found"] = [
    found.version,
    found.type,
    found.name,
    found.entity,
    found.project,
    found.size,
    found.file_count,
]
told["found"] += [found.digest == first.digest, found.id == first.id, found.metadata, found.description]
told["by digest"] = api.artifact(f"{project}/pets:{first.digest}").version
told["files"] = sorted((file.name, file.size) for file in found.files())
told["named"] = [file.name for file in found.files(names=["cat.txt"])]
told["logged by"] = found.logged_by().id
told["used by"] = sorted(run.id for run in found.used_by())
told["logged"] = sorted(one.name for one in api.run(f"{project}/maker").logged_artifacts())
told["used"] = sorted(one.name for one in api.run(f"{project}/user").used_artifacts())
told["versions"] = [one.version for one in api.artifacts("dataset", f"{project}/pets")]
told["pages"] = [one.version for one in api.artifacts("dataset", f"{project}/pets", per_page=1)]
told["types"] = sorted(kind.name for kind in api.artifact_types(project))
told["collections"] = [one.name for one in api.artifact_type("dataset", project).collections()]
try:
    told["none"] = api.artifact(f"{project}/pets:v99").version
except Exception as error:  # noqa: BLE001 - releases raise different ones
    told["none"] = f"{type(error).__name__}: {error}"
if hasattr(api, "artifact_exists"):
    told["exists"] = [
        api.artifact_exists(f"{project}/pets:{name}") for name in ("best", "v1", "v99", "worst")
    ]
    there = [api.artifact_collection_exists(f"{project}/{name}", "dataset") for name in ("pets", "zoo")]
    told["collection exists"] = there
Path("told.json").write_text(json.dumps(told))
