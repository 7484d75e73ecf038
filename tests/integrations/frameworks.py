"""Frameworks that log through the SDK, each in a virtual environment of its own, and what their training has left."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests import environments, sdks
from tests.installation import Installation
from tests.sdk.people import Person
from tests.sdk.wire import Recorder, Run, recording

HERE = Path(__file__).parent
TORCH = HERE / "torch.txt"
ON_PYTORCH = ("transformers", "lightning")
INSTALLS_PYTORCH = pytest.mark.exhaustive("installs 1 GB of PyTorch")
INSTALLS_TENSORFLOW = pytest.mark.exhaustive("installs 1.5 GB of TensorFlow")
ABOUT = """
query About($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { displayName files { edges { node { name directUrl } } } }
  }
}"""


def python_of(framework: str, *, torch: bool = False) -> Path:
    """Return the Python that has this framework.

    That takes about 10 s the first time; with PyTorch, whose build without CUDA only pip finds, it downloads 200 MB
    more and fills 1 GB of the disk.

    Raises:
        RuntimeError: the packages could not be installed.
    """
    hashed = HERE / f"requirements-{framework}.txt"
    return environments.python_of("integrations", framework, hashed, unhashed=[TORCH] if torch else [])


DOWNLOAD = """
import os, wandb
for logged in wandb.Api().run(os.environ["RUN"]).logged_artifacts():
    if logged.type == "model":
        logged.download(root=os.path.join("models", logged.version), skip_cache=True)
"""
TABLES = """
import json, os, pathlib, wandb
from PIL import Image

def plain(cell):
    return list(Image.open(cell._path).tobytes()) if isinstance(cell, wandb.Image) else cell

ran, found = wandb.Api().run(os.environ["RUN"]), {}
for version in [*ran.logged_artifacts(), *ran.used_artifacts()]:
    for name in version.manifest.entries:
        if name.endswith(".table.json"):
            table = version.get(name)
            rows = [[plain(cell) for cell in row] for row in table.data]
            found[version.name] = {"columns": table.columns, "data": rows}
pathlib.Path("tables.json").write_text(json.dumps(found))
"""


@dataclass(frozen=True)
class Trained:
    """A run that a framework has logged, as the server holds it, and what was said on the way."""

    person: Person
    where: Run
    recorder: Recorder
    python: Path
    folder: Path
    """Where it was trained."""

    @cached_property
    def found(self) -> dict[str, Any]:
        """Its fields."""
        return self.person.wire.run(self.where)

    @cached_property
    def config(self) -> dict[str, Any]:
        """Its configuration, without the SDK's own part."""
        entries = json.loads(self.found["config"])
        return {key: entry["value"] for key, entry in entries.items() if key != "_wandb"}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Its summary, without the SDK's own keys."""
        return user_keys(json.loads(self.found["summaryMetrics"]))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Its history in order of steps, without the SDK's own keys."""
        return [user_keys(json.loads(line)) for line in self.found["history"]]

    @cached_property
    def about(self) -> dict[str, Any]:
        """Its name and its files."""
        where = self.where
        reply = self.person.wire.data(ABOUT, entity=where.entity, project=where.project, name=where.uid)
        return dict(reply["project"]["run"])

    @cached_property
    def models(self) -> dict[str, dict[str, bytes]]:
        """The files of each version of its model, as the SDK downloads them."""
        self._read(DOWNLOAD)
        return {version.name: files_in(version) for version in sorted((self.folder / "models").iterdir())}

    @cached_property
    def tables(self) -> dict[str, dict[str, Any]]:
        """The table of each version that has one, as the SDK gets it; a picture is its bytes."""
        self._read(TABLES)
        return dict(json.loads((self.folder / "tables.json").read_text()))

    def _read(self, code: str) -> None:
        """Let the SDK read the run."""
        env = {**self.person.env, "RUN": f"{self.where.entity}/{self.where.project}/{self.where.uid}"}
        sdks.run_script(self.python, code, env=env, cwd=self.folder)

    def table(self, key: str) -> dict[str, Any]:
        """Return the table that was logged last under this key, from its file."""
        urls = {edge["node"]["name"]: edge["node"]["directUrl"] for edge in self.about["files"]["edges"]}
        return dict(self.person.wire.http.get(urls[self.column(key)[-1]["path"]]).raise_for_status().json())

    @property
    def charts(self) -> set[str]:
        """The keys of its charts made by the SDK's own plots."""
        return set(json.loads(self.found["config"])["_wandb"]["value"]["visualize"])

    def column(self, key: str) -> list[Any]:
        """Return a metric's values, in order of steps."""
        return [row[key] for row in self.rows if key in row]

    @property
    def refusals(self) -> set[str]:
        """What every GraphQL operation was told that was answered with anything but data."""
        return {
            reply["errors"][0]["message"] if "errors" in reply else f"status {status}"
            for _, status, reply in self.recorder.answers
            if status != 200 or "errors" in reply
        }


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def user_keys(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a script or framework logged, without the keys the SDK adds."""
    return {key: value for key, value in row.items() if not key.startswith("_")}


def train(framework: str, python: Path, person: Person, server: Installation, folder: Path) -> Trained:
    """Run the framework's script, which logs one run; its environment says only where the server is, and the key."""
    code = (HERE / "scripts" / f"{framework}.py").read_text()
    with recording(server.port) as recorder:
        env = {**person.env, "WANDB_BASE_URL": recorder.url}
        sdks.run_script(python, code, env=env, cwd=folder, timeout=180)
    buckets = [
        reply["data"]["upsertBucket"]["bucket"]
        for asked, _, reply in recorder.answers
        if asked["operationName"] == "UpsertBucket"
    ]
    (where,) = {
        Run(bucket["project"]["entity"]["name"], bucket["project"]["name"], bucket["name"])
        for bucket in buckets
    }
    return Trained(person, where, recorder, python, folder)
