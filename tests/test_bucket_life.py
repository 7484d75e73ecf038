"""ART-6, ART-7: every reader and writer of stored content works with content in a bucket, and says when it fails."""

import io
import json
import zipfile
from typing import Any

import pyarrow.parquet as pq
import pytest
from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.drafts.commit import commit_version
from artifacts.pages.preview import preview_of
from artifacts.tests.factories import make_draft, make_version
from artifacts.tests.previews.weights import safetensors
from exports import services as exports
from exports.models import ExportState
from exports.tasks import make_exports
from metrics.downloads import sdk_parquet
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import history, post
from runs.files.browsing import preview_of as preview_of_file
from runs.files.zip_download import zipped
from storage import filesystem
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.contents.reading import content_of
from storage.models import Holding
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, add_run_file, make_member
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.folder_bucket import FakeProvider

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db

SECRET = "sk-ant-" + "a1B2" * 24
TABLE = json.dumps({"columns": ["n"], "data": [[1], [2]]}).encode()
WEIGHTS = safetensors({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\x00" * 8)


@pytest.fixture(autouse=True)
def _nothing_in_the_data_folder(bucket: FakeProvider) -> Any:
    yield
    assert list(filesystem.locations(timezone.now().timestamp() + 60)) == []


@async_to_sync
async def _archive(files: Any, *, revealed: bool) -> zipfile.ZipFile:
    pieces = [piece async for piece in zipped(files, revealed=revealed)]
    return zipfile.ZipFile(io.BytesIO(b"".join(pieces)))


def test_files_of_a_run_are_previewed_and_zipped(bucket: FakeProvider) -> None:
    run = RunFactory()
    text = add_run_file(run, "notes.txt", f"token {SECRET}\n".encode())
    lost = add_run_file(run, "lost.bin", b"\x00lost")
    add_run_file(run, "c.bin", b"\x00" * 3000)
    shown = preview_of_file(text, revealed=False)
    assert shown is not None
    assert shown["text"].startswith("token ")
    assert SECRET not in shown["text"]
    next(bucket.root.rglob(lost.blob.location.rpartition("/")[2])).unlink()
    archive = _archive(list(run.files.select_related("blob").order_by("name")), revealed=False)
    assert archive.namelist() == ["c.bin", "notes.txt"], "what is gone is left out"
    assert archive.read("c.bin") == b"\x00" * 3000
    assert SECRET.encode() not in archive.read("notes.txt")


def test_an_artifact_is_committed_previewed_and_counted(bucket: FakeProvider) -> None:
    project = ProjectFactory()
    files = {"a.txt": b"hello\n", "t.table.json": TABLE, "w.safetensors": WEIGHTS}
    version = make_version(project, "data", files)
    assert version.manifest is not None
    assert content_of(version.manifest.blob).read_bytes().startswith(b"{")
    shown = {path: preview_of(SYSTEM, version, version.entries.get(path=path), {}) for path in files}
    assert shown["a.txt"].text is not None
    assert shown["a.txt"].text.text == "hello\n"
    assert shown["t.table.json"].table is not None
    weights = shown["w.safetensors"].weights
    assert weights is not None
    assert [tensor.name for tensor in weights.tensors] == ["a"]
    stored = sum(len(content) for content in bucket.objects().values())
    sizes = Holding.objects.filter(project_id=project.pk, category="artifact").values_list(
        "size_bytes", flat=True
    )
    assert sum(sizes) <= stored, "the manifest that was sent is given up by the commit"
    assert sum(map(len, files.values())) < sum(sizes)


@pytest.mark.django_db(transaction=True)
def test_a_commit_writes_its_manifest_before_the_transaction(
    bucket: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = make_draft(ProjectFactory(), "data", {"a.txt": b"a"})
    backend = buckets.backend_of(buckets.default_bucket().pk)  # type: ignore[union-attr] # there is one
    put, in_transaction = backend.put, []

    def watch(*given: Any, **more: Any) -> None:
        in_transaction.append(transaction.get_connection().in_atomic_block)
        put(*given, **more)

    monkeypatch.setattr(backend, "put", watch)
    commit_version(actor=SYSTEM, version=draft)
    assert in_transaction == [False]


def test_a_commit_beside_a_bucket_that_is_down_can_be_asked_again(bucket: FakeProvider) -> None:
    draft = make_draft(ProjectFactory(), "data", {"a.txt": b"a"})
    bucket.is_down = True
    with pytest.raises(StorageUnavailable):
        commit_version(actor=SYSTEM, version=draft)
    bucket.is_down = False
    assert commit_version(actor=SYSTEM, version=draft).file_count == 1


def test_history_comes_as_parquet(bucket: FakeProvider) -> None:
    run = RunFactory()
    write_group([post(run, history=(0, history(0, 5)), complete=0)])
    run.refresh_from_db()
    [blob] = sdk_parquet.history_files(run)
    assert pq.read_table(content_of(blob).local_copy()).num_rows == 5
    assert sdk_parquet.history_files(run) == [blob], "made once"


def test_everything_of_a_team_is_exported_or_the_export_says_why_not(
    bucket: FakeProvider, settings: Any
) -> None:
    settings.BLOB_ROOT.mkdir(parents=True, exist_ok=True)
    team = TeamFactory()
    admin, project = make_member(team, Preset.ADMIN), ProjectFactory(team=team, name="cifar")
    run = RunFactory(project=project)
    add_run_file(run, "a.bin", b"\x00bytes")
    make_version(project, "data", {"a.txt": b"artifact"})
    export = exports.request_export(actor=actor(admin), team=team)
    make_exports()
    export.refresh_from_db()
    assert export.blob is not None, export.error
    archive = zipfile.ZipFile(io.BytesIO(content_of(export.blob).read_bytes()))
    assert archive.read(f"projects/cifar/runs/{run.pk}/files/a.bin") == b"\x00bytes"
    assert b"artifact" in {archive.read(name) for name in archive.namelist()}
    second = exports.request_export(actor=actor(admin), team=team)
    bucket.is_down = True
    make_exports()
    second.refresh_from_db()
    assert (second.state, second.error) == (ExportState.FAILED, "The bucket does not answer.")
