"""What becomes of roles in registries when an account is deleted or merged, and of a person's own model registry."""

from collections.abc import Iterator

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from artifacts.models import ArtifactType, Collection, Registry, RegistryMember, RegistryRole
from artifacts.names import MAX_NAME
from runs.models import Project
from runs.names.registries import MODEL_REGISTRY
from teams.account_merge import personal_team
from teams.models import Team

_ORDER = list(RegistryRole)


def erase(user: User) -> None:
    """Take somebody out of all registries."""
    RegistryMember.objects.filter(user=user).delete()


def preview_merge(source: User, _target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    own = RegistryMember.objects.filter(user=source)
    yield MergeLine("roles in registries", own.count(), "where both have one, the higher stays")
    collections = Collection.objects.live().filter(project__in=_model_registries(personal_team(source)))
    yield MergeLine("collections of the personal model registry", collections.count())


def merge(source: User, target: User) -> None:
    """Hand over roles, of two in a registry the higher one, and what the personal model registry holds."""
    held = {row.registry_id: row for row in RegistryMember.objects.filter(user=target)}
    for row in RegistryMember.objects.filter(user=source):
        there = held.get(row.registry_id)
        if there is None:
            row.user = target
            row.save(update_fields=["user", "updated_at"])
            continue
        there.role = max(there.role, row.role, key=lambda role: _ORDER.index(RegistryRole(role)))
        there.save(update_fields=["role", "updated_at"])
        row.delete()
    _move_model_registry(personal_team(source), personal_team(target), source)


def _model_registries(team: Team) -> list[int]:
    rows = Project.objects.registries().filter(team=team, name=MODEL_REGISTRY)
    return list(rows.values_list("pk", flat=True))


def _move_model_registry(source: Team, target: Team, user: User) -> None:
    """Move a personal model registry, or its collections where the other account has one, too."""
    moved = Registry.objects.filter(project__in=_model_registries(source)).select_related("project").first()
    if moved is None:
        return
    there = Project.objects.filter(pk__in=_model_registries(target)).first()
    if there is None:
        moved.project.team = target
        moved.project.save(update_fields=["team", "updated_at"])
        return
    taken = set(Collection.objects.filter(project=there).values_list("name", flat=True))
    for collection in Collection.objects.filter(project=moved.project).select_related("type"):
        name = collection.name if collection.name not in taken else _free(collection.name, user, taken)
        taken.add(name)
        type_, _ = ArtifactType.objects.get_or_create(project=there, name=collection.type.name)
        Collection.objects.filter(pk=collection.pk).update(project=there, type=type_, name=name)
    moved.project.artifact_types.all().delete()
    moved.project.delete()


def _free(name: str, source: User, taken: set[str]) -> str:
    """Return a name that is not taken, made of the old one and whose it was."""
    tail, number = f"-{source.username}", 1
    while (proposed := name[: MAX_NAME - len(tail)] + tail) in taken:
        number += 1
        tail = f"-{source.username}-{number}"
    return proposed
