"""What an archive holds of registries: the team's own one, and where an organization's link its versions."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from access.actor import Actor
from access.engine import visible
from artifacts.access import RegistryAction
from artifacts.models import Collection, Membership, Registry
from artifacts.registries.selectors import registries_seen
from artifacts.selectors import collections_of
from exports.archive.artifacts import about_collection, links_of
from exports.archive.writer import Archive
from teams.models import Team


def write_registries(archive: Archive, actor: Actor, team: Team) -> None:
    """Write the registries that concern a team and that the actor may see, each in a folder of its own."""
    for registry in _registries(actor, team):
        is_own = registry.project.team_id == team.pk
        place = f"registries/{registry.project.team.name}/{registry.name}"
        archive.add_json(f"{place}/registry.json", _about(registry))
        collections = _collections(actor, registry, None if is_own else team)
        archive.add_lines(f"{place}/collections.jsonl", map(about_collection, collections))
        links = links_of(actor, collections, of_team=None if is_own else team)
        archive.add_lines(f"{place}/links.jsonl", links)


def _linked(team: Team) -> QuerySet[Membership]:
    return Membership.objects.filter(
        version__collection__project__team=team, version__deleted_at__isnull=True,
        collection__deleted_at__isnull=True,
    )  # fmt: skip


def _registries(actor: Actor, team: Team) -> QuerySet[Registry]:
    """Return the team's own model registry, and those in which versions of the team are linked."""
    links = _linked(team).filter(collection__project=OuterRef("project"))
    rows = registries_seen(actor).filter(Q(project__team=team) | Exists(links))
    return visible(actor, RegistryAction.VIEW, rows).order_by("pk")


def _collections(actor: Actor, registry: Registry, team: Team | None) -> list[Collection]:
    """Return the registry's collections; of a team only those that link versions of it."""
    rows = collections_of(actor, registry.project)
    if team is not None:
        rows = rows.filter(pk__in=_linked(team).values("collection"))
    return list(rows.select_related("created_by").prefetch_related("tags"))


def _about(registry: Registry) -> dict[str, Any]:
    project = registry.project
    members = registry.members.select_related("user", "team").order_by("pk")
    return {
        "name": registry.name,
        "project": project.name,
        "entity": project.team.name,
        "description": project.description,
        "everyone_role": registry.everyone_role or None,
        "types": None
        if registry.all_types_allowed
        else list(project.artifact_types.order_by("name").values_list("name", flat=True)),
        "protected_aliases": [alias.name for alias in registry.protected_aliases.all()],
        "members": [
            {
                "username": one.user.username if one.user else None,
                "team": one.team.name if one.team else None,
                "role": one.role,
            }
            for one in members
        ],
        "created_at": project.created_at,
    }
