"""What the tests of the connector's pages and endpoints share: a team with files, and buckets in a folder."""

from typing import Any

import pytest

from runs.models import Run
from storage.models import BucketMove
from storage.team_buckets import moving
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory, add_run_file
from tests.fakes.folder_bucket import FakeProvider, FolderBackend

FILES = {"a.txt": b"content a", "b.txt": b"content b"}
SECRET = "secret-of-the-team"
URL = "s3://own/here?region=eu-west-1"
CREDENTIALS = {"access_key": "key-of-the-team", "secret_key": SECRET}
FIELDS = {"provider": "s3", "bucket": "own", "key_prefix": "/here/", "region": "eu-west-1", **CREDENTIALS}
"""What a form of such a bucket sends."""


@pytest.fixture
def provider(bucket: FakeProvider, settings: Any, monkeypatch: pytest.MonkeyPatch) -> FakeProvider:
    """Hold buckets in a folder, which signs addresses that nobody serves; other files go to the data folder."""
    settings.STORAGE_URL = ""
    monkeypatch.setattr(FolderBackend, "can_sign_downloads", False)
    return bucket


@pytest.fixture
def run(team: Team, provider: FakeProvider) -> Run:
    """Give a run of the team, with two files."""
    run: Run = RunFactory(project=ProjectFactory(team=team, name="cifar"), uid="first")
    for name, content in FILES.items():
        add_run_file(run, name, content)
    return run


def end_of(move: BucketMove) -> BucketMove:
    """Let a move end that is too young for it."""
    BucketMove.objects.filter(pk=move.pk).update(
        started_at=move.started_at - moving.SETTLED_AFTER, wakes_at=move.started_at
    )
    moving.go_on(move.pk)
    move.refresh_from_db()
    return move
