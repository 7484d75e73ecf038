"""Who may what in registries: the four roles, how they are come by, and that the highest holds (ART-5, TEAM-21)."""

from typing import Any

import pytest
from django.db.models import QuerySet

from access.actions import Preset, all_actions, spec_of
from access.actor import SYSTEM
from access.engine import can, visible, who_may, who_may_each
from access.explain import explain
from accounts.models import User
from artifacts.access import ArtifactAction, RegistryAction
from artifacts.models import ArtifactType, Collection, Registry, RegistryMember, RegistryRole
from artifacts.registries import members, services
from artifacts.registries.roles import roles_of, roles_with
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from runs.access import ProjectAction
from runs.models import Project
from teams.models import Membership, OrganizationMember, ProductAccess, Team
from teams.roles.builtin import built_in
from tests.factories import (
    OrganizationFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    custom_role,
    make_member,
)

pytestmark = pytest.mark.django_db

ADMIN, MEMBER, VIEWER, RESTRICTED = (
    RegistryRole.ADMIN,
    RegistryRole.MEMBER,
    RegistryRole.VIEWER,
    RegistryRole.RESTRICTED_VIEWER,
)
_INCLUDED: dict[RegistryRole, set[Any]] = {
    RESTRICTED: {RegistryAction.VIEW, ProjectAction.VIEW, ArtifactAction.VIEW},
    VIEWER: {ArtifactAction.DOWNLOAD},
    MEMBER: {
        ArtifactAction.CREATE, ArtifactAction.UPDATE, ArtifactAction.DELETE, ArtifactAction.SET_ALIAS,
        ArtifactAction.DELETE_ALIAS,
    },
    ADMIN: {
        RegistryAction.UPDATE, RegistryAction.MANAGE_MEMBERS, RegistryAction.PROTECT_ALIASES, RegistryAction.DELETE,
    },
}  # fmt: skip
"""The table of docs/use/registry.md: what a role may beyond those before it."""


@pytest.fixture
def team() -> Team:
    return TeamFactory()


def make_registry(team: Team, everyone: str = "", name: str = "shared") -> Registry:
    assert team.organization is not None
    return services.create_registry(
        actor=SYSTEM, organization=team.organization, name=name, everyone_role=everyone
    )


def filled(registry: Registry) -> Collection:
    """Link a version into it."""
    version = make_version(Project.objects.create(team=TeamFactory(), name="source"))
    return link_version(actor=SYSTEM, version=version, project=registry.project, name="best").collection


def give(registry: Registry, who: User | Team, role: str) -> None:
    teams, users = ([who], []) if isinstance(who, Team) else ([], [who])
    members.add_members(actor=SYSTEM, registry=registry, role=role, teams=teams, users=users)


def holds(person: User, registry: Registry) -> set[str]:
    """Return what a person may do of all that a role of registries includes, on the registry and a collection of it."""
    project, who = registry.project, actor(person)
    type_, _ = ArtifactType.objects.get_or_create(project=project, name="model")
    collection, _ = Collection.objects.get_or_create(
        project=project, name="best", kind="portfolio", type=type_
    )
    rows = {"runs.Project": project, "artifacts.Registry": registry, "artifacts.Collection": collection}
    actions = {action for some in _INCLUDED.values() for action in some}
    return {action.value for action in actions if can(who, action, rows[spec_of(action).on[0]])}


def included_in(role: RegistryRole) -> set[str]:
    order = [RESTRICTED, VIEWER, MEMBER, ADMIN]
    return {action.value for each in order[: order.index(role) + 1] for action in _INCLUDED[each]}


@pytest.mark.parametrize("role", RegistryRole)
def test_a_person_has_what_the_role_includes(role: RegistryRole, team: Team):
    registry, person = make_registry(team), make_member(team)
    assert not holds(person, registry)
    give(registry, person, role)
    assert holds(person, registry) == included_in(role)
    assert roles_of(actor(person), [registry]).get(registry.pk) == role


@pytest.mark.parametrize("role", RegistryRole)
def test_a_team_has_it_for_its_people(role: RegistryRole, team: Team):
    registry, person, other = make_registry(team), make_member(team), make_member(TeamFactory())
    give(registry, team, role)
    assert holds(person, registry) == included_in(role)
    assert not holds(other, registry)


def test_who_only_views_in_a_team_views_and_downloads_by_its_role(team: Team):
    assert team.organization is not None
    registry, viewer = make_registry(team), make_member(team, Preset.VIEW_ONLY)
    give(registry, team, ADMIN)
    assert holds(viewer, registry) == included_in(VIEWER)
    custom = make_member(team, custom_role(team.organization, [ArtifactAction.UPDATE]))
    assert holds(custom, registry) == included_in(VIEWER)


@pytest.mark.parametrize("is_named", [False, True], ids=["everyone", "by name"])
def test_who_is_view_only_in_all_their_teams_views_and_downloads(is_named: bool, team: Team):
    """TEAM-21: whatever role the registry gives everyone, or them by name."""
    registry, viewer = make_registry(team, everyone=MEMBER), make_member(team, Preset.VIEW_ONLY)
    if is_named:
        give(registry, viewer, ADMIN)
    bot = ServiceAccountFactory(team=team).user
    assert holds(bot, registry) == included_in(MEMBER)
    Membership.objects.filter(user=bot).update(role=built_in(Preset.VIEW_ONLY))
    for person in (viewer, bot):
        assert holds(person, registry) == included_in(VIEWER)
        assert not who_may(ArtifactAction.CREATE, registry.project).filter(pk=person.pk).exists()
    Membership.objects.create(
        user=viewer, team=TeamFactory(organization=team.organization), role=built_in(Preset.MEMBER)
    )
    assert holds(viewer, registry) == included_in(ADMIN if is_named else MEMBER)


def test_the_higher_of_two_roles_holds(team: Team):
    registry, person = make_registry(team, everyone=RESTRICTED), make_member(team)
    assert holds(person, registry) == included_in(RESTRICTED)
    give(registry, team, MEMBER)
    give(registry, person, VIEWER)
    assert holds(person, registry) == included_in(MEMBER)


def test_everybody_in_the_organization_has_the_role_of_everyone(team: Team):
    registry = make_registry(team, everyone=VIEWER)
    person, outsider = make_member(team, Preset.ORGANIZATION_MEMBER), make_member(TeamFactory())
    bot = ServiceAccountFactory(team=team).user
    assert holds(person, registry) == included_in(VIEWER)
    assert holds(bot, registry) == included_in(VIEWER)
    assert not holds(outsider, registry)


def test_admins_of_the_organization_reach_restricted_registries_but_protect_no_alias(team: Team):
    registry, admin = make_registry(team), make_member(team, Preset.ORGANIZATION_ADMIN)
    assert holds(admin, registry) == included_in(ADMIN) - {RegistryAction.PROTECT_ALIASES}
    give(registry, admin, ADMIN)
    assert holds(admin, registry) == included_in(ADMIN)


def test_who_views_only_in_the_organization_downloads_from_a_registry_and_changes_nothing(team: Team):
    registry, person = make_registry(team), make_member(team)
    give(registry, person, ADMIN)
    place = OrganizationMember.objects.get(user=person)
    place.models_access = ProductAccess.VIEW_ONLY
    place.save()
    assert holds(person, registry) == included_in(VIEWER)
    place.models_access = ProductAccess.NONE
    place.save()
    assert not holds(person, registry)


def test_who_leaves_the_organization_has_no_role_any_more(team: Team):
    registry, person = make_registry(team), make_member(team)
    give(registry, person, ADMIN)
    Membership.objects.filter(user=person).delete()
    assert holds(person, registry)  # still of the organization
    OrganizationMember.objects.filter(user=person).delete()
    assert not holds(person, registry)
    assert RegistryMember.objects.filter(user=person).exists()


@pytest.mark.parametrize(
    ("preset", "may"),
    [
        (Preset.VIEW_ONLY, included_in(VIEWER)),
        (Preset.MEMBER, included_in(MEMBER)),
        (Preset.ADMIN, included_in(ADMIN) - {RegistryAction.PROTECT_ALIASES}),
        (Preset.ORGANIZATION_ADMIN, included_in(ADMIN) - {RegistryAction.PROTECT_ALIASES}),
    ],
)
def test_a_teams_model_registry_has_the_teams_roles(preset: Preset, may: set[str], team: Team):
    registry = services.ensure_model_registry(actor=SYSTEM, team=team)
    person = make_member(team, preset)
    assert holds(person, registry) == may
    give(registry, make_member(team, Preset.MEMBER), ADMIN)


def test_a_registry_admin_of_a_teams_registry_protects_aliases(team: Team):
    registry, person = services.ensure_model_registry(actor=SYSTEM, team=team), make_member(team)
    give(registry, person, ADMIN)
    assert holds(person, registry) == included_in(ADMIN)


def test_rights_end_at_the_registry(team: Team):
    one, other = make_registry(team, name="one"), make_registry(team, name="other")
    person = make_member(team)
    give(one, person, ADMIN)
    assert not holds(person, other)
    project = Project.objects.create(team=TeamFactory(organization=team.organization), name="private")
    assert not any(
        can(actor(person), action, project) for action in (ProjectAction.VIEW, ArtifactAction.VIEW)
    )


def test_a_version_seen_by_its_link_shows_nothing_of_its_project(team: Team):
    collection, person = filled(make_registry(team, everyone=VIEWER)), make_member(team)
    version = collection.memberships.get().version
    assert can(actor(person), ArtifactAction.DOWNLOAD, collection)
    assert not can(actor(person), ArtifactAction.VIEW, version)
    assert not can(actor(person), ProjectAction.VIEW, version.project)


def test_all_directions_of_the_decision_agree(team: Team):
    """`can`, `visible`, `who_may`, `who_may_each` and the explanation say the same of everybody and every registry."""
    other = TeamFactory(organization=team.organization)
    rows = [
        make_registry(team, name="closed"), make_registry(team, VIEWER, "open"), make_registry(other, MEMBER, "linked"),
        make_registry(TeamFactory(), VIEWER, "foreign"), services.ensure_model_registry(actor=SYSTEM, team=team),
    ]  # fmt: skip
    people = [make_member(team, Preset(letters)) for letters in ("V", "M", "A", "O", "Om")]
    people += [make_member(other), UserFactory(), ServiceAccountFactory(organization=team.organization).user]
    people.append(ServiceAccountFactory(team=other).user)
    give(rows[0], people[0], ADMIN)
    give(rows[0], other, MEMBER)
    give(rows[4], people[1], ADMIN)
    projects = Project.objects.filter(pk__in=[row.project_id for row in rows])
    for name, spec in all_actions():
        if roles_with(name) and spec.on[0] in {"runs.Project", "artifacts.Registry"}:
            kept = projects if spec.on[0] == "runs.Project" else Registry.objects.filter(project__in=projects)
            _check_directions(name, list(kept), kept, people)


def _check_directions(name: str, rows: list[Any], kept: QuerySet[Any], people: list[User]) -> None:
    each, among = who_may_each(name, kept), {person.pk for person in people}
    allowed = {(person.pk, row.pk) for person in people for row in rows if can(actor(person), name, row)}
    for row in rows:
        who = {person for person, pk in allowed if pk == row.pk}
        assert set(who_may(name, row).values_list("pk", flat=True)) & among == who
        assert each[row.pk].people & among == who
    for person in people:
        seen = set(visible(actor(person), name, kept).values_list("pk", flat=True))
        assert seen == {pk for each, pk in allowed if each == person.pk}
        for row in rows:
            assert explain(actor(person), name, row).allowed == (row.pk in seen), (name, person, row)


def test_reading_rights_costs_the_same_for_any_number_of_registries(
    team: Team, django_assert_max_num_queries
):
    person = make_member(team)
    for number in range(12):
        give(make_registry(team, name=f"r{number}"), person, VIEWER)
    with django_assert_max_num_queries(1):
        assert visible(actor(person), ProjectAction.VIEW, Project.objects.registries()).count() >= 12


def test_an_organization_starts_with_registries_for_models_and_datasets():
    organization = OrganizationFactory()
    found = Registry.objects.filter(project__team__organization=organization)
    assert [each.name for each in found] == ["model", "dataset"]
    assert {each.everyone_role for each in found} == {MEMBER}
    first = organization.members.get().user
    assert all(holds(first, each) == included_in(ADMIN) for each in found)
    assert built_in(Preset.ORGANIZATION_ADMIN) == organization.members.get().role
