"""Whatever order versions come, go, come back and are collected in: nothing named is removed, and all counts are right.

The ledger says what lies in the store (BIL-4), and ``latest`` is the newest of each collection that is left, or what
was logged again since (ART-1).
"""

import contextlib
import random
from datetime import timedelta

import pytest
import time_machine
from django.db.models import Max, Sum
from django.utils import timezone

from access.actor import SYSTEM
from artifacts.collections.services import delete_collection, restore_collection
from artifacts.contents import unused
from artifacts.drafts.commit import commit_version
from artifacts.models import Alias, Collection, Content, Entry, Membership, Version
from artifacts.retention import collector, drafts, ledger, purge
from artifacts.tests.factories import make_draft, make_version
from artifacts.tests.test_retention import counts, recount
from artifacts.versions.deletion import delete_version, restore_version
from artifacts.versions.links import link_version
from common.errors import DomainError
from runs.models import Project
from storage import filesystem
from storage.models import Blob, ByteEntry
from storage.services import free_unused, stored_bytes
from tests.factories import ProjectFactory
from tests.suite.passes import amount

pytestmark = pytest.mark.django_db

STEPS = 40
SEQUENCES = amount("sequences of changes of artifacts", 4, 60)


class Life:
    """Changes of the artifacts of a project, drawn by chance."""

    def __init__(self, project: Project, chance: random.Random) -> None:
        self.project, self.chance = project, chance
        self.drafts: list[Version] = []
        self.again: set[int] = set()
        """The collections in which the files of an earlier version were logged again."""
        self.acts = [
            self.begin, self.begin, self.commit, self.commit, self.delete, self.restore, self.purge, self.cut_off,
            self.collect, self.sweep, self.give_up, self.link, self.delete_collection, self.restore_collection,
        ]  # fmt: skip

    def step(self) -> None:
        """Do one thing; what is refused changes nothing."""
        with contextlib.suppress(DomainError):
            self.chance.choice(self.acts)()

    def some(self, **condition: object) -> Version | None:
        rows = list(Version.objects.filter(state="committed", **condition).order_by("pk"))
        return self.chance.choice(rows) if rows else None

    def begin(self) -> None:
        files = {name: self.chance.choice("xyz").encode() * 3 for name in self.chance.sample("abc", 2)}
        draft = make_draft(self.project, self.chance.choice(["one", "two"]), files)
        if draft.is_draft:
            self.drafts.append(draft)
        else:
            self.again.add(draft.collection_id)

    def commit(self) -> None:
        if self.drafts:
            commit_version(actor=SYSTEM, version=self.drafts.pop(self.chance.randrange(len(self.drafts))))

    def delete(self) -> None:
        if version := self.some():
            delete_version(actor=SYSTEM, version=version, with_aliases=True)

    def restore(self) -> None:
        if version := self.some(deleted_at__isnull=False):
            restore_version(actor=SYSTEM, version=version)

    def give_up(self) -> None:
        if self.drafts:
            draft = self.drafts.pop(self.chance.randrange(len(self.drafts)))
            delete_version(actor=SYSTEM, version=draft, with_aliases=False)

    def link(self) -> None:
        if version := self.some():
            link_version(actor=SYSTEM, version=version, project=self.project, name="linked")

    def collection(self, *, is_deleted: bool) -> Collection:
        rows = Collection.objects.filter(deleted_at__isnull=not is_deleted).order_by("pk")
        return self.chance.choice(list(rows)) if rows else make_version(self.project, "one").collection

    def delete_collection(self) -> None:
        delete_collection(actor=SYSTEM, collection=self.collection(is_deleted=False))
        self.keep_drafts()

    def restore_collection(self) -> None:
        restore_collection(actor=SYSTEM, collection=self.collection(is_deleted=True))

    def purge(self) -> None:
        purge.purge_versions(60)

    def cut_off(self) -> None:
        if version := self.some():
            purge.begin_purge(version.pk)

    def collect(self) -> None:
        blobs = list(unused().values_list("blob_id", flat=True))
        collector.collect_contents(60)
        free_unused(Blob.objects.filter(pk__in=blobs))

    def sweep(self) -> None:
        drafts.sweep_drafts()
        self.keep_drafts()

    def keep_drafts(self) -> None:
        self.drafts = list(Version.objects.filter(state="draft", deleted_at=None))


def check(project: Project, again: set[int]) -> None:
    assert counts() == recount()
    assert ledger.settle(project) == 0
    assert stored_bytes(project_id=project.pk) == sum(Content.objects.values_list("size_bytes", flat=True))
    for version in Version.objects.filter(state="committed", purge_began_at=None):
        assert version.manifest is not None
        assert Entry.objects.filter(version=version).count() == version.file_count
    stored = [
        filesystem.path_of(location).stat().st_size
        for location in Content.objects.values_list("blob__location", flat=True).distinct()
    ]
    entered = ByteEntry.objects.filter(project_id=project.pk).aggregate(total=Sum("delta_bytes"))["total"]
    assert sum(stored) == stored_bytes(project_id=project.pk) == (entered or 0)
    latest = dict(Alias.objects.filter(name="latest").values_list("collection", "membership__index"))
    left = Membership.objects.filter(version__deleted_at=None)
    newest = dict(left.values_list("collection").annotate(Max("index")))
    assert latest.keys() == newest.keys()
    assert latest.items() <= set(left.values_list("collection", "index"))
    assert {pk for pk, index in latest.items() if index != newest[pk]} <= again


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_nothing_named_is_removed_and_counts_are_right_in_any_order(seed: int) -> None:
    life = Life(ProjectFactory(), random.Random(seed))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(STEPS):
            life.step()
            clock.shift(timedelta(days=life.chance.choice([0, 0, 0.2, 2, 5])))
        check(life.project, life.again)
        assert make_version(life.project, "last", {"a": b"last"}).size_bytes == 4
