"""Asking people into teams (TEAM-3): by address or username, with a role, answered by a mailed link.

What an inviter asked stays asked when they leave the team or may no longer invite: who may, takes it back.
"""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit import record
from access.engine import can, require
from accounts.models import User
from common.errors import Conflict, DomainError, Forbidden, Gone, Invalid, NotFound
from teams.access import TeamAction
from teams.mail import hash_of, mail_invitation
from teams.models import (
    Invitation,
    InvitationState,
    Membership,
    OrganizationMember,
    Role,
    Team,
)
from teams.rank import check_rank
from teams.roles import base_of
from teams.seats import Seat, require_seat
from teams.services import check_role, join

SESSION_KEY = "invitation"
"""The token of the invitation that a browser opened before its person signed up."""
_PAUSE = timedelta(minutes=1)
"""Between two mails of a team to the same person, so that nobody fills a stranger's mailbox from here."""


def pending_invitations(actor: Actor, team: Team) -> QuerySet[Invitation]:
    """Return who is asked into the team and has not answered, to those who may invite."""
    rows = Invitation.objects.pending().filter(team=team).select_related("team", "user", "role", "base_role")
    return rows if can(actor, TeamAction.INVITE, team) else rows.none()


def _addressee(email: str, username: str) -> dict[str, str | User | None]:
    """Return the columns that say who is invited."""
    if bool(email) == bool(username):
        raise Invalid(_("Invite somebody by an email address or by a username, one of the two."))
    if email:
        try:
            Invitation._meta.get_field("email").run_validators(email)
        except ValidationError:
            raise Invalid(_("%(email)s is not an email address.") % {"email": repr(email[:80])}) from None
        return {"email": email.lower(), "user": None}
    user = User.objects.filter(username__iexact=username, is_active=True).first()
    if user is None:
        # no 404, on which SDKs up to 0.16 raise where they answer False otherwise
        raise Invalid(_("There is no user %(name)s.") % {"name": repr(username[:80])})
    if user.is_service_account:
        raise Invalid(_("%(name)s is a service account; programs are not invited.") % {"name": user})
    return {"email": "", "user": user}


def _check_no_member(team: Team, email: str, user: User | None) -> None:
    of_address = EmailAddress.objects.filter(email=email, verified=True).values("user")
    known = Q(user=user) if user else Q(user__in=of_address)
    if Membership.objects.filter(known, team=team).exists():
        raise Conflict(_member_already(team, user.username if user else email))


def _member_already(team: Team, who: str) -> str:
    return _("%(who)s is a member of %(team)s already.") % {"who": who, "team": team}


def _offer(actor: Actor, invitation: Invitation, role: Role) -> Invitation:
    """Save the invitation as this actor's, with a new end, and mail it after commit."""
    team, now = invitation.team, timezone.now()
    same = Invitation.objects.filter(team=team, email=invitation.email, user=invitation.user)
    if same.filter(last_sent_at__gt=now - _PAUSE).exists():  # closed ones too: revoked and asked anew
        message = _("%(who)s was invited less than a minute ago; wait a little before sending it again.")
        raise Conflict(message % {"who": invitation.addressee})
    check_role(team, role)
    check_rank(actor, team, role)
    _check_seat(invitation)
    invitation.role, invitation.base_role = role, base_of(role)
    invitation.invited_by = User.objects.filter(pk=actor.lookup_id).first()
    invitation.expires_at = now + timedelta(days=settings.INVITATION_DAYS)
    invitation.save()
    _record(actor, TeamAction.INVITE, invitation)
    mail_invitation(invitation_id=invitation.pk)
    return invitation


def _check_seat(invitation: Invitation) -> None:
    """Refuse at once whom accepting would refuse; an invitation keeps no seat, so accepting asks again.

    Raises:
        Conflict: they do not belong to the organization yet, and it has no seat left.
    """
    organization, email = invitation.team.organization, invitation.email
    if organization is None:
        return
    of_address = EmailAddress.objects.filter(email=email, verified=True).values("user")
    known = Q(user=invitation.user) if invitation.user else Q(user__in=of_address)
    if not OrganizationMember.objects.filter(known, organization=organization).exists():
        require_seat(organization, Seat.FULL)


def _record(actor: Actor, action: str, invitation: Invitation) -> None:
    told = {"invited": invitation.addressee, "role": invitation.granted_role.name}
    team = invitation.team
    record(actor, action, team, organization_id=team.organization_id, team_id=team.pk, after=told)


@transaction.atomic
def invite(*, actor: Actor, team: Team, role: Role, email: str = "", username: str = "") -> Invitation:
    """Ask somebody into a team; who was asked already is sent the link again, with this role.

    Raises:
        Conflict: they are a member, or it is a personal team, or the last mail is not a minute old, or no seat is left.
        Forbidden: the role is above the inviter's own.
        Invalid: no address, no such user, or a role of elsewhere.
    """
    require(actor, TeamAction.INVITE, team)
    # two who invite the same person make one row
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.is_personal:
        raise Conflict(_("%(team)s is a personal entity; it has one member.") % {"team": team})
    who = _addressee(email.strip(), username.strip())
    _check_no_member(team, **who)  # type: ignore[arg-type]  # the two columns by name
    invitation = Invitation.objects.pending().filter(**who, team=team).first()
    if invitation is None:
        return _offer(actor, Invitation(team=team, **who), role)
    check_rank(actor, team, invitation.granted_role)  # or a member would take an admin's invitation down
    return _offer(actor, invitation, role)


@transaction.atomic
def resend(*, actor: Actor, invitation: Invitation) -> Invitation:
    """Mail a pending invitation again: the link before ends, and the days begin anew."""
    require(actor, TeamAction.INVITE, invitation.team)
    row = _locked(pk=invitation.pk)
    _check_pending(row)
    return _offer(actor, row, row.granted_role)


@transaction.atomic
def revoke(*, actor: Actor, invitation: Invitation) -> None:
    """Take an invitation back; its link ends at once."""
    require(actor, TeamAction.MANAGE_MEMBERS, invitation.team)
    row = _locked(pk=invitation.pk)
    _check_pending(row)
    _close(row, InvitationState.REVOKED)
    _record(actor, "team.revoke_invitation", row)


def _because(reason: str, error: DomainError) -> DomainError:
    """Note why an invitation cannot be answered, for the page that says what to do."""
    error.detail = {"reason": reason}
    return error


def _locked(**which: Any) -> Invitation:
    """Return the invitation; it and its team are locked until the transaction ends, so it is answered once."""
    return _found(Invitation.objects.select_for_update(of=("self", "team")).filter(**which))


def _found(rows: QuerySet[Invitation]) -> Invitation:
    row = rows.select_related("team", "user", "role", "base_role", "invited_by").first()
    if row is None:
        message = _(
            "This link leads to no invitation. Perhaps a newer mail replaced it, or the team is gone: ask to be"
            " invited again."
        )
        raise _because("unknown", NotFound(message))
    return row


def _close(invitation: Invitation, state: InvitationState) -> None:
    invitation.state, invitation.closed_at = state, timezone.now()
    invitation.save(update_fields=["state", "closed_at", "updated_at"])


def _check_pending(invitation: Invitation) -> None:
    """Refuse one that was answered or taken back."""
    names = {"team": invitation.team}
    if invitation.state == InvitationState.ACCEPTED:
        raise _because("accepted", Conflict(_("This invitation to %(team)s was accepted already.") % names))
    if invitation.state == InvitationState.DECLINED:
        message = _("This invitation to %(team)s was declined. Ask to be invited again.")
        raise _because("declined", Gone(message % names))
    if invitation.state == InvitationState.REVOKED:
        raise _because("revoked", Gone(_("This invitation to %(team)s was taken back.") % names))


def _check_open(invitation: Invitation) -> None:
    """Refuse one that can no longer be answered."""
    _check_pending(invitation)
    if invitation.is_expired:
        names = {"team": invitation.team}
        message = _("This invitation to %(team)s has expired. Ask to be invited again.")
        raise _because("expired", Gone(message % names))


def inviter_of(token: str) -> str:
    """Return who sent the invitation of a mailed link last, whose name its page tells too; "" where nobody knows."""
    row = Invitation.objects.filter(token_hash=hash_of(token), invited_by__is_active=True).first()
    return row.invited_by.username if row and row.invited_by else ""


def open_invitation(token: str) -> Invitation:
    """Return the invitation of a mailed link.

    Raises:
        NotFound: there is none with this token, or its team is gone.
        Conflict: it was accepted.
        Gone: it was declined or revoked, or it has expired.
    """
    row = _found(Invitation.objects.filter(token_hash=hash_of(token)))
    _check_open(row)
    return row


def check_invited(actor: Actor, invitation: Invitation) -> None:
    """Refuse everybody but the invited: the user, or who has shown that the invited address is theirs.

    Raises:
        Forbidden: the message says as whom to sign in, or what to do first.
        Conflict: they are a member.
    """
    if actor.user_id is None:
        who = {"who": invitation.addressee}
        message = _("Sign in or sign up as %(who)s to accept this invitation.")
        raise _because("sign_in", Forbidden(message % who))
    if invitation.user_id is None:
        _check_owns_address(actor, invitation.email)
    elif invitation.user_id != actor.user_id:
        names = {"who": invitation.addressee, "you": actor.name}
        message = _("This invitation is for the user %(who)s, and you are signed in as %(you)s.")
        raise _because("other_account", Forbidden(message % names))
    if Membership.objects.filter(team=invitation.team, user_id=actor.user_id).exists():
        raise _because("member", Conflict(_member_already(invitation.team, actor.name)))


def _check_owns_address(actor: Actor, email: str) -> None:
    names = {"email": email, "you": actor.name}
    owners = dict(EmailAddress.objects.filter(email=email).values_list("user_id", "verified"))
    if owners.get(actor.lookup_id):
        return
    if actor.user_id in owners:
        message = _("First confirm that %(email)s is yours; then open this invitation again.")
        raise _because("unconfirmed", Forbidden(message % names))
    if any(owners.values()):
        message = _(
            "This invitation is for %(email)s, which belongs to another account than %(you)s. Sign in with that one."
        )
        raise _because("other_account", Forbidden(message % names))
    message = _(
        "This invitation is for %(email)s, which is no address of %(you)s. Add it to this account and confirm it, or"
        " sign out and sign up with it."
    )
    raise _because("other_address", Forbidden(message % names))


@transaction.atomic
def accept(*, actor: Actor, token: str = "", number: int = 0) -> Membership:
    """Join the team as the invited one, by the mailed link or, signed in, by the invitation's number.

    Raises:
        Forbidden: somebody else asks, see `check_invited`.
        Conflict: the organization has no seat left; the invitation stays.
        NotFound, Conflict, Gone: see `open_invitation`.
    """
    invitation = _locked_for(actor, token, number)
    check_invited(actor, invitation)
    user = User.objects.get(pk=actor.lookup_id)
    _check_plan(invitation)
    try:
        membership = join(team=invitation.team, user=user, role=invitation.granted_role)
    except Conflict as error:  # no seat is left
        raise _because("seats", error) from error
    _close(invitation, InvitationState.ACCEPTED)
    _record(actor, "team.accept_invitation", invitation)
    return membership


@transaction.atomic
def decline(*, actor: Actor, token: str = "", number: int = 0) -> Invitation:
    """Answer no; whoever has the link may, so that nobody makes an account only to decline."""
    invitation = _locked_for(actor, token, number)
    _close(invitation, InvitationState.DECLINED)
    _record(actor, "team.decline_invitation", invitation)
    return invitation


def _check_plan(invitation: Invitation) -> None:
    """Refuse a role that was offered when the plan still had it."""
    try:
        check_role(invitation.team, invitation.granted_role)
    except Conflict as error:
        message = _("%(reason)s Ask to be invited with another role.") % {"reason": error.message}
        raise _because("plan", Conflict(message)) from error


def _locked_for(actor: Actor, token: str, number: int) -> Invitation:
    """Return what is to be answered: whose link it is, or who is known to be the invited, names it by number."""
    if token:
        invitation = _locked(token_hash=hash_of(token))
    else:
        invitation = _locked(pk__in=invitations_for(actor).filter(pk=number).values("pk"))
    _check_open(invitation)
    return invitation


def invitations_for(actor: Actor) -> QuerySet[Invitation]:
    """Return what the actor is invited to and has not answered: by name, or by an address known to be theirs."""
    user = User.objects.filter(pk=actor.lookup_id).first()
    if user is None:
        return Invitation.objects.none()
    rows = Invitation.objects.pending_for(user).select_related(
        "user", "role", "base_role", "invited_by__claim"
    )
    return rows.select_related("team__organization", "team__claim").order_by("-pk")


def invited_address(request: HttpRequest) -> str:
    """Return the address whose invitation this browser has opened and that can still be accepted, or ""."""
    token = request.session.get(SESSION_KEY)
    if not token:
        return ""
    row = (
        Invitation.objects.pending().filter(token_hash=hash_of(token), expires_at__gt=timezone.now()).first()
    )
    return row.email if row else ""
