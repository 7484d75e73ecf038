"""Deleting and restoring versions (ART-1, ART-2, ART-3)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from access.actor import SYSTEM
from access.models import AuditEntry
from artifacts.collections.services import (
    CollectionChanges,
    delete_collection,
    restore_collection,
    update_collection,
)
from artifacts.models import Alias, Collection, Version
from artifacts.retention import purge
from artifacts.tests.factories import make_draft, make_version, place_of
from artifacts.tests.test_retention import counts, recount
from artifacts.versions.aliases import add_aliases, delete_aliases
from artifacts.versions.deletion import delete_version, restore_version
from artifacts.versions.links import link_version
from artifacts.versions.services import Changes, update_version
from common.errors import Conflict, Gone
from runs.models import Project
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


@pytest.fixture
def clock() -> Iterator[Any]:
    """A clock that tests set forward."""
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def delete(version: Version, *, with_aliases: bool = True) -> None:
    delete_version(actor=SYSTEM, version=version, with_aliases=with_aliases)


def log(project: Project, *contents: bytes, **more: Any) -> list[Version]:
    return [make_version(project, files={"a": content}, **more) for content in contents]


def aliases() -> dict[str, int]:
    """Return the number of the version that each alias names."""
    return dict(Alias.objects.values_list("name", "membership__index"))


def live() -> list[int]:
    return list(Version.objects.live().order_by("pk").values_list("pk", flat=True))


def test_latest_goes_to_the_newest_left_and_numbers_go_on(project: Project) -> None:
    _one, two, three = log(project, b"1", b"2", b"3")
    delete(three)
    assert aliases() == {"latest": 1}
    delete(two)
    assert aliases() == {"latest": 0}
    [four] = log(project, b"4")
    assert (place_of(four).index, aliases()) == (3, {"latest": 3})


def test_when_all_are_deleted_nothing_is_latest_and_numbers_go_on(project: Project) -> None:
    for version in log(project, b"1", b"2"):
        delete(version)
    assert aliases() == {}
    assert [place_of(version).index for version in log(project, b"1")] == [2]


def test_a_number_is_not_given_again_after_the_purge(project: Project, clock: Any) -> None:
    [version] = log(project, b"1")
    delete(version)
    clock.shift(timedelta(days=8))
    assert purge.purge_versions(60) == 1
    assert [place_of(version).index for version in log(project, b"1")] == [1]


def test_an_older_version_leaves_latest_where_it_is(project: Project) -> None:
    one, _two = log(project, b"1", b"2")
    delete(one, with_aliases=False)
    assert aliases() == {"latest": 1}


def test_aliases_keep_a_version_unless_they_go_with_it(project: Project) -> None:
    [version] = log(project, b"1", aliases=["best"])
    with pytest.raises(Conflict, match=r"aliases best, latest.*delete_aliases=True"):
        delete(version, with_aliases=False)
    assert live() == [version.pk]
    log(project, b"2")
    delete_aliases(actor=SYSTEM, membership=place_of(version), names=["best"])
    delete(version, with_aliases=False)
    assert version.pk not in live()


def test_an_alias_in_a_portfolio_keeps_a_version_as_well(project: Project) -> None:
    """ART-5: what is linked goes only if its names there are to go with it."""
    one, _two = log(project, b"1", b"2")
    link_version(actor=SYSTEM, version=one, project=ProjectFactory(), name="released", aliases=["prod"])
    with pytest.raises(Conflict, match="prod"):
        delete(one, with_aliases=False)
    delete(one)
    assert not Collection.objects.get(name="released").memberships.exists()
    assert AuditEntry.objects.filter(action="artifact.unlink").count() == 1


@pytest.mark.parametrize("protects_collection", [False, True])
def test_what_is_protected_goes_only_without_its_protection(
    project: Project, *, protects_collection: bool
) -> None:
    [version] = log(project, b"1")

    def protect(*, is_protected: bool) -> None:
        if protects_collection:
            update_collection(
                actor=SYSTEM,
                collection=version.collection,
                changes=CollectionChanges(is_protected=is_protected),
            )
        else:
            update_version(actor=SYSTEM, version=version, changes=Changes(is_protected=is_protected))

    protect(is_protected=True)
    with pytest.raises(Conflict, match="protected"):
        delete(version)
    with pytest.raises(Conflict, match="protected"):
        delete_collection(actor=SYSTEM, collection=version.collection)
    assert live() == [version.pk]
    protect(is_protected=False)
    delete(version)
    assert live() == []


def test_deleting_again_changes_nothing(project: Project) -> None:
    [version] = log(project, b"1")
    delete(version)
    at = Version.objects.get(pk=version.pk).deleted_at
    delete(version)
    assert Version.objects.get(pk=version.pk).deleted_at == at
    assert counts() == recount()


def test_a_restored_version_has_its_names_again_but_those_that_others_have(project: Project) -> None:
    one, two = log(project, b"1", b"2")
    add_aliases(actor=SYSTEM, membership=place_of(two), names=["best", "mine"])
    delete(two)
    add_aliases(actor=SYSTEM, membership=place_of(one), names=["best"])
    restore_version(actor=SYSTEM, version=two)
    assert aliases() == {"latest": 1, "best": 0, "mine": 1}
    assert counts() == recount()
    assert restore_version(actor=SYSTEM, version=two).pk == two.pk, "again changes nothing"


def test_a_restored_older_version_does_not_become_the_latest(project: Project) -> None:
    one, two = log(project, b"1", b"2")
    for version in (one, two):
        delete(version)
    [three] = log(project, b"3")
    restore_version(actor=SYSTEM, version=one)
    assert aliases() == {"latest": place_of(three).index}


def test_the_same_files_are_logged_anew_while_their_version_is_deleted_and_both_live(
    project: Project,
) -> None:
    [old] = log(project, b"1")
    delete(old)
    [new] = log(project, b"1")
    assert new.pk != old.pk
    restore_version(actor=SYSTEM, version=old)
    assert live() == [old.pk, new.pk]
    assert counts() == recount()


def test_what_is_kept_no_longer_is_not_restored(project: Project) -> None:
    [version] = log(project, b"1")
    delete(version)
    purge.begin_purge(version.pk, is_given_up=True)
    with pytest.raises(Gone):
        restore_version(actor=SYSTEM, version=version)


def test_a_version_of_a_deleted_collection_comes_back_with_it(project: Project) -> None:
    one, two = log(project, b"1", b"2", aliases=["x"])
    delete(one)
    delete_collection(actor=SYSTEM, collection=two.collection)
    assert live() == []
    with pytest.raises(Conflict, match="collection"):
        restore_version(actor=SYSTEM, version=two)
    restore_collection(actor=SYSTEM, collection=Collection.objects.get(pk=two.collection_id))
    assert live() == [two.pk], "what was deleted before stays deleted"
    assert aliases() == {"latest": 1, "x": 1}
    restore_version(actor=SYSTEM, version=one)
    assert counts() == recount()


def test_a_draft_is_given_up_and_not_restored(project: Project) -> None:
    draft = make_draft(project)
    delete(draft, with_aliases=False)
    with pytest.raises(Gone):
        restore_version(actor=SYSTEM, version=draft)
