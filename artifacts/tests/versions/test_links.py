"""Links: a version has a place, a number and aliases of its own in each portfolio (ART-2, ART-5)."""

import pytest

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from artifacts.collections.services import delete_collection
from artifacts.models import Alias, Collection, Membership, Version
from artifacts.tests.factories import make_draft, make_version, place_of
from artifacts.versions.deletion import delete_version, restore_version
from artifacts.versions.links import link_version, unlink_version
from common.errors import Conflict, Forbidden, Invalid, NotFound
from runs.models import Project
from teams.models import Visibility
from tests.factories import ProjectFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def link(version: Version, project: Project, name: str = "best", *aliases: str) -> Membership:
    return link_version(actor=SYSTEM, version=version, project=project, name=name, aliases=aliases)


def names(place: Membership) -> set[str]:
    return set(Alias.objects.filter(membership=place).values_list("name", flat=True))


def versions(project: Project, count: int) -> list[Version]:
    return [make_version(project, files={"a": bytes([number])}) for number in range(count)]


def test_a_place_has_its_own_number_and_aliases(project: Project) -> None:
    old, new = versions(project, 2)
    first, second = link(new, project, "best", "gold"), link(old, project, "best", "gold")
    assert (first.index, second.index) == (0, 1)
    assert (names(first), names(second)) == (set(), {"gold", "latest"})
    assert names(place_of(new)) == {"latest"}
    assert place_of(old).index == 0


def test_linking_again_keeps_the_place_and_adds_aliases(project: Project) -> None:
    version = make_version(project)
    one, again = link(version, project, "best", "a"), link(version, project, "best", "b")
    assert one.pk == again.pk
    assert names(again) == {"a", "b", "latest"}
    assert AuditEntry.objects.filter(action="artifact.link").count() == 1


def test_a_number_is_never_given_again(project: Project) -> None:
    one, two = versions(project, 2)
    portfolio = link(one, project).collection
    unlink_version(actor=SYSTEM, version=one, collection=portfolio)
    assert [link(two, project).index, link(one, project).index] == [1, 2]


def test_latest_goes_to_the_newest_place_that_is_left(project: Project) -> None:
    old, new = versions(project, 2)
    stays, goes = link(old, project), link(new, project)
    unlink_version(actor=SYSTEM, version=new, collection=goes.collection)
    assert names(stays) == {"latest"}
    unlink_version(actor=SYSTEM, version=old, collection=goes.collection)
    assert not Alias.objects.filter(collection=goes.collection).exists()


def test_an_unlinked_version_stays_where_it_was_logged(project: Project) -> None:
    version = make_version(project)
    portfolio = link(version, project).collection
    unlink_version(actor=SYSTEM, version=version, collection=portfolio)
    assert Version.objects.live().get() == version
    with pytest.raises(NotFound, match="not linked"):
        unlink_version(actor=SYSTEM, version=version, collection=portfolio)
    with pytest.raises(Invalid, match="delete it"):
        unlink_version(actor=SYSTEM, version=version, collection=version.collection)


def test_only_a_committed_live_version_is_linked(project: Project) -> None:
    deleted = make_version(project, "deleted")
    delete_version(actor=SYSTEM, version=deleted, with_aliases=True)
    for version in (make_draft(project, "draft"), deleted):
        with pytest.raises(Conflict, match="Only a committed version"):
            link(version, project)
    assert not Collection.objects.filter(name="best").exists()


def test_logged_and_linked_versions_never_share_a_collection(project: Project) -> None:
    version = make_version(project, "logged")
    link(version, project)
    with pytest.raises(Conflict, match="logged versions only"):
        link(version, project, "logged")
    with pytest.raises(Conflict, match="linked versions only"):
        make_version(project, "best")


def test_a_portfolio_takes_one_type(project: Project) -> None:
    link(make_version(project), project)
    with pytest.raises(Invalid, match="exists with the type “model”"):
        link(make_version(project, "data", type_name="dataset"), project)


@pytest.mark.parametrize(
    ("visibility", "error"), [(Visibility.TEAM, NotFound), (Visibility.PUBLIC, Forbidden)]
)
def test_who_may_not_download_a_version_links_it_nowhere(
    project: Project, visibility: Visibility, error: type[Exception]
) -> None:
    """Else a link into a project of their own would give them its files."""
    version = make_version(ProjectFactory(visibility=visibility))
    member = actor(make_member(project.team, Preset.ADMIN))
    with pytest.raises(error):
        link_version(actor=member, version=version, project=project, name="mine")
    assert not Collection.objects.filter(project=project).exists()


def test_a_deleted_version_leaves_its_places_and_comes_back_to_them(project: Project) -> None:
    old, new = versions(project, 2)
    elsewhere = ProjectFactory()
    places = [link(old, elsewhere, "best", "old"), link(new, elsewhere, "best", "gold")]
    delete_version(actor=SYSTEM, version=new, with_aliases=True)
    assert names(places[0]) == {"old", "latest"}
    restore_version(actor=SYSTEM, version=new)
    back = Membership.objects.get(version=new, collection=places[1].collection_id)
    assert back.index == 1
    assert names(back) == {"gold", "latest"}


def test_an_alias_that_went_on_meanwhile_is_not_taken_back(project: Project) -> None:
    one, two = versions(project, 2)
    portfolio = link(one, project, "best", "gold").collection
    delete_version(actor=SYSTEM, version=one, with_aliases=True)
    heir = link(two, project, "best", "gold")
    restore_version(actor=SYSTEM, version=one)
    assert names(heir) == {"gold", "latest"}
    assert names(Membership.objects.get(version=one, collection=portfolio)) == set()


def test_a_version_comes_back_though_its_portfolio_is_gone(project: Project) -> None:
    version = make_version(project)
    portfolio = link(version, project).collection
    delete_version(actor=SYSTEM, version=version, with_aliases=True)
    delete_collection(actor=SYSTEM, collection=portfolio)
    restore_version(actor=SYSTEM, version=version)
    assert list(Membership.objects.filter(version=version)) == [place_of(version)]
