"""ART-2, ART-3, ART-6, ART-7: with files in buckets of each provider, SDKs upload and download as ever.

What the scripts read back is what they read from the data folder; the server keeps none of the bytes. The providers are
real servers on this machine.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sdks
from tests.fakes.buckets import BucketServer
from tests.fixtures import installed
from tests.installation import Installation
from tests.sdk.lab import Lab
from tests.sdk.people import VERSION, Person, person
from tests.sdk.test_artifacts import WHOLE

pytestmark = pytest.mark.sdk

STRAIGHT = {"seaweedfs", "moto"}
"""Providers to which the SDK sends the files of artifacts itself."""
LIFE = """
import json, os, pathlib
import wandb

name = "data-" + os.environ["RUN"]
pathlib.Path("notes.txt").write_text("notes of the run")
pathlib.Path("big.bin").write_bytes(bytes(range(256)) * 40_000)
run = wandb.init(project="bucket", id=os.environ["RUN"])
run.log({"loss": 1.0, "page": wandb.Html("<p>hello</p>")})
wandb.save("notes.txt")
made = wandb.Artifact(name, "dataset")
made.add_file("notes.txt")
made.add_file("big.bin")
run.log_artifact(made).wait()
run.finish()

api = wandb.Api()
found = api.artifact(f"bucket/{name}:v0")
folder = pathlib.Path(found.download("downloaded"))
own = api.run("bucket/" + os.environ["RUN"])
own.file("notes.txt").download("files", replace=True)
told = {
    "notes": (folder / "notes.txt").read_text(),
    "big": (folder / "big.bin").read_bytes() == pathlib.Path("big.bin").read_bytes(),
    "file": pathlib.Path("files/notes.txt").read_text(),
    "media": any(file.name.startswith("media/html") for file in own.files()),
}
pathlib.Path("told.json").write_text(json.dumps(told))
"""


@pytest.fixture(
    scope="module",
    params=[
        "seaweedfs",
        pytest.param("moto", marks=pytest.mark.exhaustive("a second server of S3")),
        pytest.param("azurite", marks=pytest.mark.exhaustive("the server passes on what it takes")),
        pytest.param("gcs", marks=pytest.mark.exhaustive("the server passes on what it takes")),
    ],
)
def bucket(request: pytest.FixtureRequest, bucket_servers: Callable[[str], BucketServer]) -> BucketServer:
    """Give a running server of buckets."""
    return bucket_servers(request.param)


@pytest.fixture(scope="module")
def storing(bucket: BucketServer) -> Iterator[Installation]:
    """Give an installation that keeps its content in an empty bucket."""
    place = bucket.new_bucket()
    credentials = place.credentials
    variables = {
        "RUNYARD_STORAGE_URL": place.url, "RUNYARD_STORAGE_KEY": credentials.get("access_key", ""),
        "RUNYARD_STORAGE_SECRET": credentials.get("secret_key") or credentials.get("account_key", ""),
        "RUNYARD_STORAGE_CREDENTIALS": credentials.get("service_account", ""),
    }  # fmt: skip
    with installed(**{name: value for name, value in variables.items() if value}) as server:
        yield server


@pytest.fixture(scope="module")
def ada(storing: Installation) -> Iterator[Person]:
    with person(storing, "bucket-ada") as made:
        yield made


def kept_in(server: Installation) -> list[Path]:
    """Return the files that the server has kept itself."""
    return [path for path in (server.home / "blobs").rglob("*") if path.is_file()]


@pytest.mark.parametrize("version", sdks.ends())
def test_files_and_artifacts_go_to_the_bucket_and_come_back(
    storing: Installation,
    ada: Person,
    sdk: Callable[[str], Path],
    tmp_path: Path,
    version: str,
) -> None:
    sdks.run_script(sdk(version), LIFE, env={**ada.env, "RUN": f"run-{version}"}, cwd=tmp_path)
    told = json.loads((tmp_path / "told.json").read_text())
    assert told == {"notes": "notes of the run", "big": True, "file": "notes of the run", "media": True}
    assert kept_in(storing) == []
    assert "which was tried" in storing.manage("check_storage")


def test_the_life_of_artifacts_in_a_bucket(
    storing: Installation, ada: Person, bucket: BucketServer, tmp_path: Path
) -> None:
    bucket.faults.asked.clear()
    lab = Lab(VERSION, sdks.python_of(VERSION), storing, ada, tmp_path)
    lab.script("artifacts_life")
    told = json.loads((lab.folder / "told.json").read_text())
    assert told["first"][:2] == ["v0", ["best", "latest"]]
    assert "cat.txt" in told["verify"]
    assert told["whole"] == WHOLE
    assert told["versions"] == ["v2", "v1", "v0"]
    assert kept_in(storing) == []
    sent = [asked for asked in bucket.faults.asked if asked.startswith("PUT ")]
    assert sent
    if bucket.kind in STRAIGHT:
        assert any("X-Amz-Signature" in asked for asked in sent)
        assert any("X-Amz-Signature" in asked for asked in bucket.faults.asked if asked.startswith("GET "))
