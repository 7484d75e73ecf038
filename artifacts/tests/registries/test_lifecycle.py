"""The end of registries, with their organization, their team, or the accounts that have a role in them (ART-5)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from accounts.lifecycle.participants import account_participants
from accounts.models import User
from artifacts.models import Alias, Collection, Membership, ProtectedAlias, Registry, RegistryMember, Version
from artifacts.registries import members, purge, services
from artifacts.registries.services import RegistryChanges
from artifacts.tasks import purge_artifacts
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from automations.models import Automation
from common.errors import Conflict, Gone
from runs.models import Project
from teams.account_merge import personal_team
from teams.models import Organization, Team
from teams.organizations.services import delete_organization
from teams.teams.deletion import delete_team, restore_team
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, make_member
from usage.storage.selectors import projects_by_size

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(days=400)


@pytest.fixture
def team() -> Team:
    return TeamFactory()


@pytest.fixture
def organization(team: Team) -> Organization:
    assert team.organization is not None
    return team.organization


@pytest.fixture
def registry(organization: Organization) -> Registry:
    row = services.create_registry(actor=SYSTEM, organization=organization, name="shared")
    changes = RegistryChanges(protected_aliases=["production"])
    return services.update_registry(actor=SYSTEM, registry=row, changes=changes)


@pytest.fixture
def version(team: Team) -> Version:
    return make_version(ProjectFactory(team=team), "source")


def filled(registry: Registry, version: Version, alias: str = "best") -> Collection:
    """Link a version into the registry, with an automation of the collection."""
    place = link_version(
        actor=SYSTEM, version=version, project=registry.project, name="faces", aliases=[alias]
    )
    project = registry.project
    Automation.objects.create(
        team=project.team, project=project, collection=place.collection, name="tell", event="LINK_MODEL",
        action="NO_OP",
    )  # fmt: skip
    return place.collection


def personal_registry(user: User, name: str) -> Collection:
    team = personal_team(user)
    registry = services.ensure_model_registry(actor=SYSTEM, team=team)
    version = make_version(ProjectFactory(team=team, name=f"of-{name}"))
    return link_version(actor=SYSTEM, version=version, project=registry.project, name=name).collection


# Purging


def test_a_registry_that_nobody_can_restore_is_removed_and_its_versions_stay(
    registry: Registry, version: Version
):
    collection = filled(registry, version)
    members.add_members(actor=SYSTEM, registry=registry, users=[make_member(version.project.team)])
    services.delete_registry(actor=SYSTEM, registry=registry)
    purge_artifacts()
    assert Membership.objects.filter(collection=collection).exists()  # it can be restored
    Project.objects.filter(pk=registry.project_id).update(deleted_at=timezone.now() - LONG_AGO)
    registry.refresh_from_db()
    with pytest.raises(Gone):
        services.restore_registry(actor=SYSTEM, registry=registry)
    assert purge_artifacts() == 1
    gone = (Project.objects.filter(pk=registry.project_id), Collection.objects.filter(pk=collection.pk))
    assert not any(rows.exists() for rows in gone)
    for model in (Registry, RegistryMember, ProtectedAlias):
        named = {"pk": registry.pk} if model is Registry else {"registry": registry.pk}
        assert not model._default_manager.filter(**named).exists()
    assert not Automation.objects.exists()
    version.refresh_from_db()
    assert version.deleted_at is None
    assert version.memberships.count() == 1
    assert purge_artifacts() == 0


def test_a_purge_that_runs_out_of_time_goes_on_later(
    registry: Registry, version: Version, monkeypatch: pytest.MonkeyPatch
):
    collection = filled(registry, version)
    services.delete_registry(actor=SYSTEM, registry=registry)
    Project.objects.filter(pk=registry.project_id).update(deleted_at=timezone.now() - LONG_AGO)
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 1)
    assert purge._purge(registry.project_id, until=0) == 0
    assert Alias.objects.filter(collection=collection).count() == 1
    assert purge.purge_registries(60) == 1


def test_an_organization_takes_its_registries_with_it(organization: Organization, team: Team):
    chief = organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user
    delete_team(actor=SYSTEM, team=team, typed=team.name)
    delete_organization(actor=actor(chief), organization=organization, typed=organization.name)
    entities = Team.objects.filter(organization=organization, kind="organization")
    assert purge.purge_registries(60) == 0
    entities.update(deleted_at=timezone.now() - LONG_AGO)
    assert purge.purge_registries(60) == 2
    assert not Registry.objects.exists()


# With a team


def test_a_teams_model_registry_goes_and_comes_back_with_the_team(team: Team, version: Version):
    registry = services.ensure_model_registry(actor=SYSTEM, team=team)
    filled(registry, version)
    delete_team(actor=SYSTEM, team=team, typed=team.name)
    assert not Project.objects.registries().filter(pk=registry.project_id).exists()
    restore_team(actor=SYSTEM, team=team)
    assert Project.objects.registries().filter(pk=registry.project_id).exists()
    assert version.memberships.count() == 2


def test_a_team_with_a_version_that_bears_a_protected_alias_is_not_deleted(
    team: Team, registry: Registry, version: Version
):
    filled(registry, version, alias="production")
    with pytest.raises(Conflict, match="production"):
        delete_team(actor=SYSTEM, team=team, typed=team.name)
    assert Project.objects.live().filter(team=team).exists()


def test_what_a_team_stores_names_no_registry_as_a_project(team: Team, version: Version):
    filled(services.ensure_model_registry(actor=SYSTEM, team=team), version)
    admin = actor(make_member(team, Preset.ADMIN))
    assert list(projects_by_size(admin, team)) == [version.project]


# With accounts


def test_a_deleted_account_has_no_role_any_more(registry: Registry, team: Team):
    person = make_member(team)
    members.add_members(actor=SYSTEM, registry=registry, users=[person])
    for participant in account_participants():
        participant.erase(person)
    assert not RegistryMember.objects.filter(user=person).exists()


@pytest.mark.parametrize(
    ("theirs", "kept", "left"),
    [("admin", "", "admin"), ("admin", "viewer", "admin"), ("viewer", "member", "member")],
)
def test_of_two_merged_accounts_the_higher_role_stays(
    registry: Registry, team: Team, theirs: str, kept: str, left: str
):
    source, target = make_member(team), make_member(team)
    for person, role in ((source, theirs), (target, kept)):
        if role:
            members.add_members(actor=SYSTEM, registry=registry, users=[person], role=role)
    lines = [line for each in account_participants() for line in each.preview_merge(source, target)]
    assert [line.count for line in lines if line.what == "roles in registries"] == [1]
    for participant in account_participants():
        participant.merge(source, target)
    (row,) = RegistryMember.objects.filter(registry=registry)
    assert (row.user, row.role) == (target, left)


def test_a_merged_account_brings_its_model_registry():
    source, target = UserFactory(), UserFactory()
    collection = personal_registry(source, "faces")
    for participant in account_participants():
        participant.merge(source, target)
    collection.refresh_from_db()
    assert collection.project.team == personal_team(target)


def test_of_two_personal_model_registries_one_stays_with_all_collections():
    source, target = UserFactory(username="ada"), UserFactory()
    theirs, own = personal_registry(source, "faces"), personal_registry(target, "faces")
    more = personal_registry(source, "voices")
    for participant in account_participants():
        participant.merge(source, target)
    (project,) = Project.objects.registries().filter(team=personal_team(target))
    found = Collection.objects.filter(project=project)
    assert {row.pk: row.name for row in found} == {own.pk: "faces", theirs.pk: "faces-ada", more.pk: "voices"}
    assert all(row.type.project_id == project.pk for row in found)
    assert not Project.objects.registries().filter(team=personal_team(source)).exists()
