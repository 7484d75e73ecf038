"""ART-6, ART-7: with files in a bucket, SDKs upload and download as ever; the server keeps none of the bytes."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sdks
from tests.fakes.buckets import BucketServer
from tests.installation import Installation
from tests.sdk.people import Person, person

pytestmark = pytest.mark.sdk

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


@pytest.fixture(scope="module")
def server_with_bucket(
    bucket_servers: Callable[[str], BucketServer], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """Give an installation whose new files go to a bucket of a strict server of S3."""
    bucket = bucket_servers("seaweedfs").new_bucket()
    with Installation(
        tmp_path_factory.mktemp("bucket"),
        RUNYARD_STORAGE_URL=bucket.url,
        RUNYARD_STORAGE_KEY=bucket.credentials["access_key"],
        RUNYARD_STORAGE_SECRET=bucket.credentials["secret_key"],
    ) as server:
        yield server


@pytest.fixture(scope="module")
def ada(server_with_bucket: Installation) -> Iterator[Person]:
    with person(server_with_bucket, "bucket-ada") as made:
        yield made


@pytest.mark.parametrize("version", sdks.ends())
def test_files_and_artifacts_go_to_the_bucket_and_come_back(
    server_with_bucket: Installation,
    ada: Person,
    sdk: Callable[[str], Path],
    tmp_path: Path,
    version: str,
) -> None:
    sdks.run_script(sdk(version), LIFE, env={**ada.env, "RUN": f"run-{version}"}, cwd=tmp_path)
    told = json.loads((tmp_path / "told.json").read_text())
    assert told == {"notes": "notes of the run", "big": True, "file": "notes of the run", "media": True}
    assert list((server_with_bucket.home / "blobs").glob("[0-9a-f][0-9a-f]/*/*")) == []
    assert "which was tried" in server_with_bucket.manage("check_storage")
