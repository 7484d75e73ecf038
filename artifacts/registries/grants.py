"""Grants in registries: by a role there, one's own or a team's, and by belonging to the organization or the team.

Whoever has several roles has the highest. Admins of an organization administer its registries, restricted ones, too;
only the protected aliases are the registry admins' alone (TEAM-21).
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from access.actions import Preset, spec_of
from access.actor import Actor
from access.grants import GrantScope, Reason, met, unmet
from access.resources.registry import NOBODY, Resource, any_of, value_at
from artifacts.access import ArtifactAction
from artifacts.models import Registry, RegistryMember
from artifacts.registries.roles import is_for_viewers, roles_with
from common.database.compiled_sql import KeysOf
from runs.models import Project
from teams.grants import within_access
from teams.models import Membership, OrganizationMember, ServiceAccount

_KIND = "registry"
_VIEWS_ONLY = Q(role__preset=Preset.VIEW_ONLY) | Q(role__base__preset=Preset.VIEW_ONLY)
_OF_ORGANIZATION = "organization__teams__projects__registry"


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to a role in registries: rows that each say that ``user`` has it in the registry of ``project``."""

    find: Callable[[str, Q], QuerySet[Any]]
    """Takes an action and a condition, returns rows; both in one filter, since ``project`` leads to many rows."""
    project: str
    """The path from a row to the key of the registry's project."""
    keys: Callable[[int, str], QuerySet[Any, Any]]
    """Takes a user's key and an action, returns keys of projects."""


def _within(action: str, organization: str) -> Q:
    """Limit to what the user's organization, and their roles in its teams, allow in registries (TEAM-21).

    Someone who is view-only, in the organization or in each of their teams there, views and downloads and no more.
    """
    if is_for_viewers(action):
        return within_access(ArtifactAction.VIEW, "user_id", f"{organization}_id")
    places = Membership.objects.filter(
        user=OuterRef("user_id"),
        team__organization=OuterRef(f"{organization}_id"),
        team__deleted_at__isnull=True,
    )
    views_only = Exists(places.filter(_VIEWS_ONLY)) & ~Exists(places.exclude(_VIEWS_ONLY))
    return within_access(action, "user_id", f"{organization}_id") & ~Q(views_only)


def _belonging(organization: str, team: str) -> Q:
    """Return a condition on rows: the user belongs to the organization, or to the team."""
    here, user = OuterRef(organization), OuterRef("user_id")
    services = Q(organization=here) | Q(team__organization=here) | Q(team=OuterRef(team))
    return (
        Q(Exists(OrganizationMember.objects.filter(user=user, organization=here)))
        | Q(Exists(Membership.objects.filter(user=user, team=OuterRef(team))))
        | Q(Exists(ServiceAccount.objects.filter(services, user=user)))
    )


def _by_own_role(action: str, more: Q) -> QuerySet[Any]:
    """Find people with a role in a registry, who still belong to its organization or team."""
    team = "registry__project__team"
    given = Q(role__in=roles_with(action), user__isnull=False)
    return RegistryMember.objects.filter(
        given & _belonging(f"{team}__organization_id", team) & _within(action, f"{team}__organization") & more
    )


def _by_role_of_team(action: str, more: Q) -> QuerySet[Any]:
    """Find members of teams with a role in a registry; who only views in the team, only views there."""
    given = Q(team__registry_roles__role__in=roles_with(action), team__deleted_at__isnull=True)
    barred = Q() if is_for_viewers(action) else ~_VIEWS_ONLY
    return Membership.objects.filter(given & barred & _within(action, "team__organization") & more)


def _by_organization(action: str, more: Q) -> QuerySet[Any]:
    """Find the members of organizations whose registries give everybody a role."""
    given = Q(**{f"{_OF_ORGANIZATION}__everyone_role__in": roles_with(action)})
    return OrganizationMember.objects.filter(given & _within(action, "organization") & more)


def _by_organization_of_service(action: str, more: Q) -> QuerySet[Any]:
    """Find the service accounts of teams of these organizations."""
    given = Q(**{f"team__{_OF_ORGANIZATION}__everyone_role__in": roles_with(action)})
    return ServiceAccount.objects.filter(given & _within(action, "team__organization") & more)


def _as_organization_admin(action: str, more: Q) -> QuerySet[Any]:
    """Find the admins of organizations, who reach restricted registries, too."""
    if not roles_with(action) or Preset.ORGANIZATION_ADMIN not in spec_of(action).roles:
        return OrganizationMember.objects.none()
    given = Q(role__preset=Preset.ORGANIZATION_ADMIN, **{f"{_OF_ORGANIZATION}__isnull": False})
    return OrganizationMember.objects.filter(given & more)


def _by_own_team(action: str, more: Q) -> QuerySet[Any]:
    """Find the members of teams with a model registry of their own: who only views, downloads from there, too."""
    if not is_for_viewers(action) or Preset.VIEW_ONLY in spec_of(action).roles:
        return Membership.objects.none()
    given = Q(team__projects__registry__isnull=False)
    return Membership.objects.filter(given & _within(action, "team__organization") & more)


def _way(find: Callable[[str, Q], QuerySet[Any]], project: str) -> _Way:
    def keys(user_id: int, action: str) -> QuerySet[Any, Any]:
        return find(action, Q(user_id=user_id)).values(project)

    return _Way(find, project, keys)


_WAYS = (
    _way(_by_own_role, "registry__project_id"),
    _way(_by_role_of_team, "team__registry_roles__registry__project_id"),
    _way(_by_organization, f"{_OF_ORGANIZATION}__project_id"),
    _way(_by_organization_of_service, f"team__{_OF_ORGANIZATION}__project_id"),
    _way(_as_organization_admin, f"{_OF_ORGANIZATION}__project_id"),
    _way(_by_own_team, "team__projects__registry__project_id"),
)


class RegistryRoles:
    """Counts in registries only; elsewhere the team's roles hold."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return rows of registries in which the actor's roles include the action."""
        if not resource.project or not roles_with(action):
            return NOBODY
        path = f"{resource.project}__in"
        return any_of(*(Q(**{path: KeysOf(way.keys, actor.lookup_id, action)}) for way in _WAYS))

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return who has a role in the row's registry that includes the action."""
        if not resource.project or not roles_with(action):
            return NOBODY
        project_id = value_at(row, resource.project)
        found = (way.find(action, Q(**{way.project: project_id})).values("user_id") for way in _WAYS)
        return any_of(*(Q(pk__in=users) for users in found))

    def holders(
        self, action: str, places: Collection[GrantScope], among: Collection[int] | None
    ) -> Iterator[tuple[GrantScope, int]]:
        """Yield who has a role in each registry that includes the action."""
        by_project = {place.project_id: place for place in places if place.project_id is not None}
        if not by_project or not roles_with(action):
            return
        active = Q(user__is_active=True) if among is None else Q(user__is_active=True, user__in=among)
        for way in _WAYS:
            rows = way.find(action, active & Q(**{f"{way.project}__in": list(by_project)}))
            for project_id, user_id in rows.values_list(way.project, "user_id"):
                yield by_project[project_id], user_id

    def reasons(self, actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
        """Say whether the actor's role in the row's registry includes the action."""
        if not resource.project:
            return []
        project_id = value_at(row, resource.project)
        registry = Registry.objects.select_related("project__team").filter(project=project_id).first()
        if registry is None:
            return []
        names = {"who": actor.name, "registry": registry.name, "action": action}
        if self._holds(actor, action, registry.project):
            text = _("%(who)s has a role in the registry %(registry)s that includes %(action)s.")
            return [met(_KIND, text % names)]
        roles = ", ".join(str(role.label) for role in roles_with(action))
        text = _("%(who)s has no role in the registry %(registry)s that includes %(action)s.")
        help_ = _("A registry admin of %(registry)s can give %(who)s a role that includes it: %(roles)s.")
        return [unmet(_KIND, text % names, help_ % {**names, "roles": roles} if roles else "")]

    def _holds(self, actor: Actor, action: str, project: Project) -> bool:
        of_actor = Q(user_id=actor.lookup_id)
        if not roles_with(action):
            return False
        return any(way.find(action, of_actor & Q(**{way.project: project.pk})).exists() for way in _WAYS)
