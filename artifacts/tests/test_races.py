"""Commits, uploads, deletions and the collector at once: no number twice, nothing named removed (ART-1, ART-3)."""

import time
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Collection as Some
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier, Event
from typing import TypeVar

import pytest
from django.db import connection

from access.actor import SYSTEM
from artifacts import contents
from artifacts.drafts import uploads
from artifacts.drafts.commit import commit_version
from artifacts.manifests.document import write_manifest
from artifacts.models import LATEST, Alias, Content, Membership, Pin, Version, VersionState
from artifacts.retention import collector, drafts, ledger
from artifacts.tests.factories import (
    entries_for,
    hold_bytes,
    make_draft,
    make_version,
    md5_of,
    place_of,
    send_file,
    send_manifest,
)
from artifacts.tests.test_retention import counts, recount
from artifacts.versions.deletion import delete_version
from common.errors import DomainError
from runs.models import Project
from storage import filesystem
from storage.models import Blob
from tests.factories import ProjectFactory
from tests.suite.passes import amount
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = amount("rounds of races of artifacts", 4, 40)
Result = TypeVar("Result")


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


@pytest.fixture
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the collector take whatever nobody names, however new it is."""
    monkeypatch.setattr(contents, "UNUSED_FOR", timedelta(hours=-1))


def together(*acts: Callable[[], Result]) -> list[Result | DomainError]:
    """Do all at once, each over a connection of its own; return what each came to."""
    barrier = Barrier(len(acts))

    def do(act: Callable[[], Result]) -> Result | DomainError:
        try:
            barrier.wait(PATIENCE_S)
            return act()
        except DomainError as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [one.result(PATIENCE_S) for one in [pool.submit(do, act) for act in acts]]


def committing(draft: Version) -> Callable[[], Version]:
    return partial(commit_version, actor=SYSTEM, version=draft)


def collecting() -> None:
    collector.collect_contents(60)


def check() -> None:
    """What is counted is what there is, and what is named lies in the store."""
    assert counts() == recount()
    assert ledger.settle() == 0
    assert not Pin.objects.exclude(version__state=VersionState.DRAFT).exists()
    for location in Content.objects.values_list("blob__location", flat=True):
        assert filesystem.path_of(location).exists()


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check()


def test_commits_at_once_are_numbered_one_after_the_other(project: Project) -> None:
    for number in range(ROUNDS):
        made = [make_draft(project, f"m{number}", {"a": b"%d" % n}, aliases=["last"]) for n in range(3)]
        together(*map(committing, made))
        places = Membership.objects.filter(version__in=made).order_by("index")
        assert [place.index for place in places] == [0, 1, 2]
        assert places[2].collection.next_index == 3
        aliases = Alias.objects.filter(collection=places[0].collection_id)
        assert dict(aliases.values_list("name", "membership__index")) == {"latest": 2, "last": 2}


def test_commits_of_equal_files_at_once_are_one_version(project: Project) -> None:
    for number in range(ROUNDS):
        made = [make_draft(project, f"m{number}", aliases=[f"by{n}"]) for n in range(3)]
        assert len({draft.pk for draft in made}) == 3
        [stays] = {one.pk for one in together(*map(committing, made)) if isinstance(one, Version)}
        states = Version.objects.filter(pk__in=[draft.pk for draft in made]).values_list("state", flat=True)
        assert sorted(states) == ["committed", "merged", "merged"]
        names = Alias.objects.filter(membership=place_of(Version.objects.get(pk=stays)))
        assert set(names.values_list("name", flat=True)) == {"by0", "by1", "by2", "latest"}


def test_one_draft_that_is_committed_twice_at_once_is_one_version(project: Project) -> None:
    for number in range(ROUNDS):
        draft = make_draft(project, f"m{number}")
        found = together(*[committing(draft)] * 3)
        assert [one.pk for one in found if isinstance(one, Version)] == [draft.pk] * 3
        assert place_of(draft).index == 0


@pytest.mark.usefixtures("_at_once")
def test_a_commit_that_meets_the_collector_has_all_its_files_or_stays_a_draft(project: Project) -> None:
    """It names what the project holds and nothing keeps: no address was requested for it."""
    for number in range(ROUNDS):
        files = {f"{n}": b"%d-%d" % (number, n) for n in range(5)}
        draft = make_draft(project, f"m{number}", {}, digest=f"d{number}")
        send_manifest(draft, write_manifest(entries_for(files)))
        for content in files.values():
            hold_bytes(project, content)
        [result, _none, _again] = together(committing(draft), collecting, collecting)
        draft.refresh_from_db()
        if isinstance(result, DomainError):
            assert result.status in {400, 503}
            assert draft.is_draft
            for path, content in files.items():
                send_file(draft, path, content)
            commit_version(actor=SYSTEM, version=draft)
        assert draft.entries.filter(content__live_count=1).count() == len(files)
        check()


@pytest.mark.usefixtures("_at_once")
def test_a_commit_that_meets_the_sweep_of_drafts_is_a_version_or_gone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "ABANDONED_AFTER", timedelta(hours=-1))
    for number in range(ROUNDS):
        draft = make_draft(project, f"m{number}", {"a": b"%d" % number})
        result, *_ = together(committing(draft), drafts.sweep_drafts, collecting)
        found = Version.objects.filter(pk=draft.pk).first()
        if isinstance(result, Version):
            assert found is not None
            assert (found.state, found.entries.count()) == ("committed", 1)
        else:
            assert found is None or found.deleted_at is not None
        check()


def test_a_commit_that_meets_the_deletion_of_its_double_joins_it_or_is_the_next(project: Project) -> None:
    for number in range(ROUNDS):
        double = make_version(project, f"m{number}", {"a": b"1", "b": b"%d" % number})
        draft = new_draft(double)
        together(committing(draft), partial(delete_version, actor=SYSTEM, version=double, with_aliases=True))
        draft.refresh_from_db()
        double.refresh_from_db()
        assert double.deleted_at is not None
        if draft.state == VersionState.MERGED:
            assert draft.merged_into_id == double.pk
        else:
            assert place_of(draft).index == 1
            assert Alias.objects.get(collection=draft.collection_id).membership == place_of(draft)
        check()


def new_draft(double: Version) -> Version:
    """Return a draft of the same files that began before its double was committed."""
    assert double.manifest is not None
    draft = Version.objects.create(collection=double.collection, digest=double.digest, draft_aliases=[LATEST])
    send_manifest(draft, filesystem.path_of(double.manifest.blob.location).read_bytes())
    return draft


def test_a_file_that_arrives_during_the_commit_is_not_kept_for_ever(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was pinned for a draft after its commit would never be collected: nobody looks for it there."""
    draft = make_draft(project)
    arriving = Event()

    def hold_slowly(project: Project, blobs: Iterable[Blob]) -> dict[str, int]:
        arriving.set()
        time.sleep(0.3)
        return contents.hold_all(project, blobs)

    def arrive() -> None:
        send_file(draft, "late", b"late")

    def commit() -> Version:
        arriving.wait(PATIENCE_S)
        return committing(draft)()

    monkeypatch.setattr(uploads, "hold_all", hold_slowly)
    assert isinstance(together(arrive, commit)[1], Version)


def test_an_address_that_is_given_during_the_commit_pins_nothing_for_ever(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_bytes(project, b"held")
    draft = make_draft(project)
    asking = Event()

    def look_slowly(project_id: int, md5s: Some[str]) -> dict[str, tuple[int, int]]:
        asking.set()
        time.sleep(0.3)
        return contents.contents_named(project_id, md5s)

    def ask() -> None:
        spec = uploads.FileSpec(draft.pk, "held", md5_of(b"held"))
        uploads.addresses_for(actor=SYSTEM, files=[spec])

    def commit() -> Version:
        asking.wait(PATIENCE_S)
        return committing(draft)()

    monkeypatch.setattr(uploads, "contents_named", look_slowly)
    together(ask, commit)
