"""Creating and changing registries, what they take in, and who is in them (ART-5)."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from access.actions import Preset
from access.actor import SYSTEM, Actor
from access.models import AuditEntry
from artifacts.collections.services import create_type, delete_collection
from artifacts.drafts.services import Given, begin_version
from artifacts.models import (
    Collection,
    CollectionKind,
    Membership,
    Registry,
    RegistryMember,
    RegistryRole,
    Version,
)
from artifacts.registries import members, services
from artifacts.registries.selectors import counted, get_registry, link_target, registries_of
from artifacts.registries.services import RegistryChanges, update_registry
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from common.errors import Conflict, Forbidden, Invalid, NotFound
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from ingest.services import NowhereToLog, team_for
from runs.models import Project
from runs.projects.services import create_project, rename_project
from runs.selectors import get_project, projects_of
from teams.models import Organization, OrganizationMember, Team, TeamKind, Visibility
from teams.organizations.services import create_organization, delete_organization
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return TeamFactory()


@pytest.fixture
def organization(team: Team) -> Organization:
    assert team.organization is not None
    return team.organization


@pytest.fixture
def admin(organization: Organization) -> Actor:
    return actor(organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user)


@pytest.fixture
def registry(organization: Organization, admin: Actor) -> Registry:
    return services.create_registry(actor=admin, organization=organization, name="shared")


@pytest.fixture
def version(team: Team) -> Version:
    return make_version(ProjectFactory(team=team))


def test_a_registry_lies_in_the_entity_that_bears_the_organizations_name(
    registry: Registry, organization: Organization, admin: Actor
):
    entity = registry.project.team
    assert (entity.name, entity.kind, entity.claim_id) == (
        organization.name, TeamKind.ORGANIZATION, organization.claim_id,
    )  # fmt: skip
    assert registry.project.name == "wandb-registry-shared"
    assert registry.project.visibility == Visibility.TEAM
    member = RegistryMember.objects.get(registry=registry)
    assert (member.user_id, member.role) == (admin.user_id, RegistryRole.ADMIN)
    told = AuditEntry.objects.get(action="registry.create", object_id=str(registry.pk))
    assert told.after["name"] == "shared"
    assert told.organization_id == organization.pk


def test_only_admins_of_the_organization_create_registries(team: Team, organization: Organization):
    for preset in (Preset.ADMIN, Preset.MEMBER, Preset.ORGANIZATION_MEMBER):
        with pytest.raises(Forbidden):
            services.create_registry(
                actor=actor(make_member(team, preset)), organization=organization, name="mine"
            )
    with pytest.raises(NotFound):
        services.create_registry(actor=actor(UserFactory()), organization=organization, name="mine")


@pytest.mark.parametrize("name", ["", "a/b", "x" * 114, "a:b", "tab\there", "what?", "50%", ".."])
def test_a_name_that_addresses_cannot_carry_is_refused(name: str, organization: Organization, admin: Actor):
    with pytest.raises(Invalid):
        services.create_registry(actor=admin, organization=organization, name=name)


def test_a_name_is_taken_once_in_an_organization(
    organization: Organization, admin: Actor, registry: Registry
):
    with pytest.raises(Conflict, match=f"{organization.name} already has a registry named “shared”"):
        services.create_registry(actor=admin, organization=organization, name="wandb-registry-shared")
    services.create_registry(actor=SYSTEM, organization=OrganizationFactory(), name="shared")


def test_no_ordinary_project_has_a_registrys_name(team: Team, registry: Registry):
    project = ProjectFactory(team=team)
    for name in ("model-registry", "wandb-registry-x", "wandb-registry-"):
        with pytest.raises(Invalid, match="reserved for a registry"):
            create_project(actor=SYSTEM, team=team, name=name)
        with pytest.raises(Invalid, match="reserved for a registry"):
            rename_project(actor=SYSTEM, project=project, name=name)


def test_a_registry_is_no_project_on_pages_and_takes_no_runs(registry: Registry, admin: Actor):
    entity, name = registry.project.team, registry.project.name
    assert not projects_of(admin, entity).exists()
    assert registry.project not in Project.objects.live()
    with pytest.raises(NotFound):
        get_project(admin, entity.name, name)
    assert get_project(admin, entity.name, name, registries=True) == registry.project
    with pytest.raises(NowhereToLog):  # SDKs name the entity that a run is logged to
        team_for(admin, entity.name)
    given = Given(type_name="model", name="direct", digest="d" * 32)
    with pytest.raises(Invalid, match="takes linked versions only"):
        begin_version(actor=SYSTEM, project=registry.project, run=None, given=given)


def test_a_version_is_linked_and_keeps_its_own_number_there(registry: Registry, version: Version):
    first = link_version(
        actor=SYSTEM, version=version, project=registry.project, name="best", aliases=["staging"]
    )
    assert (first.index, first.collection.kind) == (0, CollectionKind.PORTFOLIO)
    assert set(first.aliases.values_list("name", flat=True)) == {"staging", "latest"}
    again = link_version(actor=SYSTEM, version=version, project=registry.project, name="best")
    assert again.pk == first.pk


def test_whoever_links_needs_the_version_and_the_registry(registry: Registry, version: Version, team: Team):
    person = make_member(team)
    with pytest.raises(Forbidden):  # sees the registry as everyone does
        link_version(actor=actor(person), version=version, project=registry.project, name="best")
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role="member")
    link_version(actor=actor(person), version=version, project=registry.project, name="best")
    other = make_version(ProjectFactory())
    with pytest.raises(NotFound):
        link_version(actor=actor(person), version=other, project=registry.project, name="best")


def test_a_key_that_logs_runs_links_and_one_that_reads_sees(registry: Registry, version: Version, team: Team):
    person = make_member(team)
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role="member")
    logs, reads = (replace(actor(person), scopes=scopes) for scopes in (LOG_RUNS, READ_ONLY))
    assert link_target(logs, registry.project.team.name, "wandb-registry-shared") == registry.project
    link_version(actor=logs, version=version, project=registry.project, name="best", aliases=["staging"])
    assert get_registry(reads, registry.project.team.name, "shared") == registry
    with pytest.raises(Forbidden):
        link_version(actor=reads, version=version, project=registry.project, name="best")


def test_a_limited_registry_names_the_types_that_it_takes(
    organization: Organization, admin: Actor, team: Team
):
    limited = services.create_registry(
        actor=admin, organization=organization, name="data", types=["dataset", "table"]
    )
    model, data = (
        make_version(ProjectFactory(team=team)),
        make_version(ProjectFactory(team=team), type_name="dataset"),
    )
    with pytest.raises(Invalid, match="takes versions of the types dataset, table, not “model”"):
        link_version(actor=SYSTEM, version=model, project=limited.project, name="x")
    link_version(actor=SYSTEM, version=data, project=limited.project, name="x")
    update_registry(actor=admin, registry=limited, changes=RegistryChanges(types_to_add=["model"]))
    link_version(actor=SYSTEM, version=model, project=limited.project, name="y")
    changes = RegistryChanges(all_types_allowed=True, types_to_add=["other"])
    with pytest.raises(Invalid, match="Limit its types before"):
        update_registry(actor=admin, registry=limited, changes=changes)


def test_a_limited_registry_takes_a_type_from_nobody_but_who_changes_it(
    organization: Organization, admin: Actor, team: Team
):
    """ART-5: to link there is no right to widen it."""
    limited = services.create_registry(actor=admin, organization=organization, name="data", types=["dataset"])
    members.add_members(actor=SYSTEM, registry=limited, teams=[team], role="member")
    linker = actor(make_member(team))
    assert create_type(actor=linker, project=limited.project, name="dataset").name == "dataset"
    with pytest.raises(Invalid, match="types dataset, not “model”"):
        create_type(actor=linker, project=limited.project, name="model")


def test_a_type_is_removed_unless_a_collection_uses_it(
    organization: Organization, admin: Actor, version: Version
):
    """ART-5."""
    limited = services.create_registry(
        actor=admin, organization=organization, name="mixed", types=["dataset", "model", "table"]
    )
    place = link_version(actor=SYSTEM, version=version, project=limited.project, name="best")

    def remove(*names: str) -> list[str]:
        update_registry(actor=admin, registry=limited, changes=RegistryChanges(types_to_remove=names))
        return [row.name for row in limited.project.artifact_types.all()]

    assert remove("table", "never there") == ["dataset", "model"]
    with pytest.raises(Conflict, match="“model” cannot be removed: the collection “best” uses it"):
        remove("dataset", "model")
    delete_collection(actor=SYSTEM, collection=place.collection)
    with pytest.raises(Conflict, match="can still be restored"):
        remove("model")
    assert remove("dataset") == ["model"]
    with pytest.raises(Invalid, match="before you add or remove any"):
        update_registry(
            actor=admin, registry=limited,
            changes=RegistryChanges(all_types_allowed=True, types_to_remove=["model"]),
        )  # fmt: skip


def test_changes_are_told_and_rights_follow(
    registry: Registry, admin: Actor, team: Team, organization: Organization
):
    person = actor(make_member(team))
    assert registry in registries_of(person, organization)
    changed = update_registry(
        actor=admin,
        registry=registry,
        changes=RegistryChanges(name="closed", description="*ours*", everyone_role=""),
    )
    assert changed.is_restricted
    assert changed.project.visibility == Visibility.RESTRICTED
    assert registry not in registries_of(person, organization)
    told = AuditEntry.objects.get(action="registry.update")
    assert told.before == {"name": "shared", "description": "", "everyone_role": "viewer"}
    assert told.after == {"name": "closed", "description": "*ours*", "everyone_role": ""}
    update_registry(actor=admin, registry=changed, changes=RegistryChanges(name="closed"))
    assert AuditEntry.objects.filter(action="registry.update").count() == 1


def test_a_renamed_registry_is_found_by_the_name_before_until_another_takes_it(
    registry: Registry, admin: Actor, organization: Organization
):
    update_registry(actor=admin, registry=registry, changes=RegistryChanges(name="renamed"))
    assert get_registry(admin, organization.name, "shared") == registry
    assert link_target(admin, organization.name, "wandb-registry-shared") == registry.project
    other = services.create_registry(actor=admin, organization=organization, name="shared")
    assert get_registry(admin, organization.name, "shared") == other


def test_everyone_is_no_registry_admin(registry: Registry, admin: Actor):
    with pytest.raises(Invalid, match="restricted_viewer, viewer, member"):
        update_registry(actor=admin, registry=registry, changes=RegistryChanges(everyone_role="admin"))


def test_a_deleted_registry_comes_back_with_its_links(
    registry: Registry, version: Version, admin: Actor, organization: Organization
):
    link_version(actor=SYSTEM, version=version, project=registry.project, name="best")
    services.delete_registry(actor=admin, registry=registry)
    services.delete_registry(actor=admin, registry=registry)
    with pytest.raises(NotFound):
        get_registry(admin, registry.project.team.name, "shared")
    assert Version.objects.live().filter(pk=version.pk).exists()
    taken = services.create_registry(actor=admin, organization=organization, name="shared")
    with pytest.raises(Conflict, match="a new registry named “shared”"):
        services.restore_registry(actor=admin, registry=registry)
    update_registry(actor=admin, registry=taken, changes=RegistryChanges(name="other"))
    back = services.restore_registry(actor=admin, registry=registry)
    [counts] = counted(Registry.objects.filter(pk=back.pk)).values_list("collection_count", "version_count")  # type: ignore[misc]
    assert counts == (1, 1)


def test_the_last_registry_admin_stays(registry: Registry, admin: Actor, team: Team):
    [only] = registry.members.all()
    for act in (
        lambda: members.change_member(actor=admin, member=only, role="member"),
        lambda: members.remove_member(actor=admin, member=only),
    ):
        with pytest.raises(Conflict, match="last registry admin"):
            act()
    members.add_members(actor=admin, registry=registry, users=[make_member(team)], role="admin")
    members.remove_member(actor=admin, member=only)
    told = AuditEntry.objects.get(action="registry.remove_member")
    assert told.before["role"] == "admin"


def test_only_people_and_teams_of_the_organization_are_members(registry: Registry, admin: Actor, team: Team):
    outsider, foreign = UserFactory(), TeamFactory()
    with pytest.raises(Invalid, match="does not belong"):
        members.add_members(actor=admin, registry=registry, users=[outsider])
    with pytest.raises(Invalid, match="does not belong"):
        members.add_members(actor=admin, registry=registry, teams=[foreign])
    with pytest.raises(Invalid, match="one of restricted_viewer, viewer, member, admin"):
        members.add_members(actor=admin, registry=registry, teams=[team], role="owner")
    [added] = members.add_members(actor=admin, registry=registry, teams=[team], role="member")
    [kept] = members.add_members(actor=admin, registry=registry, teams=[team], role="viewer")
    assert (kept.pk, kept.role) == (added.pk, "member")
    assert members.find_member(registry, team_id=team.pk) == added
    with pytest.raises(NotFound):
        members.find_member(registry, user_id=outsider.pk)


def test_members_are_managed_by_who_may(registry: Registry, team: Team):
    person = make_member(team)
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role="member")
    with pytest.raises(Forbidden):
        members.add_members(actor=actor(person), registry=registry, users=[make_member(team)])


def _link_paths(team: Team, organization: Organization, person: str) -> Iterable[tuple[str, str, str]]:
    yield organization.name, "wandb-registry-model", "wandb-registry-model"
    yield team.name, "wandb-registry-model", "wandb-registry-model"
    yield person, "wandb-registry-model", "wandb-registry-model"
    yield team.name, "model-registry", "model-registry"


def test_a_link_finds_its_registry_however_the_sdk_names_it(team: Team, organization: Organization):
    person = make_member(team)
    for entity, project, name in _link_paths(team, organization, person.username):
        found = link_target(actor(person), entity, project)
        assert found is not None
        assert found.name == name
    assert link_target(actor(person), team.name, "anything") is None
    registry = Registry.objects.get(project__name="model-registry", project__team=team)
    assert registry.is_of_team
    assert not registry.is_restricted


def test_a_link_that_names_no_one_registry_is_refused(team: Team, organization: Organization):
    person = make_member(team)
    other = OrganizationFactory()
    OrganizationMember.objects.create(
        organization=other, user=person, role=built_in(Preset.ORGANIZATION_MEMBER)
    )
    who = actor(person)
    with pytest.raises(Invalid, match="several organizations"):
        link_target(who, person.username, "wandb-registry-model")
    alone = UserFactory()
    with pytest.raises(Invalid, match="no organization"):
        link_target(actor(alone), alone.username, "wandb-registry-model")
    with pytest.raises(NotFound):
        link_target(who, organization.name, "wandb-registry-none")
    with pytest.raises(NotFound):
        link_target(who, "nobody", "wandb-registry-model")
    with pytest.raises(NotFound):
        link_target(who, TeamFactory().name, "model-registry")
    with pytest.raises(Invalid, match="is an organization"):
        link_target(who, organization.name, "model-registry")


def test_a_personal_model_registry_is_the_persons_alone():
    person = UserFactory()
    found = link_target(actor(person), person.username, "model-registry")
    assert found is not None
    assert found.team.is_personal
    with pytest.raises(NotFound):
        get_registry(actor(UserFactory()), person.username, "model-registry")


def test_a_teams_registry_keeps_its_name_and_visibility(team: Team):
    registry = services.ensure_model_registry(actor=SYSTEM, team=team)
    admin = actor(make_member(team, Preset.ADMIN))
    for changes in (RegistryChanges(name="other"), RegistryChanges(everyone_role="viewer")):
        with pytest.raises(Invalid, match="cannot be changed"):
            update_registry(actor=admin, registry=registry, changes=changes)
    update_registry(actor=admin, registry=registry, changes=RegistryChanges(description="Ours"))
    with pytest.raises(Forbidden):
        update_registry(
            actor=actor(make_member(team)), registry=registry, changes=RegistryChanges(description="Mine")
        )


def test_the_organizations_entity_is_no_team_and_goes_with_it():
    person = UserFactory()
    organization = create_organization(actor=actor(person), name="acme", admin=person)
    assert not Team.objects.live().filter(name="acme").exists()
    assert not Team.objects.shared().filter(name="acme").exists()
    delete_organization(actor=actor(person), organization=organization, typed="acme")
    assert not Team.objects.entities().filter(name="acme").exists()
    assert not registries_of(actor(person), organization).exists()


def test_deleting_a_version_in_its_project_takes_its_links(registry: Registry, version: Version):
    from artifacts.versions.deletion import delete_version, restore_version

    link_version(actor=SYSTEM, version=version, project=registry.project, name="best", aliases=["prod"])
    delete_version(actor=SYSTEM, version=version, with_aliases=True)
    assert not Membership.objects.filter(collection__project=registry.project).exists()
    restore_version(actor=SYSTEM, version=version)
    place = Membership.objects.get(collection__project=registry.project)
    assert set(place.aliases.values_list("name", flat=True)) == {"prod", "latest"}
    assert Collection.objects.live().filter(project=registry.project).count() == 1
