"""ART-7: the bucket fails while the SDK uploads, downloads and the server sweeps; nothing is lost, and all goes on."""

import itertools
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sdks
from tests.fakes.buckets import BucketServer
from tests.installation import Installation
from tests.sdk.lab import Lab
from tests.sdk.people import VERSION, person
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.sdk, pytest.mark.exhaustive("buckets that fail, by the SDK: slow retries")]

BUSY = (503, "application/xml", b"<Error><Code>SlowDown</Code><Message>slow down</Message></Error>")
REVOKED = (403, "application/xml", b"<Error><Code>InvalidAccessKeyId</Code><Message>gone</Message></Error>")
NUMBERS = itertools.count()
FILES = {f"{number}.bin": bytes([number]) * 300_000 for number in range(12)}

UPLOAD = """
import os
import wandb

with wandb.init(project="faults", id=os.environ["RUN"]) as run:
    artifact = wandb.Artifact("weights", "model")
    artifact.add_dir("sent", skip_cache=True)
    run.log_artifact(artifact).wait()
"""
DOWNLOAD = """
import wandb

wandb.Api().artifact("faults/weights:latest").download("got", skip_cache=True)
"""
SWEEP = """
import json
from datetime import timedelta
from storage import services
from storage.models import Blob
services.UNUSED_FOR = timedelta(hours=-1)
print(json.dumps([services.sweep(), services.sweep_strays(), Blob.objects.count()]))
"""


@pytest.fixture(scope="module")
def bucket(bucket_servers: Callable[[str], BucketServer]) -> BucketServer:
    """Give a strict server of S3."""
    return bucket_servers("seaweedfs")


@pytest.fixture(scope="module")
def server(bucket: BucketServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Give an installation that keeps its content in an empty bucket."""
    place = bucket.new_bucket()
    with Installation(
        tmp_path_factory.mktemp("home"), RUNYARD_STORAGE_URL=place.url,
        RUNYARD_STORAGE_KEY=place.credentials["access_key"],
        RUNYARD_STORAGE_SECRET=place.credentials["secret_key"],
    ) as server:  # fmt: skip
        yield server


@pytest.fixture
def lab(server: Installation, bucket: BucketServer, tmp_path: Path) -> Iterator[Lab]:
    """Give a folder with the files, and somebody of their own."""
    folder = tmp_path / "sent"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    with person(server, f"faults-{next(NUMBERS)}") as ada:
        yield Lab(VERSION, sdks.python_of(VERSION), server, ada, tmp_path)
    bucket.faults.mend()


def _start(lab: Lab, script: str, run: str = "first") -> "subprocess.Popen[str]":
    return sdks.start_script(lab.python, script, env=lab.env(RUN=run, WANDB_PROJECT=""), cwd=lab.folder)


def _go(lab: Lab, script: str, run: str = "first") -> tuple[int, str]:
    return lab.end(_start(lab, script, run), 2 * PATIENCE_S)


def _got(lab: Lab) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (lab.folder / "got").iterdir()}


def _refuse(bucket: BucketServer, after: int, how: str) -> Callable[[], bool]:
    """Let a bucket fail after some requests; returns what tells whether somebody has noticed."""
    faults, before = bucket.faults, len(bucket.faults.asked)
    faults.after = after
    if how == "down":
        until(lambda: len(faults.asked) >= before + after, "requests to the bucket")
        faults.is_down = True
    else:
        faults.answers = BUSY if how == "busy" else REVOKED
    return lambda: len(faults.asked) > before + after


@pytest.mark.parametrize("how", ["busy", "down"])
def test_an_upload_goes_on_when_the_bucket_is_back(lab: Lab, bucket: BucketServer, how: str) -> None:
    process = _start(lab, UPLOAD)
    has_noticed = _refuse(bucket, 4, how)
    until(has_noticed, "a refused upload")
    bucket.faults.mend()
    status, out = lab.end(process, 2 * PATIENCE_S)
    assert status == 0, out
    assert _go(lab, DOWNLOAD)[0] == 0
    assert _got(lab) == FILES


def test_an_upload_whose_credentials_are_revoked_fails_and_the_next_one_succeeds(
    lab: Lab, bucket: BucketServer
) -> None:
    has_noticed = _refuse(bucket, 4, "revoked")
    status, out = _go(lab, UPLOAD)
    assert has_noticed()
    assert (status, "Error" in out) == (1, True)
    bucket.faults.mend()
    assert _go(lab, DOWNLOAD)[0] != 0, "no version was committed"
    status, out = _go(lab, UPLOAD, "second")
    assert status == 0, out
    assert _go(lab, DOWNLOAD)[0] == 0
    assert _got(lab) == FILES


def test_a_download_that_is_cut_off_is_never_taken_for_whole(lab: Lab, bucket: BucketServer) -> None:
    assert _go(lab, UPLOAD)[0] == 0
    bucket.faults.keeps_bytes = 1000
    status, out = _go(lab, DOWNLOAD)
    assert status != 0, out
    bucket.faults.mend()
    assert _go(lab, DOWNLOAD)[0] == 0
    assert _got(lab) == FILES


def test_a_sweep_whose_credentials_are_revoked_removes_nothing_that_is_used(
    lab: Lab, bucket: BucketServer
) -> None:
    assert _go(lab, UPLOAD)[0] == 0
    bucket.faults.answers = REVOKED
    lab.server.manage("shell", "--no-imports", "-c", SWEEP)
    bucket.faults.mend()
    lab.server.manage("shell", "--no-imports", "-c", SWEEP)
    assert _go(lab, DOWNLOAD)[0] == 0
    assert _got(lab) == FILES
