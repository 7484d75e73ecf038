"""Versions that are logged by bare GraphQL, as no SDK logs them."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests import clients
from tests.sdk.people import Person
from tests.sdk.wire import Wire

CREATE = """
mutation C($input: CreateArtifactInput!) {
  createArtifact(input: $input) { artifact { id state artifactSequence { latestArtifact { id } } } }
}"""
MANIFEST = """
mutation M($input: CreateArtifactManifestInput!, $upload: Boolean!) {
  createArtifactManifest(input: $input) {
    artifactManifest { id file { id uploadUrl @include(if: $upload) uploadHeaders @include(if: $upload) } }
  }
}"""
FILES = """
mutation F($input: CreateArtifactFilesInput!) {
  createArtifactFiles(input: $input) {
    files { edges { node { storagePath uploadUrl uploadHeaders artifact { id } } } }
  }
}"""
COMMIT = (
    "mutation C($id: ID!) { commitArtifact(input: {artifactID: $id}) { artifact { id state versionIndex } } }"
)
READ = """
query R($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { artifact(name: $name) {
    versionIndex files(first: 10000) { edges { node { displayName directUrl } } }
  } }
}"""


def md5(content: bytes) -> str:
    """Return a digest as manifests name it."""
    return b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


def of(content: bytes) -> tuple[str, int]:
    """Return the digest and the size that a manifest has of a content."""
    return md5(content), len(content)


@dataclass(frozen=True)
class Draft:
    """A version that is being logged."""

    wire: Wire
    project: str
    id: str
    manifest: str

    def url(self, name: str, digest: str) -> str | None:
        """Ask where a file goes; None when its bytes are there."""
        return self.urls([(name, digest)])[0]

    def urls(self, files: Sequence[tuple[str, str]]) -> list[str | None]:
        """Ask where files go, by name and digest."""
        return [address["uploadUrl"] for address in self.addresses(files)]

    def addresses(self, files: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """Ask where files go and which headers go with them, by name and digest."""
        specs = [
            {"artifactID": self.id, "artifactManifestID": self.manifest, "name": name, "md5": digest}
            for name, digest in files
        ]
        sent = {"artifactFiles": specs, "storageLayout": "V2"}
        edges = self.wire.data(FILES, input=sent)["createArtifactFiles"]["files"]["edges"]
        return [edge["node"] for edge in edges]

    def describe(self, files: dict[str, tuple[str, int]]) -> None:
        """Send the manifest of files by their digests and sizes."""
        entries = {
            name: {"digest": digest, "size": size, "birthArtifactID": self.id}
            for name, (digest, size) in files.items()
        }
        body = {
            "version": 1, "storagePolicy": "wandb-storage-policy-v1", "storagePolicyConfig": {"storageLayout": "V2"},
            "contents": entries,
        }  # fmt: skip
        given = manifest_of(self.wire, self.project, self.id, upload=True)
        clients.request("PUT", given["file"]["uploadUrl"], content=json.dumps(body)).raise_for_status()

    def commit(self) -> dict[str, Any]:
        """Commit."""
        return dict(self.wire.data(COMMIT, id=self.id)["commitArtifact"]["artifact"])

    def refusal(self) -> str:
        """Commit in vain; return what is said."""
        reply = self.wire.ask(COMMIT, id=self.id)
        assert reply.status_code < 500
        return str(reply.json()["errors"][0]["message"])


def manifest_of(wire: Wire, project: str, version: str, *, upload: bool) -> dict[str, Any]:
    """Name the manifest of a draft."""
    given = {
        "artifactID": version, "name": "wandb_manifest.json", "digest": "d" if upload else "", "type": "FULL",
        "entityName": "", "projectName": project, "runName": "",
    }  # fmt: skip
    made = wire.data(MANIFEST, input=given, upload=upload)["createArtifactManifest"]["artifactManifest"]
    return dict(made)


def begin(person: Person, project: str, name: str, digest: str = "d") -> Draft:
    """Begin a version that no run logs."""
    given = {
        "entityName": person.name, "projectName": project, "artifactTypeName": "dataset",
        "artifactCollectionName": name, "digest": digest, "digestAlgorithm": "MANIFEST_MD5",
        "aliases": [{"artifactCollectionName": name, "alias": "latest"}], "enableDigestDeduplication": True,
    }  # fmt: skip
    made = person.wire.data(CREATE, input=given)["createArtifact"]["artifact"]
    assert made["state"] == "PENDING"
    return Draft(
        person.wire,
        project,
        made["id"],
        manifest_of(person.wire, project, made["id"], upload=False)["id"],
    )


def urls(person: Person, project: str, name: str) -> dict[str, str]:
    """Return where the files of a version are."""
    found = person.wire.data(READ, project=project, entity=person.name, name=name)["project"]["artifact"]
    nodes = [edge["node"] for edge in found["files"]["edges"]]
    return {node["displayName"]: node["directUrl"] for node in nodes}


def read(person: Person, project: str, name: str) -> dict[str, bytes]:
    """Return the files of a version."""
    found = urls(person, project, name)
    return {file: clients.request("GET", url).content for file, url in found.items()}
