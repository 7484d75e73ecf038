"""The rows that ids and names of the wire mean, as far as the actor sees them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeVar

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import can, visible
from accounts.models import User
from artifacts.models import Registry
from artifacts.registries.members import candidate_teams, candidates
from artifacts.registries.selectors import get_organization, registries_seen
from common.errors import NotFound
from teams.access import OrganizationAction, TeamAction
from teams.models import Membership, Organization, Team
from wandb_api.graphql.global_ids import from_id

Row = TypeVar("Row", User, Team)


def organization_seen(actor: Actor, name: str) -> Organization | None:
    """Return an organization that the actor belongs to, or of which they see a registry; None for no such one."""
    with suppress(NotFound):
        return get_organization(actor, name)
    return None


def registries_in(actor: Actor, team: Team | None) -> QuerySet[Registry]:
    """Return the registries of an entity that the actor may see; none where an organization has no entity yet."""
    return registries_seen(actor).filter(project__team=team) if team else Registry.objects.none()


def registry_with_id(actor: Actor, text: str) -> Registry:
    """Return the registry that a project's global id names.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    found = registries_seen(actor).filter(project_id=from_id("Project", text)).first()
    if found is None:
        raise NotFound(f"The registry with the ID “{text}” doesn’t exist, or you don’t have access to it.")
    return found


def people_with_ids(registry: Registry, ids: Iterable[str]) -> list[User]:
    """Return people who may have a role in the registry, by their global ids; the caller manages its members.

    Raises:
        NotFound: one of them is nobody of its organization or team.
    """
    return [_found(candidates(registry), "User", text) for text in ids]


def teams_with_ids(registry: Registry, ids: Iterable[str]) -> list[Team]:
    """Return teams that may have a role in the registry, by their global ids; the caller manages its members.

    Raises:
        NotFound: one of them is no team of its organization.
    """
    return [_found(candidate_teams(registry), "Entity", text) for text in ids]


def _found(rows: QuerySet[Row], kind: str, text: str) -> Row:
    found = rows.filter(pk=from_id(kind, text)).first()
    if found is None:
        what = "user" if kind == "User" else "team"
        raise NotFound(f"No {what} with the ID “{text}” belongs to the home of this registry.")
    return found


def emails_shown(actor: Actor, registry: Registry) -> QuerySet[User]:
    """Return the people of a registry whose addresses the actor also sees on a page of a team or the organization."""
    organization = registry.project.team.organization
    if organization is not None and can(actor, OrganizationAction.MANAGE_MEMBERS, organization):
        return User.objects.all()
    teams = visible(actor, TeamAction.VIEW, Team.objects.shared())
    shared = Membership.objects.filter(team__in=teams.values("pk")).values("user_id")
    return User.objects.filter(pk__in=shared) | User.objects.filter(pk=actor.lookup_id)
