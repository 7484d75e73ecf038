"""Where role grants come from: memberships of teams, of organizations, and service accounts.

What a role gives ends at what the organization lets its holder do: `within_access` is asked wherever a role is.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from access.actions import Preset, spec_of
from access.actor import Actor
from access.grants import GrantScope, Reason, register_grants
from access.resources.registry import NOBODY, Resource, any_of, value_at
from common.database.compiled_sql import KeysOf
from teams.access import TeamAction
from teams.explain import reasons
from teams.models import (
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    ServiceAccount,
    Team,
    TeamKind,
)

_OF_MEMBERS = Q(role__preset=Preset.MEMBER) | Q(role__base__preset=Preset.MEMBER)
"""Member, and custom roles that add to it (TEAM-20)."""


_Way = Callable[[int, str], QuerySet[Any, Any]]
"""Takes a user's key and an action, returns keys of teams or organizations."""


def _beyond_access(action: str) -> Q:
    """Return a condition on members of organizations: those who may not do this in its teams (TEAM-1).

    All that is no administration of people is taken for a part of Models, also what comes later.
    """
    if action.startswith("organization."):
        return NOBODY
    reads = Preset.VIEW_ONLY in spec_of(action).roles
    barred = NOBODY if reads else Q(role__preset=Preset.ORGANIZATION_VIEWER)
    if action.startswith("team."):
        return barred
    levels = [ProductAccess.FULL, ProductAccess.VIEW_ONLY] if reads else [ProductAccess.FULL]
    return barred | ~Q(models_access__in=levels)


def within_access(action: str, user: str, organization: str) -> Q:
    """Return a condition on rows that give a user a role: the user's organization lets them do the action.

    Personal entities have no organization, and service accounts no place in it, so nothing limits them here.

    Args:
        action: What is to be done.
        user: The path from the row to the user's key.
        organization: The path from the row to the organization's key.
    """
    place = OrganizationMember.objects.filter(
        _beyond_access(action), user_id=OuterRef(user), organization_id=OuterRef(organization)
    )
    return ~Q(Exists(place))


def _organization_role_gives(action: str) -> Q:
    """Return a condition on members of organizations: their role there gives the action, in all its teams."""
    return Q(role__grants__action=action) & ~_beyond_access(action)


def _organizations_by_role(user_id: int, action: str) -> QuerySet[Any, Any]:
    """Return the organizations whose members' roles give the user the action."""
    admins = OrganizationMember.objects.filter(_organization_role_gives(action), user_id=user_id)
    return admins.values("organization_id")


def _organizations_by_service_account(user_id: int, action: str) -> QuerySet[Any, Any]:
    """Return the organizations of which the user is a service account whose role gives the action."""
    services = ServiceAccount.objects.filter(
        user_id=user_id, organization__isnull=False, role__grants__action=action
    )
    return services.values("organization_id")


def _teams_of_organizations(user_id: int, action: str) -> QuerySet[Any, Any]:
    """Return the teams of the organizations that grant the user the action."""
    by_role, by_service = (
        _organizations_by_role(user_id, action),
        _organizations_by_service_account(user_id, action),
    )
    return Team.objects.filter(Q(organization__in=by_role) | Q(organization__in=by_service)).values("pk")


def _teams_by_role(user_id: int, action: str) -> QuerySet[Any, Any]:
    """Return the teams in which the user's role gives the action."""
    return Membership.objects.filter(_team_role_gives(action), user_id=user_id).values("team_id")


def _team_role_gives(action: str) -> Q:
    """Return a condition on memberships of teams: their role gives the action, and their organization lets them."""
    return Q(role__grants__action=action) & within_access(action, "user_id", "team__organization_id")


def _users_by_key(pairs: Iterable[tuple[int | None, int]]) -> dict[int | None, set[int]]:
    """Return the users of each team or organization."""
    found: dict[int | None, set[int]] = {}
    for key, user_id in pairs:
        found.setdefault(key, set()).add(user_id)
    return found


class TeamRoles:
    """Grants by team role, by organization role in all its teams, and by an organization's service account."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return rows in teams or organizations where the actor's roles hold the action."""
        ways: tuple[_Way, ...] = ()
        if resource.team:
            ways = (_teams_by_role, _teams_of_organizations)
        elif resource.organization:
            ways = (_organizations_by_role, _organizations_by_service_account)
        path = f"{resource.team or resource.organization}__in"
        condition = any_of(*(Q(**{path: KeysOf(way, actor.lookup_id, action)}) for way in ways))
        if resource.withheld is NOBODY or action in resource.always_reach:
            return condition
        return condition & ~resource.withheld

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return users whose roles hold the action on this row."""
        if (
            action not in resource.always_reach
            and row._meta.model._default_manager.filter(resource.withheld, pk=row.pk).exists()
        ):
            return NOBODY
        team_id = value_at(row, resource.team) if resource.team else None
        organization_id = value_at(row, resource.organization) if resource.organization else None
        condition = NOBODY
        if team_id is not None:
            members = Membership.objects.filter(_team_role_gives(action), team_id=team_id)
            condition |= Q(pk__in=members.values("user_id"))
        if organization_id is not None:
            admins = OrganizationMember.objects.filter(
                _organization_role_gives(action), organization_id=organization_id
            )
            services = ServiceAccount.objects.filter(
                organization_id=organization_id, role__grants__action=action
            )
            condition |= Q(pk__in=admins.values("user_id")) | Q(pk__in=services.values("user_id"))
        return condition

    def holders(
        self, action: str, places: Collection[GrantScope], among: Collection[int] | None
    ) -> Iterator[tuple[GrantScope, int]]:
        """Yield who holds the action in each place by a role there."""
        reached = [place for place in places if not place.is_withheld]
        team_ids = {place.team_id for place in reached} - {None}
        organization_ids = {place.organization_id for place in reached} - {None}
        active = Q(user__is_active=True) if among is None else Q(user__is_active=True, user__in=among)
        members = Membership.objects.filter(_team_role_gives(action), active, team__in=team_ids)
        admins = OrganizationMember.objects.filter(
            _organization_role_gives(action), active, organization__in=organization_ids
        )
        services = ServiceAccount.objects.filter(
            active, organization__in=organization_ids, role__grants__action=action
        )
        by_team = _users_by_key(members.values_list("team_id", "user_id"))
        by_organization = _users_by_key(admins.values_list("organization_id", "user_id"))
        by_service = _users_by_key(services.values_list("organization_id", "user_id"))
        for place in reached:
            for user_id in by_team.get(place.team_id, ()):
                yield place, user_id
            for user_id in (
                *by_organization.get(place.organization_id, ()),
                *by_service.get(place.organization_id, ()),
            ):
                yield place, user_id

    def reasons(self, actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
        """Say what the actor's places in the row's team and organization give them."""
        if not resource.team and not resource.organization:
            return []
        if (
            action not in resource.always_reach
            and row._meta.model._default_manager.filter(resource.withheld, pk=row.pk).exists()
        ):
            return [reasons.withheld(row)]
        found = []
        team_id = value_at(row, resource.team) if resource.team else None
        team = None if team_id is None else Team.objects.get(pk=team_id)
        if team is not None and team.kind != TeamKind.ORGANIZATION:
            found.append(self._of_team(actor, action, team))
        organization_id = value_at(row, resource.organization) if resource.organization else None
        if organization_id is not None:
            found += self._of_organization(actor, action, Organization.objects.get(pk=organization_id))
        return found

    def _of_team(self, actor: Actor, action: str, team: Team) -> Reason:
        places = Membership.objects.filter(team=team, user_id=actor.lookup_id).select_related("role__base")
        if places.filter(_team_role_gives(action)).exists():
            return reasons.role_gives(actor, action, team, places[0].role)
        place = places.first()
        if place is None:
            return reasons.not_in_team(actor, action, team)
        limit = limit_on(action, actor.lookup_id, team.organization_id)
        if limit is not None and place.role.grants.filter(action=action).exists():
            return reasons.limited(actor, action, limit)
        return reasons.role_lacks(actor, action, team, place.role)

    def _of_organization(self, actor: Actor, action: str, organization: Organization) -> list[Reason]:
        places = OrganizationMember.objects.filter(organization=organization, user_id=actor.lookup_id)
        services = ServiceAccount.objects.filter(organization=organization, user_id=actor.lookup_id)
        place, account = places.select_related("role").first(), services.select_related("role__base").first()
        if account is not None and account.role is not None:
            gives = services.filter(role__grants__action=action).exists()
            say = reasons.role_gives if gives else reasons.role_lacks
            return [say(actor, action, organization, account.role)]
        if places.filter(_organization_role_gives(action)).exists():
            return [reasons.role_gives(actor, action, organization, places[0].role)]
        return [reasons.organization_role_lacks(actor, action, organization, place.role if place else None)]


def _acting_members(action: str) -> Q:
    """Return a condition on memberships: of members, whose organization lets them do the action."""
    return _OF_MEMBERS & within_access(action, "user_id", "team__organization_id")


def _teams_as_member(user_id: int, action: str) -> QuerySet[Any, Any]:
    return Membership.objects.filter(_acting_members(action), user_id=user_id).values("team_id")


class InviteSwitch:
    """TEAM-4: with the switch on, members invite as well as admins."""

    def __init__(self, action: str) -> None:
        self.action = str(action)

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return the actor's teams where the switch is on."""
        if action != self.action:
            return NOBODY
        mine = KeysOf(_teams_as_member, actor.lookup_id, action)
        return Q(members_may_invite=True, pk__in=mine)

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return the members of the team when its switch is on."""
        if action != self.action or not getattr(row, "members_may_invite", False):
            return NOBODY
        members = Membership.objects.filter(_acting_members(action), team_id=row.pk)
        return Q(pk__in=members.values("user_id"))

    def holders(
        self, action: str, places: Collection[GrantScope], among: Collection[int] | None
    ) -> Iterator[tuple[GrantScope, int]]:
        """Yield the members of the teams whose switch is on."""
        if action != self.action:
            return
        team_ids = {place.team_id for place in places}
        members = Membership.objects.filter(
            _acting_members(action), user__is_active=True, team__in=team_ids, team__members_may_invite=True
        )
        chosen = members if among is None else members.filter(user__in=among)
        by_team = _users_by_key(chosen.values_list("team_id", "user_id"))
        for place in places:
            for user_id in by_team.get(place.team_id, ()):
                yield place, user_id

    def reasons(self, actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
        """Say whether the switch lets the actor invite to the team."""
        if action != self.action or not isinstance(row, Team):
            return []
        places = Membership.objects.filter(team_id=row.pk, user_id=actor.lookup_id)
        holds = row.members_may_invite and places.filter(_acting_members(action)).exists()
        is_member = places.filter(_OF_MEMBERS).exists()
        return [reasons.invite_switch(actor, row, holds=holds, is_member=is_member)]


def limit_on(action: str, user_id: int, organization_id: int | None) -> OrganizationMember | None:
    """Return the place in the organization that keeps somebody from what a role gives them, if one does."""
    places = OrganizationMember.objects.filter(user_id=user_id, organization_id=organization_id or 0)
    return places.filter(_beyond_access(action)).select_related("role", "organization").first()


def register() -> None:
    """Tell the engine."""
    register_grants(TeamRoles())
    register_grants(InviteSwitch(TeamAction.INVITE))
