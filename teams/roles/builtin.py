"""Roles as rows. Built-in ones are generated from the actions that all apps registered, after every migration."""

from collections.abc import Set as AbstractSet
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from access.actions import Preset, all_actions
from common.database.kept_queries import KeptQuery
from common.errors import NOT_READY, Unavailable
from teams.models import Role, RoleGrant, RoleLevel

_BUILT_IN = {
    Preset.VIEW_ONLY: (gettext_noop("View-only"), RoleLevel.TEAM),
    Preset.MEMBER: (gettext_noop("Member"), RoleLevel.TEAM),
    Preset.ADMIN: (gettext_noop("Admin"), RoleLevel.TEAM),
    Preset.ORGANIZATION_ADMIN: (gettext_noop("Organization admin"), RoleLevel.ORGANIZATION),
    Preset.ORGANIZATION_MEMBER: (gettext_noop("Organization member"), RoleLevel.ORGANIZATION),
    Preset.ORGANIZATION_VIEWER: (gettext_noop("Organization viewer"), RoleLevel.ORGANIZATION),
}

_NAMES = {
    "view-only": Preset.VIEW_ONLY,
    "member": Preset.MEMBER,
    "admin": Preset.ADMIN,
}


def stored_names() -> dict[str, str]:
    """Return what the database and the audit log call built-in roles, and what pages do in the reader's language."""
    return {name: gettext(name) for name, _level in _BUILT_IN.values()}


def preset_names() -> dict[str, str]:
    """Return what pages call the presets in the reader's language."""
    return {preset.value: gettext(name) for preset, (name, _level) in _BUILT_IN.items()}


_of_preset = KeptQuery(lambda preset: Role.objects.filter(preset=preset))


def built_in(preset: Preset) -> Role:
    """Return the role of a preset.

    Raises:
        Unavailable: the first migration is not over, at whose end they are written.
    """
    role = _of_preset.first(preset.value)
    if role is None:
        raise Unavailable(NOT_READY)
    return role


def roles_for(organization_id: int | None) -> QuerySet[Role]:
    """Return what a team's members can be: the built-in roles, then those of its organization by their base."""
    either = Q(organization__isnull=True) | Q(organization_id=organization_id or 0)
    rows = Role.objects.filter(either, level=RoleLevel.TEAM).select_related("base")
    return rows.order_by(F("base_id").asc(nulls_first=True), "pk")


def roles_of_service_accounts(organization_id: int) -> QuerySet[Role]:
    """Return what an organization's service account can be: a role of teams, or admin of the organization.

    The latter is for identity providers, which manage its people (docs/operate/scim.md).
    """
    either = Q(level=RoleLevel.TEAM) | Q(preset=Preset.ORGANIZATION_ADMIN)
    of_theirs = Q(organization__isnull=True) | Q(organization_id=organization_id)
    return Role.objects.filter(either & of_theirs).select_related("base")


def organization_roles() -> QuerySet[Role]:
    """Return what an organization's members can be."""
    return Role.objects.filter(level=RoleLevel.ORGANIZATION, organization__isnull=True)


def team_role_named(name: str) -> Role | None:
    """Return the built-in team role that people call ``name``, or None."""
    preset = _NAMES.get(name.strip().lower())
    return built_in(preset) if preset else None


def base_of(role: Role) -> Role:
    """Return the built-in role that a role adds to, itself for a built-in one (TEAM-20)."""
    return role.base or role


def addable_actions() -> frozenset[str]:
    """Return what a custom role may add: whatever some built-in role of teams holds, nothing of organizations."""
    of_teams = {preset for preset, (_name, level) in _BUILT_IN.items() if level == RoleLevel.TEAM}
    return frozenset(action for action, spec in all_actions() if of_teams & spec.roles)


def built_in_names() -> set[str]:
    """Return what people may take for a built-in role, in every language, folded."""
    names: set[str] = set()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            names |= {gettext(name).casefold() for name, _level in _BUILT_IN.values()}
            names |= {Role(preset=preset).label.casefold() for preset in _BUILT_IN}
    return names


def sync_roles(**_: Any) -> None:
    """Make the rows say what the registry says; connected to post_migrate."""
    given = {}
    for preset, (name, level) in _BUILT_IN.items():
        role, _created = Role.objects.update_or_create(preset=preset, defaults={"name": name, "level": level})
        given[role.pk] = {action for action, spec in all_actions() if preset in spec.roles}
        set_grants(role, given=given[role.pk])
    known = addable_actions()
    for role in Role.objects.filter(organization__isnull=False).prefetch_related("grants"):
        added = {grant.action for grant in role.grants.all() if grant.is_added}
        set_grants(role, given=given[role.base_id or 0], added=added & known)


def set_grants(role: Role, *, given: AbstractSet[str], added: AbstractSet[str] = frozenset()) -> None:
    """Make a role's grants what its base gives (for a built-in role, what it is) and what it adds to that."""
    wanted = dict.fromkeys(given - added, False) | dict.fromkeys(added, True)
    present = {grant.action: grant.is_added for grant in role.grants.all()}
    if wanted == present:
        return
    gone = {action for action, is_added in present.items() if wanted.get(action) is not is_added}
    role.grants.filter(action__in=gone).delete()
    new = sorted(action for action, is_added in wanted.items() if present.get(action) is not is_added)
    RoleGrant.objects.bulk_create(
        [RoleGrant(role=role, action=action, is_added=wanted[action]) for action in new]
    )
