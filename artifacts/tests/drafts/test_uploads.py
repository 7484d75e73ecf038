"""What comes for drafts: cut off, late, twice, other bytes, beyond the quota, in parts (ART-2, ART-7)."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import time_machine
from asgiref.sync import async_to_sync
from django.db import connections
from django.utils import timezone

from access.actor import SYSTEM
from artifacts.contents import contents_named
from artifacts.drafts.commit import commit_version
from artifacts.drafts.parts import complete_parts, give_up_parts
from artifacts.drafts.uploads import FileSpec, addresses_for
from artifacts.manifests.document import write_manifest
from artifacts.models import Content, Entry, PartsUpload, Version
from artifacts.retention import drafts
from artifacts.tests.factories import (
    entries_for,
    make_draft,
    md5_of,
    send_manifest,
)
from artifacts.versions.deletion import delete_version
from common.errors import Conflict, Invalid, NotFound, TooLarge
from config.asgi import application
from runs.models import Project, RefusedFile, Run
from storage import filesystem, parts, quota
from storage.models import Blob
from storage.services import stored_bytes
from teams.plan_policy import plan_policy
from tests.factories import ProjectFactory, RunFactory, make_member

pytestmark = pytest.mark.django_db(transaction=True)

# Two contents with one MD5: Wang and Yu, "How to Break MD5 and Other Hash Functions", 2005.
ONE_OF_TWO = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a"
    "085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70"
)
OTHER_OF_TWO = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab50712467eab4004583eb8fb7f8955ad340609f4b30283e4888325f1415a"
    "085125e8f7cdc99fd91dbd7280373c5bd8823e3156348f5bae6dacd436c919c6dd53e23487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080280d1ec69821bcb6a8839396f965ab6ff72a70"
)
FIRST, SECOND = b"the first part;", b"the second part"


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.BLOB_ROOT = tmp_path
    yield
    connections.close_all()


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


@pytest.fixture
def run(project: Project) -> Run:
    return RunFactory(project=project, user=make_member(project.team))


def begin(project: Project, files: dict[str, bytes], **more: Any) -> Version:
    """Return a draft whose manifest has come, and of whose files none has."""
    entries = entries_for(files)
    draft = make_draft(project, files={}, digest=md5_of(repr(files).encode()), **more)
    send_manifest(draft, write_manifest(entries))
    return draft


def address(draft: Version, path: str, content: bytes) -> str:
    """Return where a file goes; "" where the project holds its bytes."""
    [found] = addresses_for(actor=SYSTEM, files=[FileSpec(draft.pk, path, md5_of(content))])
    return found.put_url


@async_to_sync
async def put(path: str, content: bytes) -> tuple[int, str]:
    """Send bytes to an address; return the status, and what was said of a refusal."""
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        answer = await client.put(path, content=content)
    return answer.status_code, "" if answer.is_success else answer.json()["error"]["message"]


def read(version: Version) -> dict[str, bytes]:
    rows = Entry.objects.filter(version=version).select_related("content__blob")
    return {
        entry.path: filesystem.path_of(entry.content.blob.location).read_bytes()
        for entry in rows
        if entry.content is not None
    }


def stored() -> list[Path]:
    return list(filesystem._temporary_folder().iterdir()) + [
        filesystem.path_of(one) for one in filesystem.locations(timezone.now().timestamp() + 60)
    ]


def test_nul_is_replaced_and_right_to_left_stays_as_it_is(project: Project) -> None:
    draft = begin(project, {"a\x00b": b"1", "\u202egpj.exe": b"2", "שלום.txt": b"3"})
    for path, content in (("a\x00b", b"1"), ("\u202egpj.exe", b"2"), ("שלום.txt", b"3")):
        assert put(address(draft, path, content), content)[0] == 200
    version = commit_version(actor=SYSTEM, version=draft)
    assert read(version) == {"a\ufffdb": b"1", "\u202egpj.exe": b"2", "שלום.txt": b"3"}


def test_a_file_that_was_cut_off_is_refused_and_goes_up_by_the_same_address(project: Project) -> None:
    whole = bytes(range(256)) * 100
    draft = begin(project, {"a": whole})
    path, before = address(draft, "a", whole), set(stored())
    for content in (whole[:-1], b"", whole + b"x"):
        status, said = put(path, content)
        assert status == 400
        assert "“a”" in said
        assert "cut off" in said
    assert set(stored()) == before
    assert put(path, whole) == (200, "")
    assert read(commit_version(actor=SYSTEM, version=draft)) == {"a": whole}


def test_an_address_takes_the_same_bytes_again_and_counts_them_once(project: Project) -> None:
    draft = begin(project, {"a": b"again"})
    path, before = address(draft, "a", b"again"), stored_bytes(project_id=project.pk)
    assert [put(path, b"again")[0] for _ in range(3)] == [200] * 3
    assert stored_bytes(project_id=project.pk) == before + 5
    assert address(draft, "a", b"again") == ""


def test_an_address_changes_nothing_once_its_version_is_committed(project: Project) -> None:
    """ART-7: the addresses that a client keeps can never overwrite what is committed."""
    draft = begin(project, {"a": ONE_OF_TWO})
    path = address(draft, "a", ONE_OF_TWO)
    assert put(path, ONE_OF_TWO) == (200, "")
    version = commit_version(actor=SYSTEM, version=draft)
    before = set(stored())
    for content, status in ((OTHER_OF_TWO, 409), (ONE_OF_TWO, 409), (b"other", 400)):
        assert put(path, content)[0] == status
    assert read(version) == {"a": ONE_OF_TWO}
    assert set(stored()) == before


def test_other_bytes_with_the_same_md5_never_replace_those_that_are_held(project: Project) -> None:
    """ART-7: a draft that is not committed is no way round it either."""
    assert hashlib.md5(ONE_OF_TWO).digest() == hashlib.md5(OTHER_OF_TWO).digest()  # noqa: S324 - that is the point
    first, second = begin(project, {"a": ONE_OF_TWO}), begin(project, {"b": OTHER_OF_TWO})
    late = address(second, "b", OTHER_OF_TWO)
    assert put(address(first, "a", ONE_OF_TWO), ONE_OF_TWO) == (200, "")
    version = commit_version(actor=SYSTEM, version=first)
    assert put(late, OTHER_OF_TWO) == (200, "")
    assert read(version) == {"a": ONE_OF_TWO}
    assert Content.objects.filter(md5=md5_of(ONE_OF_TWO)).count() == 1


def test_an_address_expires(project: Project, settings: Any) -> None:
    draft = begin(project, {"a": b"a"})
    path = address(draft, "a", b"a")
    with time_machine.travel(timezone.now().timestamp() + settings.TICKET_UPLOAD_S + 2):
        status, said = put(path, b"a")
    assert status == 403
    assert "expired" in said
    assert put(path, b"a") == (200, "")


def test_a_draft_that_is_given_up_or_swept_takes_nothing(project: Project) -> None:
    draft = begin(project, {"a": b"late"})
    path = address(draft, "a", b"late")
    delete_version(actor=SYSTEM, version=draft, with_aliases=False)
    before = set(stored())
    assert put(path, b"late")[0] == 410
    assert drafts.sweep_drafts() == 1
    assert put(path, b"late")[0] == 410
    assert not contents_named(project.pk, [md5_of(b"late")])
    assert set(stored()) == before
    assert not Blob.objects.filter(md5=md5_of(b"late")).exists()


class TestQuota:
    """The quota is reached in the middle of an artifact (BIL-3): said clearly, and nothing that came is lost."""

    FILES = {"one": b"one", "deep/two": b"two", "three": b"three"}

    @pytest.fixture(autouse=True)
    def _forgotten(self) -> Iterator[None]:
        quota.forget()
        yield
        quota.forget()

    def _fill(self, patched: pytest.MonkeyPatch) -> None:
        def full(_team_id: int) -> None:
            raise TooLarge("acme stores 11 GB of 10 GB. Ask ada.")

        patched.setattr(plan_policy(), "require_storage", full)
        quota.forget()

    def test_what_came_before_stays_and_the_rest_goes_up_once_there_is_room(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        draft = begin(run.project, self.FILES, run=run)
        paths = {name: address(draft, name, content) for name, content in self.FILES.items()}
        assert put(paths["one"], b"one") == (200, "")
        with monkeypatch.context() as patched:
            self._fill(patched)
            for name in ("deep/two", "three"):
                assert put(paths[name], self.FILES[name]) == (413, "acme stores 11 GB of 10 GB. Ask ada.")
            refused = RefusedFile.objects.filter(run=run, reason__contains="Ask ada")
            assert set(refused.values_list("name", flat=True)) == {"model/deep/two", "model/three"}
            with pytest.raises(Invalid, match=r"not been uploaded: “deep/two”, “three”"):
                commit_version(actor=SYSTEM, version=draft)
        assert address(draft, "one", b"one") == "", "it need not be sent again"
        for name in ("deep/two", "three"):
            assert put(paths[name], self.FILES[name]) == (200, "")
        assert read(commit_version(actor=SYSTEM, version=draft)) == self.FILES
        assert not RefusedFile.objects.exists(), "nothing is missing any more"

    def test_a_long_name_is_refused_as_clearly(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        name = "n" * 1024
        draft = begin(run.project, {name: b"long"}, run=run)
        path = address(draft, name, b"long")
        with monkeypatch.context() as patched:
            self._fill(patched)
            assert put(path, b"long")[0] == 413
        assert RefusedFile.objects.get().name.startswith("model/nnn")
        assert put(path, b"long") == (200, "")
        assert not RefusedFile.objects.exists()

    def test_parts_are_refused_and_those_that_came_stay(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        draft = begin(run.project, {"big": FIRST + SECOND}, run=run)
        key, (first, second) = in_parts(draft, "big", FIRST, SECOND)
        assert put(first, FIRST) == (200, "")
        with monkeypatch.context() as patched:
            self._fill(patched)
            assert put(second, SECOND)[0] == 413
        assert put(second, SECOND) == (200, "")
        complete(draft, key, FIRST, SECOND)
        assert read(commit_version(actor=SYSTEM, version=draft)) == {"big": FIRST + SECOND}


def tag(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def in_parts(draft: Version, path: str, *pieces: bytes) -> tuple[str, list[str]]:
    """Return the id of an upload in parts, and where each part goes."""
    named = [(number, tag(piece)) for number, piece in enumerate(pieces, start=1)]
    spec = FileSpec(draft.pk, path, md5_of(b"".join(pieces)), named)
    [found] = addresses_for(actor=SYSTEM, files=[spec])
    return found.upload_key, [part for _number, part in found.part_urls]


def complete(draft: Version, key: str, *pieces: bytes) -> str:
    named = [(number, tag(piece)) for number, piece in enumerate(pieces, start=1)]
    return complete_parts(actor=SYSTEM, version=draft, key=key, parts=named)


class TestParts:
    """ART-2, ART-7: large files come in parts, and go on where they were cut off."""

    @pytest.fixture
    def draft(self, project: Project) -> Version:
        return begin(project, {"big": FIRST + SECOND})

    def test_parts_come_out_of_order_and_twice(self, draft: Version) -> None:
        key, (first, second) = in_parts(draft, "big", FIRST, SECOND)
        for path, content in ((second, SECOND), (first, FIRST), (second, SECOND)):
            assert put(path, content) == (200, "")
        assert complete(draft, key, FIRST, SECOND) == md5_of(FIRST + SECOND)
        assert complete(draft, key, FIRST, SECOND) == md5_of(FIRST + SECOND), "again gives the same"
        assert read(commit_version(actor=SYSTEM, version=draft)) == {"big": FIRST + SECOND}
        assert parts.sizes() == {}

    def test_a_missing_part_is_named_and_the_others_stay(self, draft: Version) -> None:
        key, (first, second) = in_parts(draft, "big", FIRST, SECOND)
        with pytest.raises(Invalid, match="No part of this file"):
            complete(draft, key, FIRST, SECOND)
        put(first, FIRST)
        with pytest.raises(Invalid, match="Part 2 of this file has not been uploaded"):
            complete(draft, key, FIRST, SECOND)
        assert in_parts(draft, "big", FIRST, SECOND)[0] == key, "who asks again goes on"
        put(second, SECOND)
        assert complete(draft, key, FIRST, SECOND) == md5_of(FIRST + SECOND)

    def test_a_part_that_was_cut_off_is_refused_by_its_number(self, draft: Version) -> None:
        _key, (first, _second) = in_parts(draft, "big", FIRST, SECOND)
        status, said = put(first, FIRST[:-1])
        assert status == 400
        assert "part 1" in said
        assert parts.sizes() == {}

    def test_parts_in_another_order_than_announced_are_not_the_file(self, draft: Version) -> None:
        key, (first, second) = in_parts(draft, "big", FIRST, SECOND)
        put(first, FIRST)
        put(second, SECOND)
        for named in ([(1, tag(FIRST))], [(1, tag(SECOND)), (2, tag(FIRST))], [(1, tag(FIRST))] * 2, []):
            with pytest.raises(Invalid):
                complete_parts(actor=SYSTEM, version=draft, key=key, parts=named)
        assert not contents_named(draft.collection.project_id, [md5_of(FIRST + SECOND), md5_of(FIRST)])
        assert complete(draft, key, FIRST, SECOND) == md5_of(FIRST + SECOND)

    def test_parts_belong_to_one_draft(self, draft: Version, project: Project) -> None:
        key, paths = in_parts(draft, "big", FIRST, SECOND)
        for path, content in zip(paths, (FIRST, SECOND), strict=True):
            put(path, content)
        other = begin(project, {"mine": FIRST + SECOND})
        with pytest.raises(NotFound):
            complete(other, key, FIRST, SECOND)
        with pytest.raises(NotFound):
            give_up_parts(actor=SYSTEM, version=other, key=key)
        assert complete(draft, key, FIRST, SECOND)

    def test_parts_that_were_given_up_are_gone(self, draft: Version) -> None:
        key, (first, _second) = in_parts(draft, "big", FIRST, SECOND)
        put(first, FIRST)
        give_up_parts(actor=SYSTEM, version=draft, key=key)
        assert parts.sizes() == {}
        assert not PartsUpload.objects.exists()
        with pytest.raises(NotFound):
            complete(draft, key, FIRST, SECOND)

    def test_a_committed_version_takes_no_parts(self, project: Project) -> None:
        draft = begin(project, {"small": b"small"})
        key, paths = in_parts(draft, "big", FIRST, SECOND)
        for path, content in zip(paths, (FIRST, SECOND), strict=True):
            put(path, content)
        put(address(draft, "small", b"small"), b"small")
        version = commit_version(actor=SYSTEM, version=draft)
        with pytest.raises(Conflict):
            complete(draft, key, FIRST, SECOND)
        assert read(version) == {"small": b"small"}
