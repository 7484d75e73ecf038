"""TEAM-40: new content of a team that has a bucket goes there, and nothing of it to the default one."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from asgiref.sync import async_to_sync
from django.db import connections

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.drafts.direct_uploads import direct_bucket_id
from artifacts.drafts.uploads import FileSpec, addresses_for
from artifacts.tests.factories import make_draft, make_version, md5_of
from common.crypto import seal
from config.asgi import application
from exports.services import make_next_export, request_export
from runs.files.services import upload_paths
from storage.backends.base import SignedUpload
from storage.buckets import services as buckets
from storage.models import Blob, Bucket
from storage.services import store_bytes
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory, actor, make_member
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.folder_bucket import FakeProvider, FolderBackend

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _connections() -> Iterator[None]:
    yield
    connections.close_all()


def give_bucket(team: Team, url: str = "s3://own/here?region=eu-west-1") -> Bucket:
    """Give a team a bucket without ado."""
    sealed = seal(buckets.SEAL, '{"access_key": "a", "secret_key": "b"}')
    row = Bucket.objects.create(url=url, folder="teamfolder", team=team, sealed_credentials=sealed)
    buckets.forget()
    return row


@async_to_sync
async def _put(*paths: str, content: bytes) -> list[int]:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(application), base_url="http://testserver"
    ) as client:
        return [(await client.put(path, content=content)).status_code for path in paths]


def _names_of_buckets(provider: FakeProvider) -> set[str]:
    return {path.partition("/")[0] for path in provider.objects()}


@pytest.mark.parametrize("default", ["", "s3://files/runyard?region=eu-west-1"])
def test_files_artifacts_and_archives_of_the_team_lie_in_its_bucket_alone(
    bucket: FakeProvider, settings: Any, default: str
):
    settings.STORAGE_URL = default
    run = RunFactory()
    own = give_bucket(run.project.team)
    paths = upload_paths(actor=SYSTEM, run=run, names=["notes.txt", "wandb-metadata.json"])
    assert _put(*map(str, paths), content=b"{}") == [200, 200], "with the quota asked about and without"
    make_version(run.project)
    assert set(Blob.objects.values_list("bucket", flat=True)) == {own.pk}
    assert _names_of_buckets(bucket) == {"own"}


def test_an_archive_lies_there_too(bucket: FakeProvider):
    team = RunFactory().project.team
    own, admin = give_bucket(team), make_member(team, Preset.ADMIN)
    request_export(actor=actor(admin), team=team)
    assert make_next_export()
    assert Blob.objects.get().bucket == own


def test_other_teams_and_what_is_nobodys_stay_in_the_default_bucket(bucket: FakeProvider):
    run = RunFactory()
    give_bucket(run.project.team)
    other = RunFactory().project.team
    for team_id in (other.pk, None):
        stored = store_bytes(b"of %d" % (team_id or 0), team_id)
        assert stored.bucket == buckets.default_bucket()


def test_clients_send_files_straight_to_the_bucket_of_the_team(
    bucket: FakeProvider, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(FolderBackend, "can_sign_uploads", True)
    monkeypatch.setattr(FolderBackend, "upload_url", lambda *_, **__: SignedUpload("https://own/x"))
    project = ProjectFactory()
    own, draft = give_bucket(project.team), make_draft(project, files={})
    assert direct_bucket_id(project.team_id) == own.pk
    asked = [FileSpec(draft.pk, "a.bin", md5_of(b"a"))]
    addresses_for(actor=SYSTEM, files=asked)
    assert [each.bucket for each in draft.direct_uploads.all()] == [own]
    Bucket.objects.update(team=None)
    buckets.forget()
    addresses_for(actor=SYSTEM, files=asked)
    assert [each.bucket for each in draft.direct_uploads.all()] == [buckets.default_bucket()], (
        "what was announced when the team had another bucket is announced anew"
    )
