"""Joining and leaving teams and organizations, and roles in teams."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor
from access.audit.log import record
from access.engine import require
from accounts.models import User
from common.errors import Conflict, Invalid, NotFound
from teams.access import TeamAction
from teams.members.mail import mail_removed
from teams.members.selectors import team_admins
from teams.models import (
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    Role,
    RoleLevel,
    Team,
)
from teams.plan_policy import denied_message, has_feature, require_seat, seat_for
from teams.roles.builtin import built_in
from teams.roles.escalation import check_rank
from teams.roles.signals import send_rights_changed


def join(*, team: Team, user: User, role: Role) -> Membership:
    """Put somebody into a team and its organization; whatever invited them there has done its work.

    Raises:
        Conflict: they are new in the organization, and its plan has no seat left.
    """
    if team.organization is not None and not user.is_service_account:
        enter_organization(organization=team.organization, user=user)
    membership = Membership.objects.create(team=team, user=user, role=role)
    close_pending(Invitation.objects.pending_for(user).filter(team=team), InvitationState.ACCEPTED)
    send_rights_changed()
    return membership


def enter_organization(
    *, organization: Organization, user: User, role: Role | None = None
) -> OrganizationMember:
    """Give a person a place in an organization unless they have one; each person takes one seat, whatever their teams.

    Raises:
        Conflict: no seat is left.
    """
    there = OrganizationMember.objects.filter(organization=organization, user=user).first()
    if there is not None:
        return there
    role = role or built_in(Preset.ORGANIZATION_MEMBER)
    require_seat(organization, seat_for(role, ProductAccess.FULL))
    place, _created = OrganizationMember.objects.get_or_create(
        organization=organization, user=user, defaults={"role": role}
    )
    accept_pending(organization, user)
    send_rights_changed()
    return place


def accept_pending(organization: Organization, user: User) -> None:
    """Let an invitation to the organization alone have done its work: the person belongs to it."""
    invited = Invitation.objects.pending_for(user).filter(organization=organization)
    close_pending(invited, InvitationState.ACCEPTED)


def close_pending(pending: QuerySet[Invitation], state: InvitationState) -> None:
    """Answer or take back invitations in one statement."""
    pending.update(state=state, closed_at=timezone.now())


def check_role(team: Team, role: Role) -> None:
    """Refuse a role that the team's members cannot have.

    Raises:
        Invalid: it is one of organizations, or of another organization.
        Conflict: the organization's plan does not include it (TEAM-20).
    """
    if role.level != RoleLevel.TEAM:
        raise Invalid(_("%(role)s is an organization role, not a team role.") % {"role": role})
    if role.organization_id is not None and role.organization_id != team.organization_id:
        raise Invalid(_("The role %(role)s belongs to another organization.") % {"role": role})
    feature = "custom_roles" if role.organization_id else "view_only_role"
    if role.preset not in {Preset.MEMBER, Preset.ADMIN} and not _includes(team, feature):
        names = {"organization": team.organization, "role": role}
        message = _("The plan of %(organization)s does not include the role %(role)s.") % names
        raise Conflict(denied_message(message, team.organization) if team.organization else message)


def _includes(team: Team, feature: str) -> bool:
    return team.organization is None or has_feature(team.organization, feature)


@transaction.atomic
def add_member(*, actor: Actor, team: Team, user: User, role: Role) -> Membership:
    """Put a person into a team.

    Raises:
        Conflict: they are in it, or it is a personal team.
    """
    require(actor, TeamAction.MANAGE_MEMBERS, team)
    check_role(team, role)
    check_rank(actor, team, role, action=TeamAction.MANAGE_MEMBERS)
    if team.is_personal:
        raise Conflict(_("%(team)s is a personal entity and has only one member.") % {"team": team})
    if Membership.objects.filter(team=team, user=user).exists():
        raise Conflict(_("%(who)s is already a member of %(team)s.") % {"who": user, "team": team})
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


def require_a_team_admin(membership: Membership) -> None:
    """Refuse to lose the last admin (TEAM-5); the rows are locked until the transaction ends.

    The roles that count are those in the database: what the caller holds may have been read before a promotion.
    """
    admins = team_admins([membership.team])
    list(admins.select_for_update(of=("self",)))
    # asked again: the wait may have been for a place in the organization to change, whose rows are not locked here
    if list(admins.values_list("pk", flat=True)) == [membership.pk]:
        message = _("%(who)s is the last admin of %(team)s. Make another member an admin first.")
        raise Conflict(message % {"who": membership.user, "team": membership.team})


@transaction.atomic
def change_role(*, actor: Actor, membership: Membership, role: Role) -> Membership:
    """Give a member another role; the last admin keeps theirs (TEAM-5)."""
    team = membership.team
    require(actor, TeamAction.MANAGE_MEMBERS, team)
    check_role(team, role)
    check_rank(actor, team, membership.role, role, action=TeamAction.MANAGE_MEMBERS)
    if role.preset != Preset.ADMIN:
        require_a_team_admin(membership)
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
        after={"user": membership.user.username, "role": role.name},
    )
    send_rights_changed()
    return membership


def _take_out(actor: Actor, membership: Membership, action: str) -> None:
    team = membership.team
    require_a_team_admin(membership)
    record(
        actor,
        action,
        team,
        organization_id=team.organization_id,
        team_id=team.pk,
        before={"user": membership.user.username, "role": membership.role.name},
    )
    membership.delete()
    send_rights_changed()


@transaction.atomic
def remove_member(*, actor: Actor, membership: Membership) -> None:
    """Take a member out, who is told by mail; the runs they logged stay (TEAM-5).

    Raises:
        Conflict: they are the last admin, or a service account, which belongs to the team or is no more.
    """
    require(actor, TeamAction.MANAGE_MEMBERS, membership.team)
    if membership.user.is_service_account:
        message = _("%(who)s is a service account. Delete it under Service accounts.")
        raise Conflict(message % {"who": membership.user})
    check_rank(actor, membership.team, membership.role, action=TeamAction.MANAGE_MEMBERS)
    _take_out(actor, membership, "team.remove_member")
    if membership.user_id != actor.user_id:
        mail_removed(user=membership.user, place=membership.team.name, actor=actor)


@transaction.atomic
def leave_team(*, actor: Actor, team: Team) -> None:
    """Take oneself out of a team; the runs stay, and the last admin, too (TEAM-5).

    Raises:
        NotFound: the actor is not in it.
        Conflict: it is their personal entity, or they are its last admin.
    """
    membership = (
        Membership.objects.select_related("team", "user", "role")
        .filter(team=team, user=actor.lookup_id)
        .first()
    )
    if membership is None:
        raise NotFound(_("You are not in the team %(team)s.") % {"team": team})
    if team.is_personal:
        raise Conflict(_("%(team)s is a personal entity and has only one member.") % {"team": team})
    _take_out(actor, membership, "team.leave")
