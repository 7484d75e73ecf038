"""Who is in a registry, with which role: people and teams of its organization; of a team's registry, its own people."""

from collections.abc import Iterable
from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.models import User
from artifacts.access import RegistryAction
from artifacts.models import Registry, RegistryMember, RegistryRole
from common.errors import Conflict, Invalid, NotFound
from teams.models import SHARED_KINDS, Membership, OrganizationMember, ServiceAccount, Team

ADD, CHANGE, REMOVE = "registry.add_member", "registry.change_member", "registry.remove_member"
"""In the audit log."""


def candidates(registry: Registry) -> QuerySet[User]:
    """Return who may be given a role: people and service accounts of the organization, or of the registry's team."""
    team = registry.project.team
    within = Q(pk__in=Membership.objects.filter(team=team).values("user_id"))
    if not registry.is_of_team:
        organization = team.organization_id
        people = OrganizationMember.objects.filter(organization=organization)
        services = ServiceAccount.objects.filter(
            Q(organization=organization) | Q(team__organization=organization)
        )
        within = Q(pk__in=people.values("user_id")) | Q(pk__in=services.values("user_id"))
    return User.objects.filter(within, is_active=True)


def candidate_teams(registry: Registry) -> QuerySet[Team]:
    """Return the teams that may be given a role: those of the organization; none in a team's registry."""
    if registry.is_of_team:
        return Team.objects.none()
    return Team.objects.live().filter(
        organization=registry.project.team.organization_id, kind__in=SHARED_KINDS
    )


def check_role(role: str) -> RegistryRole:
    """Return the role.

    Raises:
        Invalid: there is no such role.
    """
    try:
        return RegistryRole(role)
    except ValueError:
        known = ", ".join(RegistryRole.values)
        raise Invalid(f"A role in a registry is one of {known}, not “{role[:40]}”.") from None


@transaction.atomic
def add_members(
    *,
    actor: Actor,
    registry: Registry,
    users: Iterable[User] = (),
    teams: Iterable[Team] = (),
    role: str = RegistryRole.VIEWER,
) -> list[RegistryMember]:
    """Give people and teams a role in a registry; those who have one keep it.

    Raises:
        Invalid: somebody does not belong to the organization, or to the team whose registry it is.
    """
    require(actor, RegistryAction.MANAGE_MEMBERS, registry)
    given, added = check_role(role), []
    for user in users:
        if not candidates(registry).filter(pk=user.pk).exists():
            raise no_candidate(user.username, registry)
        added.append(_add(actor, registry, given, user=user))
    for team in teams:
        if not candidate_teams(registry).filter(pk=team.pk).exists():
            raise no_candidate(team.name, registry)
        added.append(_add(actor, registry, given, team=team))
    return added


def no_candidate(name: str, registry: Registry) -> Invalid:
    """Return the refusal of a person or team that cannot be given a role in the registry."""
    text = _("“%(name)s” does not belong to %(home)s and cannot have a role in its registry.")
    return Invalid(text % {"name": name, "home": registry.project.team.name})


def _add(
    actor: Actor,
    registry: Registry,
    role: RegistryRole,
    *,
    user: User | None = None,
    team: Team | None = None,
) -> RegistryMember:
    member, is_new = RegistryMember.objects.get_or_create(
        registry=registry, user=user, team=team, defaults={"role": role}
    )
    if is_new:
        _record(actor, ADD, member, {}, {"role": role.value})
    return member


@transaction.atomic
def change_member(*, actor: Actor, member: RegistryMember, role: str) -> RegistryMember:
    """Give a member another role.

    Raises:
        Invalid: there is no such role.
        Conflict: the registry would be left without a registry admin.
    """
    require(actor, RegistryAction.MANAGE_MEMBERS, member.registry)
    member = _locked(member)
    given, before = check_role(role), member.role
    if given == before:
        return member
    member.role = given
    _keep_an_admin(member)
    member.save(update_fields=["role", "updated_at"])
    _record(actor, CHANGE, member, {"role": before}, {"role": given.value})
    return member


@transaction.atomic
def remove_member(*, actor: Actor, member: RegistryMember) -> None:
    """Take the role of a person or a team away; what everybody in the organization may do, they still may.

    Raises:
        Conflict: the registry would be left without a registry admin.
    """
    require(actor, RegistryAction.MANAGE_MEMBERS, member.registry)
    member = _locked(member)
    before, member.role = member.role, RegistryRole.VIEWER
    _keep_an_admin(member)
    _record(actor, REMOVE, member, {"role": before}, {})
    member.delete()


def find_member(
    registry: Registry, *, user_id: int | None = None, team_id: int | None = None
) -> RegistryMember:
    """Return the member that is this person or team.

    Raises:
        NotFound: they have no role of their own in the registry.
    """
    rows = RegistryMember.objects.select_related("registry__project__team", "user", "team")
    found = rows.filter(registry=registry, user=user_id, team=team_id).first()
    if found is None:
        raise NotFound("They are no members of this registry.")
    return found


def _locked(member: RegistryMember) -> RegistryMember:
    """Return the member, whose registry's members nobody else changes until the transaction ends."""
    Registry.objects.select_for_update().get(pk=member.registry_id)
    rows = RegistryMember.objects.select_related("registry__project__team", "user", "team")
    found = rows.filter(pk=member.pk).first()
    if found is None:
        raise Conflict("This member was removed meanwhile.")
    return found


def _keep_an_admin(member: RegistryMember) -> None:
    """Refuse to lose the last registry admin of an organization's registry: nobody could take protected aliases."""
    if member.role == RegistryRole.ADMIN or member.registry.is_of_team:
        return
    admins = RegistryMember.objects.filter(registry=member.registry_id, role=RegistryRole.ADMIN)
    if admins.filter(pk=member.pk).exists() and not admins.exclude(pk=member.pk).exists():
        raise Conflict("This is the last registry admin. Make somebody else a registry admin first.")


def _record(
    actor: Actor, verb: str, member: RegistryMember, before: dict[str, str], after: dict[str, str]
) -> None:
    project = member.registry.project
    who = {"user": member.user.username} if member.user else {"team": str(member.team)}
    record(
        actor, verb, member.registry, organization_id=project.team.organization_id, team_id=project.team_id,
        before={**who, **before} if before else {}, after={**who, **after} if after else {},
    )  # fmt: skip
    transaction.on_commit(partial(rights_changed.send, RegistryMember))
