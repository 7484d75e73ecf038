"""Where role grants come from: memberships of teams, of organizations, and service accounts."""

from typing import Any

from django.db.models import Model, Q

from access.actions import Preset
from access.actor import Actor
from access.resources import Resource
from teams.models import Membership, OrganizationMember, ServiceAccount, Team

_NOTHING = Q(pk__in=())
_OF_MEMBERS = Q(role__preset=Preset.MEMBER) | Q(role__base__preset=Preset.MEMBER)
"""Member, and custom roles that add to it (TEAM-20)."""


def _organizations(user_id: int, action: str) -> Q:
    """Return a condition on teams and organizations: those whose organization grants the user the action."""
    members = OrganizationMember.objects.filter(user_id=user_id, role__grants__action=action)
    services = ServiceAccount.objects.filter(user_id=user_id, role__grants__action=action)
    return Q(organization__in=members.values("organization_id")) | Q(
        organization__in=services.values("organization_id")
    )


def value_at(row: Model, path: str) -> Any:
    """Follow an ORM path from a row to a primary key: ``value_at(run, "project__team")``."""
    if path == "pk":
        return row.pk
    return row._meta.model._default_manager.filter(pk=row.pk).values_list(path, flat=True).first()


class TeamRoles:
    """Grants by team role, by organization role in all its teams, and by an organization's service account."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return rows in teams or organizations where the actor's roles hold the action."""
        condition = _NOTHING
        if resource.team:
            of_team = Membership.objects.filter(user_id=actor.lookup_id, role__grants__action=action)
            of_organization = Team.objects.filter(_organizations(actor.lookup_id, action))
            condition |= Q(**{f"{resource.team}__in": of_team.values("team_id")})
            condition |= Q(**{f"{resource.team}__in": of_organization.values("pk")})
        elif resource.organization:
            members = OrganizationMember.objects.filter(user_id=actor.lookup_id, role__grants__action=action)
            condition |= Q(**{f"{resource.organization}__in": members.values("organization_id")})
        return condition if action in resource.always_reach else condition & ~resource.withheld

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return users whose roles hold the action on this row."""
        if (
            action not in resource.always_reach
            and row._meta.model._default_manager.filter(resource.withheld, pk=row.pk).exists()
        ):
            return _NOTHING
        team_id = value_at(row, resource.team) if resource.team else None
        organization_id = value_at(row, resource.organization) if resource.organization else None
        condition = _NOTHING
        if team_id is not None:
            members = Membership.objects.filter(team_id=team_id, role__grants__action=action)
            condition |= Q(pk__in=members.values("user_id"))
        if organization_id is not None:
            chiefs = OrganizationMember.objects.filter(
                organization_id=organization_id, role__grants__action=action
            )
            services = ServiceAccount.objects.filter(
                organization_id=organization_id, role__grants__action=action
            )
            condition |= Q(pk__in=chiefs.values("user_id")) | Q(pk__in=services.values("user_id"))
        return condition


class InviteSwitch:
    """TEAM-4: with the switch on, members invite as well as admins."""

    def __init__(self, action: str) -> None:
        self.action = str(action)

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return the actor's teams where the switch is on."""
        if action != self.action:
            return _NOTHING
        mine = Membership.objects.filter(_OF_MEMBERS, user_id=actor.lookup_id)
        return Q(members_may_invite=True, pk__in=mine.values("team_id"))

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return the members of the team when its switch is on."""
        if action != self.action or not getattr(row, "members_may_invite", False):
            return _NOTHING
        members = Membership.objects.filter(_OF_MEMBERS, team_id=row.pk)
        return Q(pk__in=members.values("user_id"))
