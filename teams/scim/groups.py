"""SCIM groups: the teams of an organization.

A group's members are those whom SCIM put there, or found there and took over; people who were invited by hand, the
team's first admin among them, are left alone, as with groups of sign-in providers.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import FilteredRelation, Prefetch, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf
from scim2_models import Meta, Reference

from access.actions import Preset
from access.actor import Actor
from access.audit.log import record
from accounts.models import User
from common.errors import Conflict, Invalid
from common.formats.numbers import parse_int
from teams.members.services import add_member, remove_member
from teams.members.suspension import (
    MARK,
    add_suspended,
    mark_as_given,
    remove_suspended,
    suspended_by_groups,
    suspended_in,
)
from teams.models import Membership, Organization, OrganizationMember, ProvisionedTeam, Team, TeamKind
from teams.roles.builtin import built_in
from teams.scim.filters import Column
from teams.scim.plan import require_scim
from teams.scim.resources import Group, GroupMember
from teams.scim.user_resources import people_of
from teams.scim.users import username_for
from teams.teams.deletion import delete_team
from teams.teams.services import change_team, create_team

_MEMBERS = Column(
    "memberships__user_id",
    int,
    also=(("memberships__from_group__provider", MARK),),
    other=Column(
        "suspended_memberships__person__user_id", int, also=(("suspended_memberships__provider", MARK),)
    ),
)
COLUMNS = {
    "id": Column("pk", int),
    "displayname": Column("shown_name"),
    "externalid": Column("record__external_id", case_exact=True),
    "members": _MEMBERS,
    "members.value": _MEMBERS,
}


def groups_of(organization: Organization) -> QuerySet[Team]:
    """Return the organization's teams that were not deleted."""
    rows = Team.objects.shared().filter(organization=organization)
    return rows.annotate(
        record=FilteredRelation("provisioned"),
        shown_name=Coalesce(NullIf("display_name", Value("")), "name"),
    )


def _given(team: Team | None = None) -> QuerySet[Membership]:
    rows = Membership.objects.filter(from_group__provider=MARK).select_related("user", "team")
    return rows.filter(team=team) if team else rows


def to_resources(teams: Sequence[Team], base: str, *, members: bool = True) -> list[Any]:
    """Return teams as SCIM shows them; a fixed number of queries."""
    pks = [team.pk for team in teams]
    rows = Team.objects.filter(pk__in=pks).select_related("provisioned")
    if members:
        rows = rows.prefetch_related(
            Prefetch("memberships", _given(), to_attr="of_provider"),
            Prefetch("suspended_memberships", suspended_by_groups(), to_attr="switched_off"),
        )
    found = {row.pk: row for row in rows}
    return [_resource(found[pk], base, members=members) for pk in pks if pk in found]


def _resource(team: Team, base: str, *, members: bool) -> Any:
    row = getattr(team, "provisioned", None)
    users = [one.user for one in getattr(team, "of_provider", [])]
    users += [one.person.user for one in getattr(team, "switched_off", [])]
    return Group(
        id=str(team.pk),
        external_id=(row.external_id if row else "") or None,
        display_name=team.display_name or team.name,
        members=[_member(user, base) for user in users] or None if members else None,
        meta=Meta(
            resource_type="Group",
            created=team.created_at,
            last_modified=team.updated_at,
            location=Reference(f"{base}/Groups/{team.pk}"),
        ),
    )


def _member(user: User, base: str) -> GroupMember:
    return GroupMember(value=str(user.pk), ref=Reference(f"{base}/Users/{user.pk}"), type="User")


def create_group(*, actor: Actor, organization: Organization, resource: Any) -> Team:
    """Make a team; its name, which never changes, comes of the group's.

    Its first admin is who asks, or for a service account the admin who has been in the organization longest.
    """
    require_scim(organization)
    name = str(resource.display_name)
    team = create_team(
        actor=actor, name=username_for(name.replace("@", "-")), organization=organization,
        admin=_first_admin(actor, organization), kind=TeamKind.WORK,
    )  # fmt: skip
    update_group(actor=actor, team=team, resource=resource)
    return team


def _first_admin(actor: Actor, organization: Organization) -> User:
    members = OrganizationMember.objects.filter(organization=organization, user__is_active=True)
    admins = members.filter(role__preset=Preset.ORGANIZATION_ADMIN).select_related("user").order_by("pk")
    own = members.filter(user_id=actor.lookup_id).select_related("user").first()
    row = own or admins.first()
    if row is None:
        raise Conflict(f"{organization} has no admin who could be the team's.")
    return row.user


def update_group(*, actor: Actor, team: Team, resource: Any) -> None:
    """Call a team what the resource says, and put those into it whom it lists, with the role Member."""
    if team.organization is not None:
        require_scim(team.organization)
    name = str(resource.display_name).strip()[:120]
    if name != (team.display_name or team.name):
        change_team(actor=actor, team=team, display_name=name, kind=team.kind)
    _set_external_id(actor, team, (resource.external_id or "")[:255])
    wanted = _users(team, resource.members or [])
    given = {membership.user_id: membership for membership in _given(team)}
    suspended = {row.person.user_id: row for row in suspended_in(team)}
    for pk, user in wanted.items():
        if pk not in given and pk not in suspended:
            _put(actor, team, user)
    for pk, membership in given.items():
        if pk not in wanted:
            remove_member(actor=actor, membership=membership)
    for pk, row in suspended.items():
        if pk not in wanted:
            remove_suspended(actor, row)


def _set_external_id(actor: Actor, team: Team, external_id: str) -> None:
    row = ProvisionedTeam.objects.filter(team=team).first() or ProvisionedTeam(team=team)
    before = row.external_id
    if external_id != before:
        row.external_id = external_id
        row.save()
        record(
            actor, "scim.save_group", team, organization_id=team.organization_id, team_id=team.pk,
            before={"externalId": before}, after={"externalId": external_id},
        )  # fmt: skip


def _users(team: Team, members: list[GroupMember]) -> dict[int, Any]:
    """Return the people that a group lists, as `people_of` shows them.

    Raises:
        Invalid: one is not among the organization's users.
    """
    if team.organization is None:
        return {}
    named = {str(member.value) for member in members}
    pk_of = {value: parse_int(value) for value in named}
    users = people_of(team.organization).filter(pk__in=[pk for pk in pk_of.values() if pk])
    found = {user.pk: user for user in users}
    missing = sorted(value for value, pk in pk_of.items() if pk not in found)
    if missing:
        raise Invalid(f"User “{missing[0]}” doesn’t exist in the organization.")
    return found


def _put(actor: Actor, team: Team, user: Any) -> None:
    """Put somebody into a team, or whoever is switched off among those who come back to it."""
    if not user.is_member:
        add_suspended(team, user, built_in(Preset.MEMBER))
        return
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        membership = add_member(actor=actor, team=team, user=user, role=built_in(Preset.MEMBER))
    mark_as_given(membership, MARK)


def delete_group(*, actor: Actor, team: Team) -> None:
    """Delete a team; it can be restored for some days, as one that was deleted by hand."""
    delete_team(actor=actor, team=team, typed=team.name)
