"""Asking people into teams and organizations (TEAM-3): by address or username, with a role, answered by a mailed link.

What an inviter asked stays asked when they leave the team or may no longer invite: who may, takes it back.
"""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Manager, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import can, require
from accounts.models import User
from common.errors import Conflict, DomainError, Forbidden, Gone, Invalid, NotFound
from teams.access import OrganizationAction, TeamAction
from teams.invitations.mail import hash_of, mail_invitation
from teams.members.services import check_role, enter_organization, join
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
from teams.policy.seats import Seat, require_seat, seat_for
from teams.roles.builtin import base_of
from teams.roles.escalation import check_rank

SESSION_KEY = "invitation"
"""The token of the invitation that a browser opened before its person signed up."""
_PAUSE = timedelta(minutes=1)
"""Between two mails of a team to the same person, so that nobody fills a stranger's mailbox from here."""


def pending_invitations(actor: Actor, team: Team) -> QuerySet[Invitation]:
    """Return who is asked into the team and has not answered, to those who may invite."""
    rows = Invitation.objects.pending().filter(team=team).select_related("team", "user", "role", "base_role")
    return rows if can(actor, TeamAction.INVITE, team) else rows.none()


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


def _is_invited(email: str, user: User | None) -> Q:
    """Return the condition that a place in a team or organization is the invited one's."""
    of_address = EmailAddress.objects.filter(email=email, verified=True).values("user")
    return Q(user=user) if user else Q(user__in=of_address)


def _check_no_member(place: Team | Organization, who: Q, name: str) -> None:
    """Refuse whom the condition finds in the place."""
    if isinstance(place, Team):
        is_there = Membership.objects.filter(who, team=place).exists()
    else:
        is_there = OrganizationMember.objects.filter(who, organization=place).exists()
    if is_there:
        message = _("%(who)s is already a member of %(team)s.") % {"who": name, "team": place}
        raise _because("member", Conflict(message))


def _offer(actor: Actor, invitation: Invitation, role: Role) -> Invitation:
    """Save the invitation as this actor's, with a new end, and mail it after commit."""
    now, place = timezone.now(), {"team": invitation.team, "organization": invitation.organization}
    same = Invitation.objects.filter(email=invitation.email, user=invitation.user, **place)
    if same.filter(last_sent_at__gt=now - _PAUSE).exists():  # closed ones too: revoked and asked anew
        message = _("%(who)s was invited less than a minute ago; wait a moment before resending.")
        raise Conflict(message % {"who": invitation.addressee})
    _check_role(invitation, role)
    if invitation.team:
        check_rank(actor, invitation.team, role)
    _check_seat(invitation, role)
    invitation.role, invitation.base_role = role, base_of(role)
    invitation.invited_by = User.objects.filter(pk=actor.lookup_id).first()
    invitation.expires_at = now + timedelta(days=settings.INVITATION_DAYS)
    invitation.save()
    _record(actor, "invite", invitation)
    mail_invitation(invitation_id=invitation.pk)
    return invitation


def _check_role(invitation: Invitation, role: Role) -> None:
    """Refuse a role that nobody has in a place of this kind."""
    if invitation.team:
        check_role(invitation.team, role)
    elif role.level != RoleLevel.ORGANIZATION:
        raise Invalid(_("%(role)s is a team role, not an organization role.") % {"role": role})


def _check_seat(invitation: Invitation, role: Role) -> None:
    """Refuse at once whom accepting would refuse; an invitation keeps no seat, so accepting asks again.

    Raises:
        Conflict: they do not belong to the organization yet, and it has no seat left.
    """
    organization = invitation.home
    known = _is_invited(invitation.email, invitation.user)
    if organization and not OrganizationMember.objects.filter(known, organization=organization).exists():
        require_seat(organization, Seat.FULL if invitation.team else seat_for(role, ProductAccess.FULL))


def _record(actor: Actor, act: str, invitation: Invitation) -> None:
    """Write what was done, as an act on the team or on the organization."""
    told = {"invited": invitation.addressee, "role": invitation.granted_role.name}
    kind, home = "team" if invitation.team else "organization", invitation.home
    record(
        actor, f"{kind}.{act}", invitation.place, organization_id=home.pk if home else None,
        team_id=invitation.team_id, after=told,
    )  # fmt: skip


def _require(actor: Actor, invitation: Invitation, of_team: str) -> None:
    """Let pass who may do this with invitations to the team; with those to an organization its admins do everything."""
    if invitation.team:
        require(actor, of_team, invitation.team)
    else:
        require(actor, OrganizationAction.MANAGE_MEMBERS, invitation.place)


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
        raise Conflict(_("%(team)s is a personal entity and has only one member.") % {"team": team})
    invitation = _asked(team, email, username)
    if invitation.pk:
        check_rank(actor, team, invitation.granted_role)  # or a member would take an admin's invitation down
    return _offer(actor, invitation, role)


@transaction.atomic
def invite_to_organization(
    *, actor: Actor, organization: Organization, role: Role, email: str = "", username: str = ""
) -> Invitation:
    """Ask somebody into an organization without a team; who was asked already is sent the link again, with this role.

    Raises:
        Conflict: they belong to it, or the last mail is not a minute old, or no seat is left.
        Invalid: no address, no such user, or a role of teams.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    organization = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    return _offer(actor, _asked(organization, email, username), role)


def _asked(place: Team | Organization, email: str, username: str) -> Invitation:
    """Return the pending invitation of somebody to a place, a new one that is not saved where there is none."""
    address, user = _addressee(email.strip(), username.strip())
    _check_no_member(place, _is_invited(address, user), user.username if user else address)
    where: dict[str, Any] = {"team" if isinstance(place, Team) else "organization": place}
    found = Invitation.objects.pending().filter(email=address, user=user, **where).first()
    return found or Invitation(email=address, user=user, **where)


@transaction.atomic
def resend(*, actor: Actor, invitation: Invitation) -> Invitation:
    """Mail a pending invitation again: the link before ends, and the days begin anew."""
    _require(actor, invitation, TeamAction.INVITE)
    row = _locked(pk=invitation.pk)
    _check_pending(row)
    return _offer(actor, row, row.granted_role)


@transaction.atomic
def revoke(*, actor: Actor, invitation: Invitation) -> None:
    """Take an invitation back; its link ends at once."""
    _require(actor, invitation, TeamAction.MANAGE_MEMBERS)
    row = _locked(pk=invitation.pk)
    _check_pending(row)
    _close(row, InvitationState.REVOKED)
    _record(actor, "revoke_invitation", row)


def _because(reason: str, error: DomainError) -> DomainError:
    """Note why an invitation cannot be answered, for the page that says what to do."""
    error.detail = {"reason": reason}
    return error


def _locked(**which: Any) -> Invitation:
    """Return the invitation; its place and it are locked until the transaction ends, so it is answered once."""
    row = Invitation.objects.filter(**which).first()
    if row is not None:  # in the order of `invite`
        places: Manager[Any] = Team.objects if row.team_id else Organization.objects
        list(places.select_for_update(no_key=True).filter(pk=row.team_id or row.organization_id))
    return _found(Invitation.objects.select_for_update(of=("self",)).filter(**which))


def _found(rows: QuerySet[Invitation]) -> Invitation:
    row = rows.select_related(
        "team__organization", "organization", "user", "role", "base_role", "invited_by"
    ).first()
    if row is None:
        message = _(
            "This invitation doesn’t exist. A newer email may have replaced it, or the team was deleted. "
            "Ask for a new invitation."
        )
        raise _because("unknown", NotFound(message))
    return row


def _close(invitation: Invitation, state: InvitationState) -> None:
    invitation.state, invitation.closed_at = state, timezone.now()
    invitation.save(update_fields=["state", "closed_at", "updated_at"])


def _check_pending(invitation: Invitation) -> None:
    """Refuse one that was answered or taken back."""
    names = {"team": invitation.place}
    if invitation.state == InvitationState.ACCEPTED:
        raise _because("accepted", Conflict(_("This invitation to %(team)s was already accepted.") % names))
    if invitation.state == InvitationState.DECLINED:
        message = _("This invitation to %(team)s was declined. Ask for a new one.")
        raise _because("declined", Gone(message % names))
    if invitation.state == InvitationState.REVOKED:
        raise _because("revoked", Gone(_("This invitation to %(team)s was revoked.") % names))


def _check_open(invitation: Invitation) -> None:
    """Refuse one that can no longer be answered."""
    _check_pending(invitation)
    if invitation.is_expired:
        names = {"team": invitation.place}
        message = _("This invitation to %(team)s has expired. Ask for a new one.")
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
        message = _("This invitation is for %(who)s, but you are signed in as %(you)s.")
        raise _because("other_account", Forbidden(message % names))
    _check_no_member(invitation.place, Q(user=actor.lookup_id), actor.name)


def _check_owns_address(actor: Actor, email: str) -> None:
    names = {"email": email, "you": actor.name}
    owners = dict(EmailAddress.objects.filter(email=email).values_list("user_id", "verified"))
    if owners.get(actor.lookup_id):
        return
    if actor.user_id in owners:
        message = _("Confirm your address %(email)s first, then open this invitation again.")
        raise _because("unconfirmed", Forbidden(message % names))
    if any(owners.values()):
        message = _(
            "This invitation is for %(email)s, which belongs to a different account than %(you)s. Sign "
            "in with that account."
        )
        raise _because("other_account", Forbidden(message % names))
    message = _(
        "This invitation is for %(email)s, which isn’t an address of %(you)s. Add it to this account and "
        "confirm it, or sign out and sign up with it."
    )
    raise _because("other_address", Forbidden(message % names))


@transaction.atomic
def accept(*, actor: Actor, token: str = "", number: int = 0) -> Membership | OrganizationMember:
    """Join the team or organization as the invited one, by the mailed link or, signed in, by the invitation's number.

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
        place = _join(invitation, user)
    except Conflict as error:  # no seat is left
        raise _because("seats", error) from error
    _close(invitation, InvitationState.ACCEPTED)
    _record(actor, "accept_invitation", invitation)
    return place


def _join(invitation: Invitation, user: User) -> Membership | OrganizationMember:
    """Put the invited one where they were asked to."""
    role = invitation.granted_role
    if invitation.team:
        return join(team=invitation.team, user=user, role=role)
    organization = invitation.place
    assert isinstance(organization, Organization)  # noqa: S101 - for the type checker
    return enter_organization(organization=organization, user=user, role=role)


@transaction.atomic
def decline(*, actor: Actor, token: str = "", number: int = 0) -> Invitation:
    """Answer no; whoever has the link may, so that nobody makes an account only to decline."""
    invitation = _locked_for(actor, token, number)
    _close(invitation, InvitationState.DECLINED)
    _record(actor, "decline_invitation", invitation)
    return invitation


def _check_plan(invitation: Invitation) -> None:
    """Refuse a role that was offered when the plan still had it."""
    try:
        _check_role(invitation, invitation.granted_role)
    except Conflict as error:
        message = _("%(reason)s Ask for an invitation with another role.") % {"reason": error.message}
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
    places = ("team__organization", "team__claim", "organization__claim")
    return rows.select_related(*places).order_by("-pk")


def invited_address(request: HttpRequest) -> str:
    """Return the address whose invitation this browser has opened and that can still be accepted, or ""."""
    token = request.session.get(SESSION_KEY)
    if not token:
        return ""
    row = (
        Invitation.objects.pending().filter(token_hash=hash_of(token), expires_at__gt=timezone.now()).first()
    )
    return row.email if row else ""
