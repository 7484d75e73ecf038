"""What changes registries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.models import User
from artifacts.access import RegistryAction
from artifacts.models import (
    EVERYONE_ROLES,
    LATEST,
    Collection,
    ProtectedAlias,
    Registry,
    RegistryMember,
    RegistryRole,
)
from artifacts.names import check_aliases, check_name
from artifacts.versions.collections import ensure_type
from artifacts.versions.texts import check_description
from common.errors import Conflict, Gone, Invalid
from runs.access import ProjectAction
from runs.lifecycle.purge import undo_ended_at
from runs.models import FormerProjectName, Project
from runs.names.registries import MODEL_REGISTRY, PREFIX
from runs.projects.services import take_name
from teams.models import Organization, Team, TeamKind, Visibility
from teams.organizations.entity import ensure_entity

MAX_NAME = 128 - len(PREFIX)
MAX_TYPES = 200
CORE = {
    "model": "Models that teams of the organization share.",
    "dataset": "Datasets that teams of the organization share.",
}
"""Registries that every organization has from the start, and what is said of them."""


@dataclass(frozen=True, slots=True)
class RegistryChanges:
    """What changes about a registry; None and empty leave things as they are."""

    name: str | None = None
    description: str | None = None
    everyone_role: str | None = None
    """Of everybody in the organization; "" restricts it to its members."""
    all_types_allowed: bool | None = None
    types_to_add: Iterable[str] = ()
    types_to_remove: Iterable[str] = ()
    """Of those that it is limited to; one that a collection uses stays, and the change is refused."""
    protected_aliases: Sequence[str] | None = None


def check_registry_name(name: str) -> str:
    """Return the name, without the prefix, if a registry may have it.

    Raises:
        Invalid: as of an artifact, or too long.
    """
    name = check_name(name.removeprefix(PREFIX), "registry name")
    if len(name) > MAX_NAME:
        raise Invalid(f"A registry’s name can have at most {MAX_NAME} characters; this one has {len(name)}.")
    if any(character in "\\#?%" for character in name):
        raise Invalid(f"The registry name “{name}” must not contain any of \\ # ? %.")
    return name


@transaction.atomic
def create_registry(
    *,
    actor: Actor,
    organization: Organization,
    name: str,
    description: str = "",
    everyone_role: str = RegistryRole.VIEWER,
    types: Iterable[str] = (),
) -> Registry:
    """Create a registry of an organization, of which the actor becomes a registry admin.

    Args:
        actor: An admin of the organization.
        organization: Whose registry it is.
        name: Without the prefix that it has as a project.
        description: Markdown.
        everyone_role: What everybody in the organization may do there; "" restricts it to its members.
        types: Of the versions that can be linked; none for all.

    Raises:
        Invalid: a name, a type or the role cannot be.
        Conflict: the organization has a registry of this name.
    """
    require(actor, RegistryAction.CREATE, organization)
    name, allowed = check_registry_name(name), _checked_types(types)
    registry = _create(
        actor, ensure_entity(organization), PREFIX + name, check_description(description),
        _checked_role(everyone_role), all_types_allowed=not allowed,
    )  # fmt: skip
    for each in allowed:
        ensure_type(registry.project, each)
    if actor.user_id is not None:
        RegistryMember.objects.create(registry=registry, user_id=actor.user_id, role=RegistryRole.ADMIN)
    _record(actor, RegistryAction.CREATE, registry, {}, audited(registry))
    return registry


def create_core_registries(organization: Organization, admin: User) -> None:
    """Give a new organization the registries that every one has, in which all its members link versions."""
    entity = ensure_entity(organization)
    projects = Project.objects.bulk_create(
        Project(team=entity, name=PREFIX + name, description=description, is_registry=True)
        for name, description in CORE.items()
    )
    registries = Registry.objects.bulk_create(
        Registry(project=project, everyone_role=RegistryRole.MEMBER) for project in projects
    )
    RegistryMember.objects.bulk_create(
        RegistryMember(registry=registry, user=admin, role=RegistryRole.ADMIN) for registry in registries
    )


@transaction.atomic
def ensure_model_registry(*, actor: Actor, team: Team) -> Registry:
    """Return a team's own model registry, to which ``run.link_model`` links; created on first use.

    Raises:
        Invalid: it is an organization.
    """
    if team.kind == TeamKind.ORGANIZATION:
        raise Invalid(
            f"{team} is an organization. Link to one of its registries ({PREFIX}…), or name a team for the model"
            " registry of that team."
        )
    found = model_registries().select_related("project__team").filter(project__team=team)
    registry = found.first()
    if registry is not None:
        return registry
    require(actor, ProjectAction.CREATE, team)
    try:
        registry = _create(actor, team, MODEL_REGISTRY, "", "", all_types_allowed=True)
    except Conflict:  # two runs link at once
        return found.get()
    _record(actor, RegistryAction.CREATE, registry, {}, audited(registry))
    return registry


def model_registries() -> QuerySet[Registry]:
    """Return the model registries of teams and people that are not deleted."""
    return Registry.objects.filter(project__in=Project.objects.registries(), project__name=MODEL_REGISTRY)


def _create(
    actor: Actor, team: Team, name: str, description: str, everyone_role: str, *, all_types_allowed: bool
) -> Registry:
    is_restricted = name != MODEL_REGISTRY and not everyone_role
    try:
        with transaction.atomic():
            project = Project.objects.create(
                team=team, name=name, description=description, is_registry=True, created_by_id=actor.user_id,
                visibility=Visibility.RESTRICTED if is_restricted else Visibility.TEAM,
            )  # fmt: skip
    except IntegrityError:
        raise Conflict(f"{team} already has a registry named “{name.removeprefix(PREFIX)}”.") from None
    take_name(project)
    _send_rights_changed()
    return Registry.objects.create(
        project=project, everyone_role=everyone_role, all_types_allowed=all_types_allowed
    )


@transaction.atomic
def update_registry(*, actor: Actor, registry: Registry, changes: RegistryChanges) -> Registry:
    """Change what a registry is called and takes in, who sees it, and which of its aliases are protected.

    Raises:
        Invalid: something cannot be stored, or a team's registry is to be renamed or restricted.
        Conflict: the organization has another registry of the name, or a collection uses a type to remove.
    """
    if changes != RegistryChanges(protected_aliases=changes.protected_aliases):
        require(actor, RegistryAction.UPDATE, registry)
    if changes.protected_aliases is not None:
        require(actor, RegistryAction.PROTECT_ALIASES, registry)
    registry = locked(registry.pk)
    before = audited(registry)
    if registry.is_of_team and (changes.name is not None or changes.everyone_role is not None):
        raise Invalid("The name and the visibility of a team’s model registry cannot be changed.")
    _rename(registry, changes)
    _open_or_close(registry, changes)
    _change_types(registry, changes)
    registry.save()
    if changes.protected_aliases is not None:
        _protect(registry, changes.protected_aliases)
    after = audited(registry)
    changed = [name for name in after if after[name] != before[name]]
    if changed:
        was, now = ({name: state[name] for name in changed} for state in (before, after))
        _record(actor, RegistryAction.UPDATE, registry, was, now)
        _send_rights_changed()
    return registry


def _rename(registry: Registry, changes: RegistryChanges) -> None:
    """Change name and description; code that goes on using the name before still finds the registry."""
    project, before = registry.project, registry.project.name
    if changes.description is not None:
        project.description = check_description(changes.description)
    if changes.name is not None:
        project.name = PREFIX + check_registry_name(changes.name)
    try:
        with transaction.atomic():
            project.save(update_fields=["name", "description", "updated_at"])
    except IntegrityError:
        raise Conflict(f"{project.team} already has a registry named “{registry.name}”.") from None
    if project.name != before:
        take_name(project)
        FormerProjectName.objects.get_or_create(project=project, name=before)


def _open_or_close(registry: Registry, changes: RegistryChanges) -> None:
    if changes.everyone_role is None:
        return
    registry.everyone_role = _checked_role(changes.everyone_role)
    registry.project.visibility = Visibility.TEAM if registry.everyone_role else Visibility.RESTRICTED
    registry.project.save(update_fields=["visibility", "updated_at"])


def _change_types(registry: Registry, changes: RegistryChanges) -> None:
    added, removed = _checked_types(changes.types_to_add), list(changes.types_to_remove)
    if changes.all_types_allowed is not None:
        registry.all_types_allowed = changes.all_types_allowed
    if (added or removed) and registry.all_types_allowed:
        raise Invalid(
            _("This registry accepts all artifact types. Limit its types before you add or remove any.")
        )
    for name in added:
        ensure_type(registry.project, name)
    if removed:
        _remove_types(registry, removed)


def _remove_types(registry: Registry, names: list[str]) -> None:
    """Remove types of which the registry has no collection; one that can be restored counts, too."""
    rows = registry.project.artifact_types.select_for_update().filter(name__in=names)
    for row in list(rows):
        collection = row.collections.order_by(F("deleted_at").asc(nulls_first=True), "name").first()
        if collection is not None:
            raise Conflict(_used(row.name, collection))
        row.delete()


def _used(type_name: str, collection: Collection) -> str:
    if collection.deleted_at is None:
        text = _("The type “%(type)s” cannot be removed: the collection “%(collection)s” uses it.")
    else:
        text = _(
            "The type “%(type)s” cannot be removed: the collection “%(collection)s” uses it, which was deleted"
            " and can still be restored."
        )
    return text % {"type": type_name, "collection": collection.name}


def _protect(registry: Registry, names: Sequence[str]) -> None:
    wanted = check_aliases(names)
    if LATEST in wanted:
        raise Invalid("The alias “latest” cannot be protected: it always names the newest version.")
    registry.protected_aliases.exclude(name__in=wanted).delete()
    ProtectedAlias.objects.bulk_create(
        (ProtectedAlias(registry=registry, name=name) for name in wanted), ignore_conflicts=True
    )


def _checked_role(role: str) -> str:
    if role and role not in EVERYONE_ROLES:
        known = ", ".join(each.value for each in EVERYONE_ROLES)
        raise Invalid(f"Everybody in an organization can be one of {known} in a registry, not “{role}”.")
    return role


def _checked_types(types: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(check_name(name, "artifact type") for name in types))
    if len(found) > MAX_TYPES:
        raise Invalid(f"A registry can have at most {MAX_TYPES} artifact types; these are {len(found)}.")
    return found


@transaction.atomic
def delete_registry(*, actor: Actor, registry: Registry) -> None:
    """Delete a registry with its collections and links, which can be restored for DELETED_KEPT_DAYS.

    The versions that are linked there stay where they were logged. Deleting it again changes nothing.
    """
    require(actor, RegistryAction.DELETE, registry)
    registry = locked(registry.pk)
    if registry.project.deleted_at is not None:
        return
    _mark(registry, deleted=True)
    _record(actor, RegistryAction.DELETE, registry, audited(registry), {})


@transaction.atomic
def restore_registry(*, actor: Actor, registry: Registry) -> Registry:
    """Undo the deletion of a registry.

    Raises:
        Gone: too late.
        Conflict: there is a new registry of the name.
    """
    require(actor, RegistryAction.DELETE, registry)
    registry = locked(registry.pk)
    if registry.project.deleted_at is not None:
        if registry.project.deleted_at <= undo_ended_at(timezone.now()):
            raise Gone(f"The registry {registry} can no longer be restored.")
        _mark(registry, deleted=False)
        _record(actor, RESTORE, registry, {}, audited(registry))
    return registry


def _mark(registry: Registry, *, deleted: bool) -> None:
    registry.project.deleted_at = timezone.now() if deleted else None
    try:
        with transaction.atomic():
            registry.project.save(update_fields=["deleted_at", "updated_at"])
    except IntegrityError:
        raise Conflict(
            f"There is a new registry named “{registry.name}”, so this one cannot be restored."
        ) from None
    _send_rights_changed()


RESTORE = "registry.restore"
"""In the audit log."""


def locked(pk: int) -> Registry:
    """Return a registry that nobody else changes until the transaction ends."""
    rows = Registry.objects.select_for_update(of=("self",)).select_related("project__team__organization")
    return rows.get(pk=pk)


def audited(registry: Registry) -> dict[str, Any]:
    """Return what the audit log tells of a registry."""
    types = registry.project.artifact_types.order_by("name").values_list("name", flat=True)
    return {
        "name": registry.name,
        "description": registry.project.description[:300],
        "everyone_role": registry.everyone_role,
        "all_types": registry.all_types_allowed,
        "types": [] if registry.all_types_allowed else list(types),
        "protected_aliases": list(registry.protected_aliases.values_list("name", flat=True)),
    }


def _record(
    actor: Actor, verb: str, registry: Registry, before: dict[str, Any], after: dict[str, Any]
) -> None:
    team = registry.project.team
    record(
        actor, verb, registry, organization_id=team.organization_id, team_id=team.pk, before=before,
        after=after,
    )  # fmt: skip


def _send_rights_changed() -> None:
    transaction.on_commit(partial(rights_changed.send, Registry))
