"""Inviting people to teams and organizations (TEAM-3): by address or username, with a role, answered by a mailed link.

An invitation stays when its inviter leaves the team or may no longer invite; whoever may invite can revoke it.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from accounts.models import User
from common.errors import Conflict, Invalid
from teams.access import OrganizationAction, TeamAction
from teams.invitations.mail import mail_invitation
from teams.invitations.steps import (
    check_no_member,
    check_pending,
    check_role_fits,
    close,
    is_invited,
    lock_invitation,
    record_step,
)
from teams.models import (
    Invitation,
    InvitationState,
    Organization,
    OrganizationMember,
    ProductAccess,
    Role,
    Team,
)
from teams.plan_policy import Seat, require_seat, seat_for
from teams.roles.builtin import base_of
from teams.roles.escalation import check_rank

_PAUSE = timedelta(minutes=1)
"""Between two mails of a team to the same person, so that nobody fills a stranger's mailbox from here."""


def _addressee(email: str, username: str) -> tuple[str, User | None]:
    """Return who is invited: an address, or "" and a user."""
    if bool(email) == bool(username):
        raise Invalid(_("Invite someone by either email address or username."))
    if email:
        try:
            Invitation._meta.get_field("email").run_validators(email)
        except ValidationError:
            raise Invalid(_("“%(email)s” isn’t a valid email address.") % {"email": email[:80]}) from None
        return email.lower(), None
    user = User.objects.filter(username__iexact=username, is_active=True).first()
    if user is None:
        # no 404, on which SDKs up to 0.16 raise where they answer False otherwise
        raise Invalid(_("User “%(name)s” doesn’t exist.") % {"name": username[:80]})
    if user.is_service_account:
        raise Invalid(
            _("%(name)s is a service account; service accounts cannot be invited.") % {"name": user}
        )
    return "", user


def _send(actor: Actor, invitation: Invitation, role: Role) -> Invitation:
    """Save the invitation as this actor's, with a new end, and mail it after commit."""
    now, place = timezone.now(), {"team": invitation.team, "organization": invitation.organization}
    same = Invitation.objects.filter(email=invitation.email, user=invitation.user, **place)
    if same.filter(last_sent_at__gt=now - _PAUSE).exists():  # closed ones too: revoked and asked anew
        message = _("%(who)s was invited less than a minute ago; wait a moment before resending.")
        raise Conflict(message % {"who": invitation.addressee})
    check_role_fits(invitation, role)
    if invitation.team:
        check_rank(actor, invitation.team, role)
    _check_seat(invitation, role)
    invitation.role, invitation.base_role = role, base_of(role)
    invitation.invited_by = User.objects.filter(pk=actor.lookup_id).first()
    invitation.expires_at = now + timedelta(days=settings.INVITATION_DAYS)
    invitation.save()
    record_step(actor, "invite", invitation)
    mail_invitation(invitation_id=invitation.pk)
    return invitation


def _check_seat(invitation: Invitation, role: Role) -> None:
    """Refuse those whom accepting would refuse; an invitation reserves no seat, so accepting checks again.

    Raises:
        Conflict: they do not belong to the organization yet, and it has no seat left.
    """
    organization = invitation.home
    known = is_invited(invitation.email, invitation.user)
    if organization and not OrganizationMember.objects.filter(known, organization=organization).exists():
        require_seat(organization, Seat.FULL if invitation.team else seat_for(role, ProductAccess.FULL))


def _require(actor: Actor, invitation: Invitation, of_team: str) -> None:
    """Let pass who may do this with invitations to the team; with those to an organization its admins do everything."""
    if invitation.team:
        require(actor, of_team, invitation.team)
    else:
        require(actor, OrganizationAction.MANAGE_MEMBERS, invitation.place)


@transaction.atomic
def invite(*, actor: Actor, team: Team, role: Role, email: str = "", username: str = "") -> Invitation:
    """Invite somebody to a team; a pending invitation is sent again, with this role.

    Raises:
        Conflict: they are a member, or it is a personal team, or the last mail is not a minute old, or no seat is left.
        Forbidden: the role is above the inviter's own.
        Invalid: no address, no such user, or a role of elsewhere.
    """
    require(actor, TeamAction.INVITE, team)
    # two who invite the same person make one row
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.is_personal:
        raise Conflict(_("%(team)s is a personal entity and has only one member.") % {"team": team})
    invitation = _pending_or_new(team, email, username)
    if invitation.pk:
        check_rank(actor, team, invitation.granted_role)  # or a member would take an admin's invitation down
    return _send(actor, invitation, role)


@transaction.atomic
def invite_to_organization(
    *, actor: Actor, organization: Organization, role: Role, email: str = "", username: str = ""
) -> Invitation:
    """Invite somebody to an organization without a team; a pending invitation is sent again, with this role.

    Raises:
        Conflict: they belong to it, or the last mail is not a minute old, or no seat is left.
        Invalid: no address, no such user, or a role of teams.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    organization = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    return _send(actor, _pending_or_new(organization, email, username), role)


def _pending_or_new(place: Team | Organization, email: str, username: str) -> Invitation:
    """Return somebody's pending invitation to a team or organization, or a new one that is not saved."""
    address, user = _addressee(email.strip(), username.strip())
    check_no_member(place, is_invited(address, user), user.username if user else address)
    where: dict[str, Any] = {"team" if isinstance(place, Team) else "organization": place}
    found = Invitation.objects.pending().filter(email=address, user=user, **where).first()
    return found or Invitation(email=address, user=user, **where)


@transaction.atomic
def resend_invitation(*, actor: Actor, invitation: Invitation) -> Invitation:
    """Mail a pending invitation again with a new link and a new end; the previous link stops working."""
    _require(actor, invitation, TeamAction.INVITE)
    row = lock_invitation(pk=invitation.pk)
    check_pending(row)
    return _send(actor, row, row.granted_role)


@transaction.atomic
def revoke_invitation(*, actor: Actor, invitation: Invitation) -> None:
    """Take an invitation back; its link ends at once."""
    _require(actor, invitation, TeamAction.MANAGE_MEMBERS)
    row = lock_invitation(pk=invitation.pk)
    check_pending(row)
    close(row, InvitationState.REVOKED)
    record_step(actor, "revoke_invitation", row)
