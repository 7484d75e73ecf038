"""Built-in roles: rows generated from the actions that all apps registered, after every migration."""

from typing import Any

from access.actions import Preset, all_actions
from teams.models import Role, RoleGrant, RoleLevel

_BUILT_IN = {
    Preset.VIEW_ONLY: ("View-only", RoleLevel.TEAM),
    Preset.MEMBER: ("Member", RoleLevel.TEAM),
    Preset.ADMIN: ("Admin", RoleLevel.TEAM),
    Preset.ORGANIZATION_ADMIN: ("Organization admin", RoleLevel.ORGANIZATION),
    Preset.ORGANIZATION_MEMBER: ("Organization member", RoleLevel.ORGANIZATION),
}

_NAMES = {
    "view-only": Preset.VIEW_ONLY,
    "member": Preset.MEMBER,
    "admin": Preset.ADMIN,
}


def built_in(preset: Preset) -> Role:
    """Return the role of a preset."""
    return Role.objects.get(preset=preset)


def team_role_named(name: str) -> Role | None:
    """Return the built-in team role that people call ``name``, or None."""
    preset = _NAMES.get(name.strip().lower())
    return built_in(preset) if preset else None


def base_of(role: Role) -> Role:
    """Return the built-in role that a role adds to, itself for a built-in one (TEAM-20)."""
    return role if role.preset else role.base or built_in(Preset.VIEW_ONLY)


def sync_built_in_roles(**_: Any) -> None:
    """Make the rows say what the registry says; connected to post_migrate."""
    for preset, (name, level) in _BUILT_IN.items():
        role, _created = Role.objects.update_or_create(preset=preset, defaults={"name": name, "level": level})
        wanted = {action for action, spec in all_actions() if preset in spec.roles}
        present = set(role.grants.values_list("action", flat=True))
        role.grants.filter(action__in=present - wanted).delete()
        RoleGrant.objects.bulk_create(
            [RoleGrant(role=role, action=action) for action in sorted(wanted - present)]
        )
