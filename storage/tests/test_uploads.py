"""Uploads that are stored together."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError

from common.errors import Gone
from runs.models import Run, RunFile
from storage import filesystem, owners
from storage.models import Blob, ByteEntry
from storage.signed_urls.uploads import Upload, store_uploads
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.BLOB_ROOT = tmp_path


@pytest.fixture
def run() -> Run:
    return RunFactory()


def _upload(run: Run, name: str, content: bytes) -> Upload:
    received = filesystem.Incoming().finish(content)
    return Upload({"for": "run-file", "r": run.pk, "n": name}, received)


def _stored(run: Run) -> dict[str, bytes]:
    files = RunFile.objects.filter(run=run).select_related("blob")
    return {file.name: filesystem.path_of(file.blob.location).read_bytes() for file in files}


def _contents(root: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in root.rglob("*") if path.is_file())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_several_files_are_stored_in_one_transaction(run: Run, tmp_path: Path) -> None:
    contents = {f"{number}.txt": str(number).encode() for number in range(5)}
    answers = store_uploads([_upload(run, name, content) for name, content in contents.items()])
    assert answers == [_sha256(content) for content in contents.values()]
    assert _stored(run) == contents
    assert _contents(tmp_path) == sorted(contents.values())


def test_the_same_content_several_times_is_kept_once(run: Run, tmp_path: Path) -> None:
    """The second of two temporary files goes with its request."""
    some = [_upload(run, name, b"same") for name in ("a", "b")]
    assert store_uploads(some) == [_sha256(b"same")] * 2
    assert _stored(run) == {"a": b"same", "b": b"same"}
    assert Blob.objects.count() == 1
    assert store_uploads([_upload(run, "c", b"same"), _upload(run, "d", b"other")]) == [
        _sha256(b"same"), _sha256(b"other")
    ]  # fmt: skip
    assert Blob.objects.count() == 2


def test_one_that_is_refused_leaves_nothing_and_the_others_stay(run: Run, tmp_path: Path) -> None:
    gone = RunFactory()
    gone_upload = _upload(gone, "gone.txt", b"gone")
    Run.objects.filter(pk=gone.pk).delete()
    first, refused, last = store_uploads(
        [_upload(run, "a", b"first"), gone_upload, _upload(run, "b", b"last")]
    )
    assert isinstance(refused, Gone)
    assert (first, last) == (_sha256(b"first"), _sha256(b"last"))
    assert _stored(run) == {"a": b"first", "b": b"last"}
    assert _contents(tmp_path) == [b"first", b"last"]
    assert Blob.objects.count() == 2


def test_a_group_that_fails_is_stored_one_by_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever made it fail, a good file is not lost to its neighbors."""
    receiver = owners.receiver_of("run-file")
    take = receiver.receive_upload

    def fail_for_bad(ticket: dict[str, Any], blob: Blob) -> None:
        take(ticket, blob)
        if ticket["n"] == "bad":
            raise DatabaseError("a deadlock")

    monkeypatch.setattr(receiver, "receive_upload", fail_for_bad)
    answers = store_uploads([_upload(run, name, name.encode()) for name in ("a", "bad", "z")])
    assert answers[::2] == [_sha256(b"a"), _sha256(b"z")]
    assert isinstance(answers[1], DatabaseError)
    assert _stored(run) == {"a": b"a", "z": b"z"}
    assert Blob.objects.count() == 2
    assert sum(entry.delta_bytes for entry in ByteEntry.objects.filter(run_id=run.pk)) == 2


def test_a_disk_that_is_full_loses_nothing_that_it_had(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [_upload(run, name, name.encode()) for name in ("a", "b", "c")]
    move, moved = filesystem.move, []

    def fail_third(received: filesystem.ReceivedFile) -> Path:
        moved.append(received)
        if len(moved) == 3:
            raise OSError("no space left on device")
        return move(received)

    monkeypatch.setattr(filesystem, "move", fail_third)
    assert store_uploads(some) == [_sha256(b"a"), _sha256(b"b"), _sha256(b"c")]
    assert _stored(run) == {"a": b"a", "b": b"b", "c": b"c"}
    assert _contents(tmp_path) == [b"a", b"b", b"c"]
