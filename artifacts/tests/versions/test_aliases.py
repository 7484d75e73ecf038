"""Aliases move, and are remembered; ``latest`` goes to the newest version that is left (ART-1, ART-2)."""

import pytest

from access.actor import SYSTEM
from artifacts.models import Alias, AliasChange
from artifacts.tests.factories import make_version, place_of
from artifacts.versions.aliases import add_aliases
from artifacts.versions.deletion import delete_version, restore_version
from artifacts.versions.links import link_version
from common.errors import Conflict, Invalid
from runs.models import Project
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def test_an_alias_moves_and_its_way_is_remembered(project: Project) -> None:
    one, two = (place_of(make_version(project, files={"a": content})) for content in (b"1", b"2"))
    add_aliases(actor=SYSTEM, membership=one, names=["best"])
    add_aliases(actor=SYSTEM, membership=two, names=["best"])
    assert Alias.objects.get(name="best").membership_id == two.pk
    changes = AliasChange.objects.filter(name="best").order_by("pk").values_list("index", "is_added")
    assert list(changes) == [(0, True), (0, False), (1, True)]


@pytest.mark.parametrize("name", ["", "v3", "a/b", "a:b", "x" * 1000])
def test_an_alias_that_cannot_be_asked_for_is_refused(project: Project, name: str) -> None:
    with pytest.raises(Invalid):
        add_aliases(actor=SYSTEM, membership=place_of(make_version(project)), names=[name])


def test_latest_goes_to_the_newest_that_is_left_and_comes_back(project: Project) -> None:
    old, new = (make_version(project, files={"a": content}) for content in (b"1", b"2"))
    links = [link_version(actor=SYSTEM, version=row, project=project, name="p") for row in (old, new)]
    portfolio = links[-1].collection
    latest = Alias.objects.filter(name="latest").values_list("collection", "membership__version")
    delete_version(actor=SYSTEM, version=new, with_aliases=True)
    assert set(latest.all()) == {(old.collection_id, old.pk), (portfolio.pk, old.pk)}
    restore_version(actor=SYSTEM, version=new)
    assert (new.collection_id, new.pk) in set(latest.all())


def test_a_version_with_aliases_goes_only_with_them(project: Project) -> None:
    version = make_version(project, aliases=["best"])
    with pytest.raises(Conflict, match="best"):
        delete_version(actor=SYSTEM, version=version, with_aliases=False)
