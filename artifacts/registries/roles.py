"""What each role of a registry includes; the SDK's four roles beside the columns of TEAM-21.

Restricted viewers see what is in it, viewers (V) download it as well, members (M) link versions and name them, and
registry admins (R) manage the registry, its members and its protected aliases.
"""

from collections.abc import Iterable
from enum import StrEnum

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction, RegistryAction
from artifacts.models import Registry, RegistryRole
from runs.access import ProjectAction
from runs.models import Project

_ORDER = tuple(RegistryRole)
_added: dict[RegistryRole, set[str]] = {
    RegistryRole.RESTRICTED_VIEWER: {RegistryAction.VIEW, ProjectAction.VIEW, ArtifactAction.VIEW},
    RegistryRole.VIEWER: {ArtifactAction.DOWNLOAD},
    RegistryRole.MEMBER: {
        ArtifactAction.CREATE,
        ArtifactAction.UPDATE,
        ArtifactAction.DELETE,
        ArtifactAction.SET_ALIAS,
        ArtifactAction.DELETE_ALIAS,
    },
    RegistryRole.ADMIN: {*RegistryAction} - {RegistryAction.VIEW, RegistryAction.CREATE},
}
"""What a role includes beyond those before it."""
_TELLING = {
    RegistryRole.RESTRICTED_VIEWER: ArtifactAction.VIEW,
    RegistryRole.VIEWER: ArtifactAction.DOWNLOAD,
    RegistryRole.MEMBER: ArtifactAction.CREATE,
}


def add_to_role(role: RegistryRole, *actions: StrEnum) -> None:
    """Let a role of registries, and those above it, include actions of an app above; called in ``AppConfig.ready``."""
    _added[role] |= {action.value for action in actions}


def roles_with(action: str) -> tuple[RegistryRole, ...]:
    """Return the roles of a registry that include the action, the least first."""
    for place, role in enumerate(_ORDER):
        if action in _added[role]:
            return _ORDER[place:]
    return ()


def roles_of(actor: Actor, registries: Iterable[Registry]) -> dict[int, RegistryRole]:
    """Return by registry the highest role of which the actor may do what tells it from those below it.

    A fixed number of queries, however many registries there are; their projects are loaded.
    """
    by_project = {registry.project_id: registry.pk for registry in registries}
    found: dict[int, RegistryRole] = {}
    for role, action in _TELLING.items():
        rows = visible(actor, action, Project.objects.registries().filter(pk__in=by_project))
        found |= dict.fromkeys((by_project[pk] for pk in rows.values_list("pk", flat=True)), role)
    admins = visible(actor, RegistryAction.UPDATE, Registry.objects.filter(pk__in=by_project.values()))
    return found | dict.fromkeys(admins.values_list("pk", flat=True), RegistryRole.ADMIN)


def is_for_viewers(action: str) -> bool:
    """Say whether viewers may do the action: then people who only view may, too, whatever their team's role."""
    return RegistryRole.VIEWER in roles_with(action)
