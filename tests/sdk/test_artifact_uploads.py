"""Uploads of artifacts as no SDK makes them: cut off, of other bytes, of what others hold (ART-2, ART-3, ART-7)."""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests import clients, sdks
from tests.installation import Installation
from tests.sdk.drafts import Draft, begin, manifest_of, md5, of, read, urls
from tests.sdk.lab import Lab
from tests.sdk.people import Person
from tests.sdk.raw import exchange, head, statuses
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]


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


@pytest.mark.exhaustive("sends and fetches 5 GiB")
def test_5_gib_of_the_sdk_take_little_memory(server: Installation, ada: Person, tmp_path: Path) -> None:
    """ART-7: by the newest release with no setting changed, so in parts; the script compares what comes back."""
    [version] = sdks.ends()[1:]
    lab = Lab(version, sdks.python_of(version), server, ada, tmp_path)
    with growing_little(server):
        status, out = lab.end(lab.start("artifacts_large"), 6 * PATIENCE_S)
    assert status == 0, out
    (tmp_path / "back" / "large.bin").unlink()
