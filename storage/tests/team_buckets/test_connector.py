"""TEAM-40: a bucket of a real server is connected, refused, and moved into and out of while it fails."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from access.actor import SYSTEM
from runs.models import Run, RunFile
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.contents.reading import content_of
from storage.models import Bucket, BucketMove
from storage.team_buckets import connector, moving
from tests.factories import RunFactory, add_run_file
from tests.fakes.buckets import LIMITED, BucketServer

pytestmark = pytest.mark.django_db

_FILES = {f"{number}.bin": bytes([number]) * 200_000 for number in range(4)}
_REFUSED = (403, "application/xml", b"<Error><Code>InvalidAccessKeyId</Code><Message>gone</Message></Error>")


@pytest.fixture
def server(
    bucket_servers: Callable[[str], BucketServer], settings: Any, tmp_path: Path
) -> Iterator[BucketServer]:
    """SeaweedFS, which checks signatures and permissions; teams may have servers on this machine."""
    settings.BLOB_ROOT, settings.STORAGE_CACHE_FOLDER = tmp_path / "blobs", tmp_path / "cache"
    settings.STORAGE_URL, settings.ALLOWED_NETWORKS = "", ["127.0.0.0/8"]
    found = bucket_servers("seaweedfs")
    buckets.forget()
    yield found
    found.faults.mend()
    buckets.forget()


@pytest.fixture
def run(server: BucketServer) -> Run:
    run = RunFactory()
    for name, content in _FILES.items():
        add_run_file(run, name, content)
    return run


def _connect(run: Run, server: BucketServer) -> BucketMove:
    own = server.new_bucket()
    return connector.connect(actor=SYSTEM, team=run.project.team, url=own.url, credentials=own.credentials)


def _go_on(move: BucketMove) -> BucketMove:
    BucketMove.objects.filter(pk=move.pk).update(
        wakes_at=timezone.now(), started_at=timezone.now() - timedelta(minutes=1)
    )
    buckets.forget()
    moving.go_on(move.pk)
    move.refresh_from_db()
    return move


def _contents(run: Run) -> dict[str, bytes]:
    return {
        file.name: b"".join(content_of(file.blob).pieces())
        for file in RunFile.objects.filter(run=run).select_related("blob")
    }


def test_files_go_to_a_real_bucket_and_back(run: Run, server: BucketServer):
    move = _go_on(_connect(run, server))
    assert (move.error, move.files_done, move.finished_at is not None) == ("", 4, True)
    assert set(RunFile.objects.values_list("blob__bucket", flat=True)) == {move.target_id}
    assert _contents(run) == _FILES
    back = _go_on(connector.disconnect(actor=SYSTEM, team=run.project.team))
    assert (back.error, back.files_done, back.finished_at is not None) == ("", 4, True)
    assert _contents(run) == _FILES


@pytest.mark.parametrize("permission", LIMITED)
def test_a_missing_permission_is_named_and_nothing_saved(run: Run, server: BucketServer, permission: str):
    own = server.new_bucket()
    credentials = own.credentials | {"access_key": LIMITED[permission][0]}
    with pytest.raises(StorageUnavailable, match=permission):
        connector.connect(actor=SYSTEM, team=run.project.team, url=own.url, credentials=credentials)
    assert not Bucket.objects.exists()


def test_a_server_in_our_own_network_is_refused(run: Run, server: BucketServer, settings: Any):
    settings.ALLOWED_NETWORKS = []
    with pytest.raises(StorageUnavailable):
        _connect(run, server)
    assert not Bucket.objects.exists()


@pytest.mark.parametrize("is_back", [False, True])
def test_credentials_revoked_in_the_middle_lose_nothing(run: Run, server: BucketServer, is_back: bool):
    move = _connect(run, server)
    if is_back:
        _go_on(move)
        move = connector.disconnect(actor=SYSTEM, team=run.project.team)
    server.faults.answers, server.faults.after = _REFUSED, 3
    move = _go_on(move)
    assert move.finished_at is None
    assert move.error
    assert 0 < move.files_left < 4
    server.faults.mend()
    assert _contents(run) == _FILES
    move = _go_on(move)
    assert (move.error, move.files_done, move.finished_at is not None) == ("", 4, True)
    assert _contents(run) == _FILES


def test_a_bucket_that_vanishes_is_waited_for(run: Run, server: BucketServer):
    move = _connect(run, server)
    server.faults.is_down = True
    move = _go_on(move)
    assert (move.finished_at, move.files_done, move.files_left) == (None, 0, 4)
    assert move.error
    assert _contents(run) == _FILES
    server.faults.mend()
    assert _go_on(move).finished_at is not None


def test_other_credentials_of_the_same_bucket(run: Run, server: BucketServer):
    move = _go_on(_connect(run, server))
    limited = {"access_key": LIMITED["s3:GetObject"][0], "secret_key": "secret-of-the-tests"}
    with pytest.raises(StorageUnavailable, match="s3:GetObject"):
        connector.replace_credentials(actor=SYSTEM, team=run.project.team, credentials=limited)
    assert connector.check_again(actor=SYSTEM, team=run.project.team).check_error == "", "the old ones hold"
    assert move.target is not None
