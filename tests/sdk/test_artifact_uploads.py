"""Uploads of artifacts as no SDK makes them: cut off, of other bytes, of what others hold (ART-2, ART-3, ART-7)."""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from tests import clients
from tests.installation import Installation
from tests.sdk.people import Person
from tests.sdk.raw import exchange, head, statuses
from tests.sdk.wire import Wire

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

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
    versionIndex files { edges { node { displayName directUrl } } }
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
        spec = {"artifactID": self.id, "artifactManifestID": self.manifest, "name": name, "md5": digest}
        sent = {"artifactFiles": [spec], "storageLayout": "V2"}
        [edge] = self.wire.data(FILES, input=sent)["createArtifactFiles"]["files"]["edges"]
        found: str | None = edge["node"]["uploadUrl"]
        return found

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


@pytest.fixture
def draft(ada: Person, request: pytest.FixtureRequest) -> Draft:
    return begin(ada, "uploads", request.node.name.removeprefix("test_"))


def test_other_bytes_than_the_digest_s_are_refused_and_the_right_ones_still_go_up(
    ada: Person, draft: Draft, request: pytest.FixtureRequest
) -> None:
    url = draft.url("a.txt", md5(b"right"))
    assert url is not None
    wrong = clients.request("PUT", url, content=b"wrong")
    assert 400 <= wrong.status_code < 500
    draft.describe({"a.txt": of(b"right")})
    assert "a.txt" in draft.refusal()
    clients.request("PUT", url, content=b"right").raise_for_status()
    assert draft.commit()["versionIndex"] == 0
    name = request.node.name.removeprefix("test_")
    assert read(ada, "uploads", f"{name}:v0") == {"a.txt": b"right"}


def test_an_upload_that_was_cut_off_goes_up_again(
    server: Installation, ada: Person, draft: Draft, request: pytest.FixtureRequest
) -> None:
    content = bytes(range(256)) * 4_000
    url = draft.url("a.bin", md5(content))
    assert url is not None
    path = urlsplit(url).path
    request_head = head(ada, path, f"Content-Length: {len(content)}", method="PUT")
    answered = statuses(exchange(server, request_head, content[: len(content) // 2], cut=True))
    assert 200 not in answered
    draft.describe({"a.bin": of(content)})
    assert "a.bin" in draft.refusal()
    again = draft.url("a.bin", md5(content))
    assert again is not None
    clients.request("PUT", again, content=content).raise_for_status()
    draft.commit()
    name = request.node.name.removeprefix("test_")
    assert read(ada, "uploads", f"{name}:latest") == {"a.bin": content}


def test_what_the_project_holds_is_not_asked_for_again(ada: Person) -> None:
    first, second = (begin(ada, "uploads", "held", digest) for digest in "12")
    url = first.url("a.txt", md5(b"held once"))
    assert url is not None
    clients.request("PUT", url, content=b"held once").raise_for_status()
    first.describe({"a.txt": of(b"held once")})
    first.commit()
    assert second.url("b.txt", md5(b"held once")) is None
    second.describe({"b.txt": of(b"held once")})
    assert second.commit()["versionIndex"] == 1
    assert read(ada, "uploads", "held:v1") == {"b.txt": b"held once"}


def test_knowing_a_digest_gives_nobody_the_bytes(ada: Person, bob: Person) -> None:
    hers, his = begin(ada, "uploads", "secret"), begin(bob, "uploads-of-bob", "stolen")
    url = hers.url("a.txt", md5(b"hers alone"))
    assert url is not None
    clients.request("PUT", url, content=b"hers alone").raise_for_status()
    hers.describe({"a.txt": of(b"hers alone")})
    hers.commit()
    assert his.url("a.txt", md5(b"hers alone")) is not None
    his.describe({"a.txt": of(b"hers alone")})
    assert "a.txt" in his.refusal()


def test_an_upload_url_overwrites_nothing_that_is_committed(ada: Person, draft: Draft) -> None:
    url = draft.url("a.txt", md5(b"kept"))
    assert url is not None
    clients.request("PUT", url, content=b"kept").raise_for_status()
    draft.describe({"a.txt": of(b"kept")})
    draft.commit()
    clients.request("PUT", url, content=b"evil")
    name = "an_upload_url_overwrites_nothing_that_is_committed"
    assert read(ada, "uploads", f"{name}:latest") == {"a.txt": b"kept"}


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "a/../../b", "nul\0.txt"])
def test_a_manifest_cannot_leave_its_folder(ada: Person, name: str) -> None:
    draft = begin(ada, "uploads", "climbing", name)
    body = {"version": 1, "contents": {name: {"digest": md5(b"x"), "size": 1, "birthArtifactID": draft.id}}}
    given = manifest_of(ada.wire, "uploads", draft.id, upload=True)
    sent = clients.request("PUT", given["file"]["uploadUrl"], content=json.dumps(body))
    if sent.status_code < 400:
        assert draft.refusal()
    assert sent.status_code < 500


# -- large files ---------------------------------------------------------------------------------------------------

MIB = 1 << 20
PIECE = bytes(range(256)) * (MIB // 256)
GROWTH_MIB = 64


def in_pieces(count: int) -> tuple[Iterator[bytes], str]:
    """Return a file of so many MiB, and its digest."""
    digest = hashlib.md5(usedforsecurity=False)
    for _ in range(count):
        digest.update(PIECE)
    return (PIECE for _ in range(count)), b64encode(digest.digest()).decode()


def memory_of(process: Path, what: str) -> int:
    """Return one of the kernel's figures about a process's memory, in MiB."""
    found = re.search(rf"^{what}:\s+(\d+) kB", (process / "status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) // 1024


@contextmanager
def growing_little(server: Installation) -> Iterator[None]:
    """See that no web process at any time takes much more memory than before."""
    parent = psutil.Process(server.pid("web"))
    web = [Path(f"/proc/{process.pid}") for process in (parent, *parent.children())]
    for process in web:
        (process / "clear_refs").write_text("5")  # the peak begins anew
    before = {process: memory_of(process, "VmRSS") for process in web}
    yield
    growth = {process: memory_of(process, "VmHWM") - before[process] for process in web}
    assert max(growth.values()) < GROWTH_MIB, growth


@pytest.mark.parametrize(
    "size_mib", [300, pytest.param(5 * 1024, marks=pytest.mark.exhaustive("sends and fetches 5 GiB"))]
)
def test_a_large_file_takes_little_memory(server: Installation, ada: Person, size_mib: int) -> None:
    """ART-7: up and down."""
    name = f"large-{size_mib}"
    draft, (pieces, digest) = begin(ada, "uploads", name), in_pieces(size_mib)
    url = draft.url("large.bin", digest)
    assert url is not None
    with growing_little(server):
        sent = clients.request("PUT", url, content=pieces, headers={"Content-Length": str(size_mib * MIB)})
    sent.raise_for_status()
    draft.describe({"large.bin": (digest, size_mib * MIB)})
    draft.commit()
    [source] = urls(ada, "uploads", f"{name}:v0").values()
    got = hashlib.md5(usedforsecurity=False)
    with growing_little(server), clients.client() as http, http.stream("GET", source) as reply:
        for piece in reply.iter_bytes(MIB):
            got.update(piece)
    assert b64encode(got.digest()).decode() == digest
