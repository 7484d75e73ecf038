"""The SDK's life of artifacts where files lie in buckets of each provider (ART-2, ART-3, ART-7).

What the scripts read back is what they read from the data folder; the providers are real servers on this machine.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sdks
from tests.fakes.buckets import BucketServer
from tests.installation import Installation
from tests.sdk.lab import Lab
from tests.sdk.people import VERSION, person
from tests.sdk.test_artifacts import WHOLE

pytestmark = pytest.mark.sdk

STRAIGHT = {"seaweedfs", "moto"}
"""Providers to which the SDK sends the files of artifacts itself."""


@pytest.fixture(
    params=[
        "seaweedfs",
        pytest.param("moto", marks=pytest.mark.exhaustive("a second server of S3")),
        pytest.param("azurite", marks=pytest.mark.exhaustive("the server passes on what it takes")),
        pytest.param("gcs", marks=pytest.mark.exhaustive("the server passes on what it takes")),
    ]
)
def bucket(request: pytest.FixtureRequest, bucket_servers: Callable[[str], BucketServer]) -> BucketServer:
    """Give a running server of buckets."""
    return bucket_servers(request.param)


@pytest.fixture
def lab(bucket: BucketServer, tmp_path: Path) -> Iterator[Lab]:
    """Give an installation that keeps its content in an empty bucket, and a folder for a script."""
    place = bucket.new_bucket()
    credentials = place.credentials
    variables = {
        "RUNYARD_STORAGE_URL": place.url, "RUNYARD_STORAGE_KEY": credentials.get("access_key", ""),
        "RUNYARD_STORAGE_SECRET": credentials.get("secret_key") or credentials.get("account_key", ""),
        "RUNYARD_STORAGE_CREDENTIALS": credentials.get("service_account", ""),
    }  # fmt: skip
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    with (
        Installation(home, **{name: value for name, value in variables.items() if value}) as server,
        person(server, "bucket-ada") as ada,
    ):
        yield Lab(VERSION, sdks.python_of(VERSION), server, ada, folder)


def test_the_life_of_artifacts_in_a_bucket(lab: Lab, bucket: BucketServer) -> None:
    bucket.faults.asked.clear()
    lab.script("artifacts_life")
    told = json.loads((lab.folder / "told.json").read_text())
    assert told["first"][:2] == ["v0", ["best", "latest"]]
    assert "cat.txt" in told["verify"]
    assert told["whole"] == WHOLE
    assert told["versions"] == ["v2", "v1", "v0"]
    kept = [path for path in (lab.server.home / "blobs").rglob("*") if path.is_file()]
    assert kept == []
    sent = [asked for asked in bucket.faults.asked if asked.startswith("PUT ")]
    assert sent
    if bucket.kind in STRAIGHT:
        assert any("X-Amz-Signature" in asked for asked in sent)
        assert any("X-Amz-Signature" in asked for asked in bucket.faults.asked if asked.startswith("GET "))
