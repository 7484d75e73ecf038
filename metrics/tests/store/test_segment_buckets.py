"""What a place of segments must do, in buckets of real servers (MET-7); `test_packing` has the rest, in a folder."""

from datetime import UTC, datetime, timedelta

import pytest

from metrics.models import Segment, StreamKind
from metrics.store import reads, segment_cache, segment_storage, sweeping
from metrics.tests.store.test_packing import _small, filled, packed
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.services import store_bytes, sweep_strays

__all__ = ["_small"]
pytestmark = pytest.mark.django_db

OTHERS = pytest.mark.exhaustive(
    "the gate has SeaweedFS, which is the strictest; backends themselves are tried on all"
)


@pytest.fixture(
    params=["seaweedfs", *(pytest.param(kind, marks=OTHERS) for kind in ("moto", "azurite", "gcs"))]
)
def server(request, bucket_servers, settings, tmp_path):
    """Let segments go to a bucket of a server."""
    server = bucket_servers(request.param)
    made = server.new_bucket()
    settings.STORAGE_URL, settings.SEGMENT_STORE = made.url, "bucket"
    settings.STORAGE_KEY = made.credentials.get("access_key", "")
    settings.STORAGE_SECRET = made.credentials.get("secret_key", "") or made.credentials.get(
        "account_key", ""
    )
    settings.STORAGE_CREDENTIALS = made.credentials.get("service_account", "")
    settings.BLOB_ROOT, settings.STORAGE_CACHE_FOLDER = tmp_path / "blobs", tmp_path / "cache"
    settings.STORAGE_CACHE_BYTES = 0
    buckets.forget()
    yield server
    buckets.forget()


def soon():
    return datetime.now(UTC) + timedelta(hours=1)


def test_segments_are_written_read_listed_and_deleted(server):
    storage = segment_storage.configured_storage()
    content, name = bytes(range(256)) * 500, "ab" * 16
    storage.put(name, content)
    assert storage.size(name) == len(content)
    assert storage.read(name, 0, len(content)) == content
    assert storage.read(name, 100_001, 77) == content[100_001:100_078]
    with pytest.raises(StorageUnavailable, match="gives less"):
        storage.read(name, 127_990, 77)
    assert list(storage.names(soon())) == [name]
    assert list(storage.names(datetime.now(UTC) - timedelta(hours=1))) == []
    storage.delete([name, "cd" * 16])
    assert list(storage.names(soon())) == []
    with pytest.raises(FileNotFoundError):
        storage.read(name, 0, 10)
    with pytest.raises(FileNotFoundError):
        storage.size(name)


def test_a_run_is_packed_read_and_swept_beside_files(server, monkeypatch):
    blob = store_bytes(b"a file of the same installation")
    run = filled(100)
    assert packed(run).packed == 3
    segment_cache.clear_cache()
    assert [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] == list(range(100))
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    monkeypatch.setattr("storage.services.UNUSED_FOR", -timedelta(hours=1))
    assert (sweeping.sweep(), sweep_strays()) == (0, 0)
    Segment.objects.all().delete()
    assert (sweep_strays(), sweeping.sweep()) == (0, 3)
    assert blob.bucket is not None
    assert buckets.backend_of(blob.bucket.pk).info(blob.location) is not None


@pytest.mark.parametrize(
    "fault", [{"is_down": True}, {"keeps_bytes": 9}, {"answers": (503, "text/plain", b"")}]
)
def test_a_server_that_fails_is_a_clear_refusal(server, fault):
    run = filled(40)
    packed(run)
    segment_cache.clear_cache()
    for name, value in fault.items():
        setattr(server.faults, name, value)
    try:
        with pytest.raises(StorageUnavailable):
            list(reads.scan(run.pk, StreamKind.HISTORY))
    finally:
        server.faults.mend()
    assert len(list(reads.scan(run.pk, StreamKind.HISTORY))) == 40
