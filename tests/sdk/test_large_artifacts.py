"""ART-7: large files of artifacts pass through the server in pieces, or past it where they lie in a bucket."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests import clients, sdks
from tests.fakes.buckets import BucketServer
from tests.fakes.faulty import Faults, faulty
from tests.installation import Installation
from tests.sdk.drafts import begin, urls
from tests.sdk.lab import Lab
from tests.sdk.people import VERSION, Person, person
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

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


@pytest.mark.exhaustive("sends and fetches 5 GiB")
def test_5_gib_of_the_sdk_go_past_the_server(
    bucket_servers: Callable[[str], BucketServer], tmp_path: Path
) -> None:
    """ART-7: straight to a bucket of S3 and back, while the server sees neither bytes nor much else."""
    bucket = bucket_servers("seaweedfs")  # moto would keep them in memory
    place = bucket.new_bucket()
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    server = Installation(
        home, RUNYARD_STORAGE_URL=place.url, RUNYARD_STORAGE_KEY=place.credentials["access_key"],
        RUNYARD_STORAGE_SECRET=place.credentials["secret_key"],
    )  # fmt: skip
    with faulty(server.url) as before:
        server.env["RUNYARD_URL"] = before.url
        with server, person(server, "large-ada") as ada, growing_little(server):
            bucket.faults.passed.clear()
            lab = Lab(VERSION, sdks.python_of(VERSION), server, ada, folder)
            status, out = lab.end(lab.start("artifacts_large", WANDB_BASE_URL=before.url), 6 * PATIENCE_S)
            assert status == 0, out
    (folder / "back" / "large.bin").unlink()
    assert _bytes_of(before, "") < 20 * MIB, "what the SDK sent to and got from the server"
    signed = _bytes_of(bucket.faults, "X-Amz-Signature=")
    assert signed >= 2 * 5 * 1024 * MIB, "what it sent to and got from the bucket"
    assert _bytes_of(bucket.faults, "") - signed < 20 * MIB, "what the server did"


def _bytes_of(faults: Faults, part: str) -> int:
    """Return how many bytes went both ways by requests with a text in their addresses."""
    return sum(size for asked, size in faults.passed if part in asked)
