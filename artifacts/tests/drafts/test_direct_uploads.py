"""Files that clients send straight to a bucket, and what the commit makes of them (ART-3, ART-6, ART-7).

The bucket is a real server's that checks signatures, digests and permissions.
"""

import hashlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.utils import timezone

from access.actor import SYSTEM
from artifacts.drafts.commit import commit_version
from artifacts.drafts.parts import complete_parts, give_up_parts
from artifacts.drafts.uploads import FileSpec, UploadAddress, addresses_for
from artifacts.manifests.document import write_manifest
from artifacts.models import Content, DirectUpload, Entry, Version
from artifacts.retention.drafts import sweep_drafts
from artifacts.tests.factories import entries_for, make_draft, md5_of, send_manifest
from artifacts.versions.deletion import delete_version
from billing.limits.warnings import refresh_all
from common.errors import Invalid, TooLarge
from runs.models import Project
from storage import quota
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.contents.reading import content_of
from storage.models import Blob, Holding
from storage.services import sweep_strays
from tests.factories import ProjectFactory
from tests.fakes.buckets import BucketServer
from tests.plans import put_on

pytestmark = pytest.mark.django_db

FIVE_MIB = 5 * 1024 * 1024


@pytest.fixture
def server(
    bucket_servers: Callable[[str], BucketServer], settings: Any, tmp_path: Path
) -> Iterator[BucketServer]:
    """Let new content go to an empty bucket of SeaweedFS."""
    found = bucket_servers("seaweedfs")
    bucket = found.new_bucket()
    settings.BLOB_ROOT, settings.STORAGE_CACHE_FOLDER = tmp_path / "blobs", tmp_path / "cache"
    settings.STORAGE_URL = bucket.url
    settings.STORAGE_KEY, settings.STORAGE_SECRET = (
        bucket.credentials["access_key"],
        bucket.credentials["secret_key"],
    )
    buckets.forget()
    yield found
    buckets.forget()


@pytest.fixture
def project(server: BucketServer) -> Project:
    return ProjectFactory()


def begin(
    project: Project, files: dict[str, bytes], sizes: dict[str, int] | None = None, **more: Any
) -> Version:
    """Return a draft whose manifest has come, and of whose files none has."""
    entries = entries_for(files)
    for entry in entries:
        object.__setattr__(entry, "size_bytes", (sizes or {}).get(entry.path, entry.size_bytes))
    draft = make_draft(project, files={}, digest=hashlib.md5(repr(files).encode()).hexdigest(), **more)  # noqa: S324
    send_manifest(draft, write_manifest(entries))
    return draft


def address(draft: Version, path: str, content: bytes) -> UploadAddress:
    [found] = addresses_for(actor=SYSTEM, files=[FileSpec(draft.pk, path, md5_of(content))])
    return found


def send(where: UploadAddress, content: bytes) -> int:
    """Send bytes as the SDK does: with the headers it was told, and nothing else that says who it is."""
    return httpx.put(where.put_url, content=content, headers=dict(where.headers)).status_code


def read(version: Version) -> dict[str, bytes]:
    found = {}
    for entry in Entry.objects.filter(version=version).select_related("content__blob"):
        assert entry.content is not None
        found[entry.path] = content_of(entry.content.blob).read_bytes()
    return found


def later(hours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now() + timedelta(hours=hours)
    monkeypatch.setattr(timezone, "now", lambda: now)


def test_files_go_past_the_server_and_are_counted_at_the_commit(project: Project) -> None:
    files = {"weights.bin": b"w" * 5000, "notes.txt": b"notes", "empty": b""}
    draft = begin(project, files)
    for path, content in files.items():
        where = address(draft, path, content)
        assert where.put_url.startswith("http://127.0.0.1")
        assert list(where.headers) == ["Content-MD5"]
        assert send(where, content) == 200
    assert not Content.objects.filter(project=project, blob__digest="").exists()
    version = commit_version(actor=SYSTEM, version=draft)
    assert version.size_bytes == 5005
    assert read(version) == files
    held = Content.objects.filter(project=project)
    assert Holding.objects.get(project_id=project.pk, category="artifact").size_bytes == sum(
        held.values_list("size_bytes", flat=True)
    )
    assert not DirectUpload.objects.exists()


def test_what_has_not_come_is_named(project: Project) -> None:
    files = {"a": b"1", "b": b"2"}
    draft = begin(project, files)
    assert send(address(draft, "a", b"1"), b"1") == 200
    address(draft, "b", b"2")
    with pytest.raises(Invalid, match="have not been uploaded: “b”"):
        commit_version(actor=SYSTEM, version=draft)
    assert send(address(draft, "b", b"2"), b"2") == 200
    assert read(commit_version(actor=SYSTEM, version=draft)) == files


def test_an_address_takes_no_other_bytes_neither_before_nor_after_the_commit(project: Project) -> None:
    draft = begin(project, {"a": b"good"})
    where = address(draft, "a", b"good")
    assert send(where, b"evil") >= 400
    lying = UploadAddress(draft, "a", where.put_url, {"Content-MD5": md5_of(b"evil")})
    assert send(lying, b"evil") >= 400
    assert httpx.put(where.put_url, content=b"evil").status_code >= 400
    assert send(where, b"good") == 200
    version = commit_version(actor=SYSTEM, version=draft)
    assert send(where, b"evil") >= 400
    assert send(lying, b"evil") >= 400
    send(where, b"good")
    assert read(version) == {"a": b"good"}


def test_a_size_that_the_manifest_lies_about_is_refused(project: Project) -> None:
    draft = begin(project, {"a": b"12345"}, sizes={"a": 5_000_000})
    assert send(address(draft, "a", b"12345"), b"12345") == 200
    with pytest.raises(Invalid, match="“a” has 5 bytes, not 5000000 as the manifest says"):
        commit_version(actor=SYSTEM, version=draft)
    assert not Version.objects.exclude(state="draft").exists()


def test_only_what_the_project_itself_holds_is_not_asked_for_again(project: Project) -> None:
    first = begin(project, {"a": b"same"})
    assert send(address(first, "a", b"same"), b"same") == 200
    commit_version(actor=SYSTEM, version=first)
    second = begin(project, {"a": b"same", "b": b"new"})
    assert not address(second, "a", b"same").put_url
    foreign = begin(ProjectFactory(), {"a": b"same"})
    assert address(foreign, "a", b"same").put_url


def test_a_file_that_has_come_already_is_not_sent_twice(project: Project) -> None:
    draft = begin(project, {"a": b"once"})
    where = address(draft, "a", b"once")
    assert address(draft, "a", b"once").put_url  # not there yet
    assert send(where, b"once") == 200
    assert not address(draft, "a", b"once").put_url
    assert read(commit_version(actor=SYSTEM, version=draft)) == {"a": b"once"}


def test_two_drafts_with_the_same_file_share_what_came_first(project: Project) -> None:
    one, other = begin(project, {"a": b"x"}, name="one"), begin(project, {"b": b"x"}, name="other")
    for draft, path in ((one, "a"), (other, "b")):
        assert send(address(draft, path, b"x"), b"x") == 200
    versions = [commit_version(actor=SYSTEM, version=draft) for draft in (one, other)]
    assert [read(version) for version in versions] == [{"a": b"x"}, {"b": b"x"}]
    assert Content.objects.filter(project=project, md5=md5_of(b"x")).count() == 1


def test_large_files_come_in_parts_that_the_bucket_checks(project: Project) -> None:
    parts = [b"a" * FIVE_MIB, b"b" * 100]
    whole = b"".join(parts)
    draft = begin(project, {"large": whole})
    hexes = [hashlib.md5(part).hexdigest() for part in parts]  # noqa: S324
    spec = FileSpec(draft.pk, "large", md5_of(whole), list(enumerate(hexes, 1)))
    [where] = addresses_for(actor=SYSTEM, files=[spec])
    [again] = addresses_for(actor=SYSTEM, files=[spec])
    assert where.upload_key == again.upload_key
    tags = []
    for (number, url), part in zip(where.part_urls, parts, strict=True):
        assert httpx.put(url, content=b"other", headers={"Content-MD5": md5_of(part)}).status_code >= 400
        answer = httpx.put(url, content=part, headers={"Content-MD5": md5_of(part)})
        tags.append((number, answer.headers["ETag"]))
        if number == 1:
            with pytest.raises(Invalid, match="Part 2 of this file has not been uploaded"):
                complete_parts(
                    actor=SYSTEM, version=draft, key=where.upload_key, parts=list(enumerate(hexes, 1))
                )
    for _ in range(2):  # the answer may be lost
        done = complete_parts(actor=SYSTEM, version=draft, key=where.upload_key, parts=tags)
        assert done == md5_of(whole)
    version = commit_version(actor=SYSTEM, version=draft)
    assert version.size_bytes == len(whole)
    assert read(version) == {"large": whole}


@pytest.mark.parametrize("digest", ["no digest", "", "ab"])
def test_a_part_without_a_digest_is_refused(digest: str, project: Project) -> None:
    draft = begin(project, {"large": b"x"})
    with pytest.raises(Invalid, match="is not an MD5 digest"):
        addresses_for(actor=SYSTEM, files=[FileSpec(draft.pk, "large", md5_of(b"x"), [(1, digest)])])


def test_parts_that_are_given_up_leave_nothing(project: Project) -> None:
    draft = begin(project, {"large": b"x"})
    spec = FileSpec(draft.pk, "large", md5_of(b"x"), [(1, hashlib.md5(b"x").hexdigest())])  # noqa: S324
    [where] = addresses_for(actor=SYSTEM, files=[spec])
    give_up_parts(actor=SYSTEM, version=draft, key=where.upload_key)
    [(_number, url)] = where.part_urls
    assert httpx.put(url, content=b"x", headers={"Content-MD5": md5_of(b"x")}).status_code >= 400
    assert not DirectUpload.objects.exists()


def test_a_bucket_that_vanishes_during_the_commit_loses_nothing(
    project: Project, server: BucketServer
) -> None:
    draft = begin(project, {"a": b"kept"})
    assert send(address(draft, "a", b"kept"), b"kept") == 200
    server.faults.is_down = True
    with pytest.raises(StorageUnavailable):
        commit_version(actor=SYSTEM, version=draft)
    assert Version.objects.get(pk=draft.pk).is_draft
    server.faults.mend()
    assert read(commit_version(actor=SYSTEM, version=draft)) == {"a": b"kept"}


def test_a_file_that_the_bucket_has_lost_is_missing(project: Project) -> None:
    draft = begin(project, {"a": b"lost"})
    assert send(address(draft, "a", b"lost"), b"lost") == 200
    upload = DirectUpload.objects.get(version=draft)
    buckets.backend_of(upload.bucket_id).delete([upload.location])
    with pytest.raises(Invalid, match="have not been uploaded: “a”"):
        commit_version(actor=SYSTEM, version=draft)


def test_the_quota_is_asked_before_an_address_is_given(project: Project, settings: Any) -> None:
    draft = begin(project, {"a": b"x"})
    settings.ENFORCE_LIMITS = True
    assert project.team.organization is not None
    put_on(project.team.organization, name="Small", included_storage_gb=1, grace_days=0)
    Holding.objects.create(team_id=project.team_id, category="file", size_bytes=2 * 10**9)
    refresh_all()
    quota.forget()
    with pytest.raises(TooLarge):
        address(draft, "a", b"x")
    quota.forget()


def test_what_drafts_await_is_swept_only_with_them(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = begin(project, {"a": b"slow"})
    where = address(draft, "a", b"slow")
    assert send(where, b"slow") == 200
    upload = DirectUpload.objects.get(version=draft)
    backend = buckets.backend_of(upload.bucket_id)
    later(48, monkeypatch)
    sweep_strays()
    assert backend.info(upload.location) is not None
    delete_version(actor=SYSTEM, version=draft, with_aliases=True)
    sweep_drafts()
    assert not DirectUpload.objects.exists()
    sweep_strays()
    assert backend.info(upload.location) is None


def test_looking_up_many_files_takes_a_fixed_number_of_queries(
    project: Project, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    files = {f"f{number}": b"%d" % number for number in range(60)}
    draft = begin(project, files)
    specs = [FileSpec(draft.pk, path, md5_of(content)) for path, content in files.items()]
    with django_assert_max_num_queries(25):
        found = addresses_for(actor=SYSTEM, files=specs)
    for where, content in zip(found, files.values(), strict=True):
        assert send(where, content) == 200
    with django_assert_max_num_queries(70):
        version = commit_version(actor=SYSTEM, version=draft)
    assert version.file_count == 60
    assert Blob.objects.filter(digest="").count() == 60
