"""Protected aliases: registry admins alone give and take them, and what bears one is deleted by nobody else (ART-5)."""

import pytest
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM, Actor
from artifacts.collections.services import (
    CollectionChanges,
    change_type,
    delete_collection,
    update_collection,
)
from artifacts.models import Membership, Registry, RegistryRole, Version
from artifacts.registries import members, services
from artifacts.registries.services import RegistryChanges, update_registry
from artifacts.run_participant import ArtifactsRunParticipant
from artifacts.tests.factories import make_version
from artifacts.versions.aliases import add_aliases, delete_aliases
from artifacts.versions.deletion import delete_some, delete_version
from artifacts.versions.links import link_version, unlink_some, unlink_version
from common.errors import Conflict, DomainError, Forbidden, Invalid
from runs.models import Project
from runs.projects.deletion import delete_project
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return TeamFactory()


@pytest.fixture
def registry(team: Team) -> Registry:
    assert team.organization is not None
    made = services.create_registry(actor=SYSTEM, organization=team.organization, name="shared")
    update_registry(actor=SYSTEM, registry=made, changes=RegistryChanges(protected_aliases=["production"]))
    return made


@pytest.fixture
def member(registry: Registry, team: Team) -> Actor:
    person = make_member(team)
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role=RegistryRole.MEMBER)
    return actor(person)


@pytest.fixture
def keeper(registry: Registry, team: Team) -> Actor:
    person = make_member(team)
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role=RegistryRole.ADMIN)
    return actor(person)


@pytest.fixture
def version(team: Team) -> Version:
    return make_version(ProjectFactory(team=team))


def link(registry: Registry, version: Version, *aliases: str, by: Actor = SYSTEM) -> Membership:
    return link_version(actor=by, version=version, project=registry.project, name="best", aliases=aliases)


_SENTENCE = "The alias “production” is protected in the registry shared: only a registry admin"


def test_a_member_gives_other_aliases_but_not_a_protected_one(
    registry: Registry, version: Version, member: Actor
):
    with pytest.raises(Forbidden, match=_SENTENCE):
        link(registry, version, "production", by=member)
    place = link(registry, version, "staging", by=member)
    with pytest.raises(Forbidden, match=_SENTENCE):
        add_aliases(actor=member, membership=place, names=["fine", "production"])
    assert set(place.aliases.values_list("name", flat=True)) == {"staging", "latest"}


def test_a_member_neither_takes_nor_moves_nor_unlinks_it(
    registry: Registry, version: Version, member: Actor, team: Team
):
    place = link(registry, version, "production")
    newer = link(registry, make_version(version.project, "other"), by=member)
    rows = Membership.objects.filter(collection=place.collection)
    for act in (
        lambda: delete_aliases(actor=member, membership=place, names=["production"]),
        lambda: add_aliases(actor=member, membership=newer, names=["production"]),
        lambda: unlink_version(actor=member, version=version, collection=place.collection),
        lambda: unlink_some(actor=member, collection=place.collection, memberships=rows),
        lambda: delete_collection(actor=member, collection=place.collection),
        lambda: update_collection(
            actor=member, collection=place.collection, changes=CollectionChanges(name="retired")
        ),
        lambda: change_type(actor=member, collection=place.collection, type_name="retired"),
    ):
        with pytest.raises(Forbidden, match=_SENTENCE):
            act()
    assert list(place.aliases.values_list("name", flat=True)) == ["production"]
    unlink_version(actor=member, version=newer.version, collection=place.collection)


def test_a_registry_admin_does_all_of_it(registry: Registry, version: Version, keeper: Actor):
    place = link(registry, version, "production", by=keeper)
    delete_aliases(actor=keeper, membership=place, names=["production"])
    add_aliases(actor=keeper, membership=place, names=["production"])
    unlink_version(actor=keeper, version=version, collection=place.collection)


def test_admins_of_team_and_organization_are_no_registry_admins(
    registry: Registry, version: Version, team: Team
):
    place = link(registry, version)
    for preset in (Preset.ADMIN, Preset.ORGANIZATION_ADMIN):
        with pytest.raises(DomainError):
            add_aliases(actor=actor(make_member(team, preset)), membership=place, names=["production"])
    own = services.ensure_model_registry(actor=SYSTEM, team=team)
    update_registry(actor=SYSTEM, registry=own, changes=RegistryChanges(protected_aliases=["gold"]))
    with pytest.raises(Forbidden, match="“gold” is protected in the registry model-registry"):
        link(own, version, "gold", by=actor(make_member(team, Preset.ADMIN)))


def test_who_protects_aliases_is_a_registry_admin(
    registry: Registry, keeper: Actor, member: Actor, team: Team
):
    changes = RegistryChanges(protected_aliases=["production", "champion"])
    for who in (member, actor(make_member(team, Preset.ORGANIZATION_ADMIN))):
        with pytest.raises(Forbidden):
            update_registry(actor=who, registry=registry, changes=changes)
    update_registry(actor=keeper, registry=registry, changes=changes)
    assert set(registry.protected_aliases.values_list("name", flat=True)) == {"production", "champion"}
    update_registry(actor=keeper, registry=registry, changes=RegistryChanges(protected_aliases=[]))
    assert not registry.protected_aliases.exists()


@pytest.mark.parametrize("name", ["latest", "v3", "a/b", ""])
def test_some_names_cannot_be_protected(name: str, registry: Registry):
    with pytest.raises(Invalid):
        update_registry(actor=SYSTEM, registry=registry, changes=RegistryChanges(protected_aliases=[name]))


def test_an_alias_is_protected_in_its_registry_only(registry: Registry, version: Version, member: Actor):
    own = Membership.objects.get(version=version, collection=version.collection)
    add_aliases(actor=member, membership=own, names=["production"])
    portfolio = link_version(
        actor=member, version=version, project=version.project, name="portfolio", aliases=["production"]
    )
    assert portfolio.aliases.filter(name="production").exists()


def test_who_owns_a_version_cannot_delete_it_from_under_the_registry(
    registry: Registry, version: Version, member: Actor, team: Team
):
    link(registry, version, "production")
    refused = "bears the protected alias “production” in the registry shared"
    with pytest.raises(Conflict, match=refused):
        delete_version(actor=member, version=version, with_aliases=True)
    with pytest.raises(Conflict, match=refused):
        delete_collection(actor=member, collection=version.collection)
    delete_some(
        actor=member, collection=version.collection, versions=Version.objects.all(), at=timezone.now()
    )
    assert Version.objects.live().filter(pk=version.pk).exists()
    stranger = actor(make_member(team))
    update_registry(actor=SYSTEM, registry=registry, changes=RegistryChanges(everyone_role=""))
    with pytest.raises(Conflict, match=r"“production” in a registry\. A registry admin"):
        delete_version(actor=stranger, version=version, with_aliases=True)


def test_nor_with_its_project_or_its_run(registry: Registry, team: Team):
    run = RunFactory(project=ProjectFactory(team=team))
    version = make_version(run.project, run=run)
    link(registry, version, "production")
    admin = actor(make_member(team, Preset.ADMIN))
    with pytest.raises(Conflict, match="protected alias “production” in a registry"):
        delete_project(actor=admin, project=run.project)
    [kept] = ArtifactsRunParticipant().delete_outputs(admin, [run.pk])
    assert "protected alias" in kept
    services.delete_registry(actor=SYSTEM, registry=registry)
    delete_project(actor=admin, project=Project.objects.get(pk=run.project_id))


def test_a_registry_admin_who_owns_the_version_deletes_it(
    registry: Registry, version: Version, keeper: Actor
):
    link(registry, version, "production")
    delete_version(actor=keeper, version=version, with_aliases=True)
    assert not Membership.objects.filter(collection__project=registry.project).exists()


@pytest.mark.parametrize("name", ["Production", "PRODUCTION", "\uff50roduction", "production "])
def test_what_reads_like_it_is_protected_too(registry: Registry, version: Version, member: Actor, name: str):
    """Whoever looks for "production" would take another version for it."""
    with pytest.raises((Forbidden, Invalid)):
        link(registry, version, name, by=member)


def test_a_collection_without_it_is_renamed_by_members(registry: Registry, version: Version, member: Actor):
    place = link(registry, version, "staging", by=member)
    renamed = update_collection(
        actor=member, collection=place.collection, changes=CollectionChanges(name="better")
    )
    assert renamed.name == "better"
    described = link_version(
        actor=SYSTEM, version=version, project=registry.project, name="prot", aliases=["production"]
    )
    update_collection(
        actor=member, collection=described.collection, changes=CollectionChanges(description="new")
    )


def test_a_registry_admin_renames_it(registry: Registry, version: Version, keeper: Actor):
    place = link(registry, version, "production")
    changes = CollectionChanges(name="retired")
    assert update_collection(actor=keeper, collection=place.collection, changes=changes).name == "retired"
