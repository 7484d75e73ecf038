"""What people come back to whom their identity provider switched off: role, access and teams.

Places are taken away and kept here rather than marked as asleep, so that nothing that asks for roles, seats or members
has to know of it: who is out has no place.
"""

from collections.abc import Sequence

from django.db.models import F, QuerySet

from access.actor import Actor
from access.audit.log import record
from accounts.models import User
from teams.members.services import join
from teams.models import (
    GroupMembership,
    Membership,
    Organization,
    OrganizationMember,
    ProvisionedUser,
    Role,
    SuspendedMembership,
    Team,
)

MARK = "+scim"
"""Marks memberships that SCIM gave; no sign-in provider can have it for a slug."""


def suspend_given_teams(member: OrganizationMember) -> None:
    """Save the teams that the provider gave somebody who is about to leave the organization, whoever removes them.

    The provider has them in its groups still; what people gave ends when people take them out.
    """
    row = ProvisionedUser.objects.filter(organization=member.organization_id, user=member.user_id).first()
    if row is not None:
        _suspend(row, _places(row).filter(from_group__provider=MARK))


def suspend_teams(row: ProvisionedUser) -> None:
    """Save all teams of somebody whom the provider is about to switch off."""
    _suspend(row, _places(row))


def _places(row: ProvisionedUser) -> QuerySet[Membership]:
    return Membership.objects.filter(user=row.user_id, team__organization=row.organization_id)


def _suspend(row: ProvisionedUser, places: QuerySet[Membership]) -> None:
    for place in places.select_related("from_group"):
        mark = getattr(place, "from_group", None)
        values = {"role_id": place.role_id, "provider": mark.provider if mark else ""}
        SuspendedMembership.objects.update_or_create(person=row, team_id=place.team_id, defaults=values)


def restore_teams(actor: Actor, row: ProvisionedUser) -> None:
    """Put somebody back into the teams that they were taken out of and that are still the organization's.

    They are in the organization already. A team that was deleted keeps them among its members, as it keeps all.
    """
    rows = SuspendedMembership.objects.filter(person=row).select_related("team__organization", "role")
    for suspended in rows.filter(team__organization=row.organization_id).order_by("pk"):
        membership = Membership.objects.filter(team=suspended.team, user=row.user).first()
        if membership is None:
            membership = join(team=suspended.team, user=row.user, role=suspended.role)
            record(
                actor, "team.add_member", suspended.team, organization_id=row.organization_id,
                team_id=suspended.team_id, after={"user": row.user.username, "role": suspended.role.name},
            )  # fmt: skip
        if suspended.provider:
            mark_as_given(membership, suspended.provider)
    forget_suspended(row)


def forget_suspended(row: ProvisionedUser) -> None:
    """Keep nothing any more."""
    SuspendedMembership.objects.filter(person=row).delete()


def mark_as_given(membership: Membership, provider: str) -> None:
    """Note that a group of the provider gave a membership."""
    GroupMembership.objects.update_or_create(membership=membership, defaults={"provider": provider})


def teams_given(organization: Organization, users: Sequence[int]) -> dict[int, list[Team]]:
    """Return the teams whose groups have these people, those who are switched off, too (RFC 7643, 4.2)."""
    found: dict[int, list[Team]] = {}
    listed = {"team__organization": organization, "team__deleted_at__isnull": True}
    given = Membership.objects.filter(user__in=users, from_group__provider=MARK, **listed)
    suspended = SuspendedMembership.objects.filter(person__user__in=users, provider=MARK, **listed)
    pairs = [(row.user_id, row.team) for row in given.select_related("team")]
    pairs += [(row.person.user_id, row.team) for row in suspended.select_related("team", "person")]
    for user_id, team in sorted(pairs, key=lambda pair: pair[1].name):
        found.setdefault(user_id, []).append(team)
    return found


def suspended_in(team: Team) -> QuerySet[SuspendedMembership]:
    """Return whom the provider has in the team's group, and who is switched off."""
    return suspended_by_groups().filter(team=team)


def suspended_by_groups() -> QuerySet[SuspendedMembership]:
    """Return whom the provider has in groups of its own organization, and who is switched off."""
    own = SuspendedMembership.objects.filter(provider=MARK, person__organization=F("team__organization"))
    return own.select_related("person__user", "role", "team")


def add_suspended(team: Team, user: User, role: Role) -> None:
    """Let somebody who is switched off come back to a team by the provider's group; a role that they held stays."""
    row = ProvisionedUser.objects.get(organization=team.organization_id, user=user)
    SuspendedMembership.objects.update_or_create(
        person=row, team=team, defaults={"provider": MARK}, create_defaults={"provider": MARK, "role": role}
    )


def remove_suspended(actor: Actor, suspended: SuspendedMembership) -> None:
    """Drop a suspended membership: the provider has removed the person from the group."""
    record(
        actor, "team.remove_member", suspended.team, organization_id=suspended.team.organization_id,
        team_id=suspended.team_id, before={"user": suspended.person.user.username, "role": suspended.role.name},
    )  # fmt: skip
    suspended.delete()
