"""What changes organizations, teams and membership."""

from functools import partial

from django.db import transaction
from django.utils import timezone

from access.actions import Preset
from access.actor import Actor, ActorKind
from access.audit import record
from access.engine import require
from access.signals import rights_changed
from accounts.models import User
from accounts.services import claim_name, create_service_user
from common.errors import Conflict, Forbidden, Invalid
from teams.access import OrganizationAction, TeamAction
from teams.features import has_feature
from teams.models import (
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    Role,
    RoleLevel,
    ServiceAccount,
    Team,
    TeamKind,
)
from teams.roles import built_in


def _rights_changed() -> None:
    transaction.on_commit(partial(rights_changed.send, Membership))


def create_personal_team(user: User) -> None:
    """Give a new person the team of kind personal that carries their name; runs in the user's transaction."""
    if user.is_service_account:
        return
    team = Team.objects.create(claim=user.claim, name=user.username, kind=TeamKind.PERSONAL)
    Membership.objects.create(team=team, user=user, role=built_in(Preset.ADMIN))


@transaction.atomic
def create_organization(*, actor: Actor, name: str, admin: User) -> Organization:
    """Make an organization with its first admin (TEAM-2, TEAM-12).

    Raises:
        Forbidden: somebody else than the first admin asks, or a key whose scopes do not reach to teams.
        Conflict: the name is taken.
    """
    if actor.kind is not ActorKind.SYSTEM and not actor.elevated and actor.user_id != admin.pk:
        raise Forbidden("You can make an organization for yourself only.", action="organization.create")
    if not actor.reaches(OrganizationAction.CREATE_TEAM):
        raise Forbidden(
            f"The API key's scopes do not include {OrganizationAction.CREATE_TEAM.value!r}.",
            action=OrganizationAction.CREATE_TEAM,
        )
    organization = Organization.objects.create(claim=claim_name(name), name=name)
    OrganizationMember.objects.create(
        organization=organization, user=admin, role=built_in(Preset.ORGANIZATION_ADMIN)
    )
    record(
        actor,
        "organization.create",
        organization,
        organization_id=organization.pk,
        after={"admin": admin.username},
    )
    _rights_changed()
    return organization


@transaction.atomic
def create_team(
    *, actor: Actor, name: str, organization: Organization, admin: User, kind: str = TeamKind.WORK
) -> Team:
    """Make a team of an organization with its first admin (TEAM-2)."""
    require(actor, OrganizationAction.CREATE_TEAM, organization)
    if kind == TeamKind.PERSONAL:
        raise Invalid("A personal team comes with its user; choose Work or Academic.")
    team = Team.objects.create(claim=claim_name(name), name=name, organization=organization, kind=kind)
    join(team=team, user=admin, role=built_in(Preset.ADMIN))
    record(
        actor,
        OrganizationAction.CREATE_TEAM,
        team,
        organization_id=organization.pk,
        team_id=team.pk,
        after={"admin": admin.username},
    )
    return team


def join(*, team: Team, user: User, role: Role) -> Membership:
    """Put somebody into a team and its organization; whatever invited them there has done its work."""
    if team.organization_id is not None and not user.is_service_account:
        OrganizationMember.objects.get_or_create(
            organization_id=team.organization_id,
            user=user,
            defaults={"role": built_in(Preset.ORGANIZATION_MEMBER)},
        )
    membership = Membership.objects.create(team=team, user=user, role=role)
    Invitation.objects.pending_for(user).filter(team=team).update(
        state=InvitationState.ACCEPTED, closed_at=timezone.now()
    )
    _rights_changed()
    return membership


def check_role(team: Team, role: Role) -> None:
    """Refuse a role that the team's members cannot have.

    Raises:
        Invalid: it is one of organizations, or of another organization.
    """
    if role.level != RoleLevel.TEAM:
        raise Invalid(f"{role} is a role of organizations, not of teams.")
    if role.organization_id is not None and role.organization_id != team.organization_id:
        raise Invalid(f"The role {role} belongs to another organization.")


@transaction.atomic
def add_member(*, actor: Actor, team: Team, user: User, role: Role) -> Membership:
    """Put a person into a team.

    Raises:
        Conflict: they are in it, or it is a personal team.
    """
    require(actor, TeamAction.MANAGE_MEMBERS, team)
    check_role(team, role)
    if team.is_personal:
        raise Conflict(f"{team} is a personal entity; it has one member.")
    if Membership.objects.filter(team=team, user=user).exists():
        raise Conflict(f"{user} is a member of {team} already.")
    membership = join(team=team, user=user, role=role)
    record(
        actor,
        "team.add_member",
        team,
        organization_id=team.organization_id,
        team_id=team.pk,
        after={"user": user.username, "role": role.name},
    )
    return membership


def _keep_an_admin(membership: Membership) -> None:
    """Refuse to lose the last admin (TEAM-5); the rows are locked until the transaction ends.

    The roles that count are those in the database: what the caller holds may have been read before a promotion.
    """
    admins = Membership.objects.select_for_update().filter(
        team_id=membership.team_id, role__preset=Preset.ADMIN, user__kind="person", user__is_active=True
    )
    if [admin.pk for admin in admins] == [membership.pk]:
        raise Conflict(
            f"{membership.user} is the last admin of {membership.team}. Make another member an admin first."
        )


@transaction.atomic
def change_role(*, actor: Actor, membership: Membership, role: Role) -> Membership:
    """Give a member another role; the last admin keeps theirs (TEAM-5)."""
    team = membership.team
    require(actor, TeamAction.MANAGE_MEMBERS, team)
    check_role(team, role)
    if role.preset != Preset.ADMIN:
        _keep_an_admin(membership)
    before = membership.role.name
    membership.role = role
    membership.save(update_fields=["role", "updated_at"])
    record(
        actor,
        "team.change_role",
        team,
        organization_id=team.organization_id,
        team_id=team.pk,
        before={"user": membership.user.username, "role": before},
        after={"role": role.name},
    )
    _rights_changed()
    return membership


@transaction.atomic
def remove_member(*, actor: Actor, membership: Membership) -> None:
    """Take a member out; the runs they logged stay (TEAM-5)."""
    team = membership.team
    require(actor, TeamAction.MANAGE_MEMBERS, team)
    _keep_an_admin(membership)
    record(
        actor,
        "team.remove_member",
        team,
        organization_id=team.organization_id,
        team_id=team.pk,
        before={"user": membership.user.username, "role": membership.role.name},
    )
    membership.delete()
    _rights_changed()


@transaction.atomic
def create_service_account(
    *,
    actor: Actor,
    label: str,
    team: Team | None = None,
    organization: Organization | None = None,
    default_team: Team | None = None,
) -> ServiceAccount:
    """Make a service account of a team, or of an organization with a default team (TEAM-30, TEAM-33).

    Raises:
        Conflict: the label is taken, or the team is personal.
        Forbidden: the plan has no service accounts.
    """
    if (team is None) == (organization is None):
        raise Invalid("A service account belongs to one team or to one organization.")
    if team is not None:
        require(actor, TeamAction.MANAGE_SERVICE_ACCOUNTS, team)
    if organization is not None:
        require(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    owner = organization or (team.organization if team else None)
    if owner is None:
        raise Conflict(f"{team} is a personal entity; service accounts belong to teams of an organization.")
    if default_team is not None and default_team.organization_id != owner.pk:
        raise Invalid(f"The team {default_team} belongs to another organization.")
    if not has_feature(owner, "service_accounts"):
        raise Forbidden(f"The plan of {owner} does not include service accounts.", action="service_accounts")
    if ServiceAccount.objects.filter(team=team, organization=organization, label=label).exists():
        raise Conflict(f"There is a service account {label!r} already.")
    scope = team or owner
    user = create_service_user(username=f"{scope.name}.{label}", display_name=label)
    role = built_in(Preset.MEMBER)
    account = ServiceAccount.objects.create(
        user=user, label=label, team=team, organization=organization, default_team=default_team, role=role
    )
    if team is not None:
        join(team=team, user=user, role=role)
    record(
        actor,
        "service_account.create",
        account,
        organization_id=owner.pk,
        team_id=team.pk if team else None,
        after={"label": label},
    )
    return account
