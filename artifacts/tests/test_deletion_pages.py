"""Deleting on the pages of a project and of a collection, and bringing back what was deleted."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.collections import services
from artifacts.models import Alias, Collection, Membership, Version
from artifacts.pages.addresses import collection_page, names_of, trash_page
from artifacts.selectors import memberships_of
from artifacts.tests.factories import make_version
from artifacts.versions import deletion, links
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from artifacts.views import collection as collection_views
from runs.models import Project
from tests.factories import ProjectFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client: Client) -> Project:
    """Give a project that an admin of its team looks at."""
    project = ProjectFactory(name="vision")
    client.force_login(make_member(project.team, Preset.ADMIN))
    return project


def test_what_was_deleted_is_listed_and_restored(client: Client, project: Project):
    whole = make_version(project, "whole").collection
    first = make_version(project, "partly")
    make_version(project, "partly", {"b.txt": b"other\n"})
    services.delete_collection(actor=SYSTEM, collection=whole)
    delete_version(actor=SYSTEM, version=first, with_aliases=True)
    page = client.get(trash_page(project)).content.decode()
    keys = re.findall(r'name="restore" value="([^"]+)"', page)
    assert keys == [f"collection-{whole.pk}", f"version-{first.pk}"]
    for key in keys:
        client.post(reverse("artifacts:deleted", args=[project.team.name, project.name]), {"restore": key})
    assert Version.objects.live().count() == 3
    assert Collection.objects.live().count() == 2
    assert "Nothing deleted" in client.get(trash_page(project)).content.decode()


STEPWISE = {"Accept": "application/json"}


@pytest.fixture
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a step take two versions."""
    for module in (deletion, services, collection_views):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    monkeypatch.setattr(links, "AT_ONCE", 2)


def log_versions(project: Project, count: int) -> list[Version]:
    return [make_version(project, "model", {"a.txt": b"%d" % number}) for number in range(count)]


def step_through(client: Client, address: str, form: dict[str, str]) -> list[int]:
    """Send a form as the page's script does; returns how much was left after each step."""
    left: list[int] = []
    while not left or left[-1]:
        reply = client.post(address, form, headers=STEPWISE).json()
        left.append(reply["left"])
        form = {**form, "at": reply["at"]}
    return left


def undo(client: Client, collection: Collection) -> list[int]:
    page = client.get(collection_page(collection)).content.decode()
    found = re.search(r'name="at" value="([^"]+)"', page)
    assert found
    return step_through(
        client, reverse("artifacts:versions_restore", args=names_of(collection)), {"at": found[1]}
    )


def latest_of(collection: Collection) -> int:
    return Alias.objects.get(collection=collection, name="latest").membership.index


@pytest.mark.usefixtures("two_at_once")
def test_all_versions_are_deleted_in_steps_and_come_back(client: Client, project: Project):
    collection = log_versions(project, 5)[0].collection
    address = reverse("artifacts:versions_delete", args=names_of(collection))
    assert step_through(client, address, {"all": "1"}) == [3, 1, 0]
    assert not Version.objects.live().exists()
    assert undo(client, collection) == [3, 1, 0]
    assert Version.objects.live().count() == 5
    assert latest_of(collection) == 4


def test_without_the_script_one_request_deletes_all(client: Client, project: Project, two_at_once: None):
    kept, *_others = log_versions(project, 5)
    Version.objects.filter(pk=kept.pk).update(is_protected=True)
    address = reverse("artifacts:versions_delete", args=names_of(kept.collection))
    page = client.post(address, {"all": "1"}, follow=True).content.decode()
    assert list(Version.objects.live()) == [kept]
    assert "4 versions deleted." in page
    assert "Protected versions were kept." in page


def test_only_the_chosen_versions_are_deleted(client: Client, project: Project):
    collection = log_versions(project, 3)[0].collection
    client.post(
        reverse("artifacts:versions_delete", args=names_of(collection)), {"version": ["0", "2", "9", "x"]}
    )
    assert [place.index for place in memberships_of(collection)] == [1]
    assert latest_of(collection) == 1


@pytest.mark.usefixtures("two_at_once")
def test_a_collection_is_deleted_in_steps_and_comes_back_whole(client: Client, project: Project):
    versions = log_versions(project, 5)
    collection = versions[0].collection
    link_version(actor=SYSTEM, version=versions[1], project=project, name="best")
    address = reverse("artifacts:collection_delete", args=names_of(collection))
    assert step_through(client, address, {}) == [3, 1, 0]
    assert not Collection.objects.live().filter(pk=collection.pk).exists()
    assert set(Version.objects.values_list("deleted_at", flat=True)) == {
        Collection.objects.get(pk=collection.pk).deleted_at
    }
    restored = step_through(client, trash_page(project), {"restore": f"collection-{collection.pk}"})
    assert restored == [3, 1, 0]
    assert Version.objects.live().count() == 5
    assert Membership.objects.filter(collection__name="best").get().version == versions[1]


@pytest.mark.usefixtures("two_at_once")
def test_a_protected_version_keeps_its_collection_whole(client: Client, project: Project):
    version = log_versions(project, 5)[4]
    Version.objects.filter(pk=version.pk).update(is_protected=True)
    client.post(reverse("artifacts:collection_delete", args=names_of(version.collection)), headers=STEPWISE)
    assert Version.objects.live().count() == 5


@pytest.mark.usefixtures("two_at_once")
def test_linked_versions_are_unlinked_in_steps_and_linked_again(client: Client, project: Project):
    versions = log_versions(project, 5)
    for version in versions:
        link_version(actor=SYSTEM, version=version, project=project, name="best", aliases=[f"a{version.pk}"])
    portfolio = Collection.objects.get(name="best")
    address = reverse("artifacts:versions_delete", args=names_of(portfolio))
    assert step_through(client, address, {"all": "1"}) == [3, 1, 0]
    assert not memberships_of(portfolio).exists()
    assert Version.objects.live().count() == 5
    assert undo(client, portfolio) == [3, 1, 0]
    names = [[alias.name for alias in place.aliases.all()] for place in memberships_of(portfolio)]
    assert [sorted(some) for some in names] == [
        [f"a{versions[4].pk}", "latest"],
        *([f"a{version.pk}"] for version in reversed(versions[:4])),
    ]


@pytest.mark.usefixtures("two_at_once")
def test_a_portfolio_is_deleted_with_its_links_and_comes_back_with_them(project: Project):
    for version in log_versions(project, 5):
        link_version(actor=SYSTEM, version=version, project=project, name="best")
    portfolio = Collection.objects.get(name="best")
    services.delete_collection(actor=SYSTEM, collection=portfolio)
    assert not Membership.objects.filter(collection=portfolio).exists()
    portfolio.refresh_from_db()
    services.restore_collection(actor=SYSTEM, collection=portfolio)
    assert [place.index for place in memberships_of(portfolio)] == [4, 3, 2, 1, 0]
    assert latest_of(portfolio) == 4


@pytest.mark.parametrize(
    "at", ["", "soon", "2026-13-01T00:00:00Z", "2020-01-01T00:00:00", "1999-01-01T00:00:00Z"]
)
def test_a_form_cannot_choose_when_something_was_deleted(client: Client, project: Project, at: str):
    version = make_version(project)
    client.post(
        reverse("artifacts:versions_delete", args=names_of(version.collection)), {"all": "1", "at": at}
    )
    version.refresh_from_db()
    assert version.deleted_at is not None
    assert timezone.now() - version.deleted_at < timedelta(minutes=1)
