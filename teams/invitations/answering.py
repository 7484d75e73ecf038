"""Accepting and declining invitations, by the mailed link or as the signed-in person who is invited."""

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from access.actor import Actor
from accounts.credentials import address_claims
from accounts.models import User
from common.errors import Conflict, Forbidden, Gone
from teams.invitations.mail import hashes_of
from teams.invitations.selectors import invitations_for
from teams.invitations.steps import (
    check_no_member,
    check_pending,
    check_role_fits,
    close,
    found_invitation,
    lock_invitation,
    record_step,
    with_reason,
)
from teams.members.services import enter_organization, join
from teams.models import Invitation, InvitationState, Membership, Organization, OrganizationMember


def _check_open(invitation: Invitation) -> None:
    """Refuse one that can no longer be answered."""
    check_pending(invitation)
    if invitation.is_expired:
        names = {"team": invitation.place}
        message = _("This invitation to %(team)s has expired. Ask for a new one.")
        raise with_reason("expired", Gone(message % names))


def invitation_of_link(token: str) -> Invitation:
    """Return the invitation of a mailed link.

    Raises:
        NotFound: there is none with this token, or its team is gone.
        Conflict: it was accepted.
        Gone: it was declined or revoked, or it has expired.
    """
    row = found_invitation(Invitation.objects.filter(token_hash__in=hashes_of(token)))
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
        raise with_reason("sign_in", Forbidden(message % who))
    if invitation.user_id is None:
        _check_owns_address(actor, invitation.email)
    elif invitation.user_id != actor.user_id:
        names = {"who": invitation.addressee, "you": actor.name}
        message = _("This invitation is for %(who)s, but you are signed in as %(you)s.")
        raise with_reason("other_account", Forbidden(message % names))
    check_no_member(invitation.place, Q(user=actor.lookup_id), actor.name)


def _check_owns_address(actor: Actor, email: str) -> None:
    names = {"email": email, "you": actor.name}
    owner = address_claims.owner_of(email)
    if owner is not None and owner.pk == actor.lookup_id:
        return
    if address_claims.unproven([email]).filter(user=actor.user_id).exists():
        message = _("Verify your address %(email)s first, then open this invitation again.")
        raise with_reason("unconfirmed", Forbidden(message % names))
    if owner is not None:
        message = _(
            "This invitation is for %(email)s, which belongs to a different account than %(you)s. Sign "
            "in with that account."
        )
        raise with_reason("other_account", Forbidden(message % names))
    message = _(
        "This invitation is for %(email)s, which isn’t an address of %(you)s. Add it to this account and verify "
        "it, or sign out and sign up with it."
    )
    raise with_reason("other_address", Forbidden(message % names))


@transaction.atomic
def accept_invitation(*, actor: Actor, token: str = "", number: int = 0) -> Membership | OrganizationMember:
    """Join the team or organization as the invited one, by the mailed link or, signed in, by the invitation's number.

    Raises:
        Forbidden: somebody else asks, see `check_invited`.
        Conflict: the organization has no seat left; the invitation stays.
        NotFound, Conflict, Gone: see `invitation_of_link`.
    """
    invitation = _locked_for(actor, token, number)
    check_invited(actor, invitation)
    user = User.objects.get(pk=actor.lookup_id)
    _check_plan(invitation)
    try:
        place = _join(invitation, user)
    except Conflict as error:  # no seat is left
        raise with_reason("seats", error) from error
    close(invitation, InvitationState.ACCEPTED)
    record_step(actor, "accept_invitation", invitation)
    return place


def _join(invitation: Invitation, user: User) -> Membership | OrganizationMember:
    """Let the invited person join."""
    role = invitation.granted_role
    if invitation.team:
        return join(team=invitation.team, user=user, role=role)
    organization = invitation.place
    assert isinstance(organization, Organization)  # noqa: S101 - for the type checker
    return enter_organization(organization=organization, user=user, role=role)


@transaction.atomic
def decline_invitation(*, actor: Actor, token: str = "", number: int = 0) -> Invitation:
    """Answer no; whoever has the link may, so that nobody makes an account only to decline."""
    invitation = _locked_for(actor, token, number)
    close(invitation, InvitationState.DECLINED)
    record_step(actor, "decline_invitation", invitation)
    return invitation


def _check_plan(invitation: Invitation) -> None:
    """Refuse a role that was offered when the plan still had it."""
    try:
        check_role_fits(invitation, invitation.granted_role)
    except Conflict as error:
        message = _("%(reason)s Ask for an invitation with another role.") % {"reason": error.message}
        raise with_reason("plan", Conflict(message)) from error


def _locked_for(actor: Actor, token: str, number: int) -> Invitation:
    """Return what is to be answered: whose link it is, or who is known to be the invited, names it by number."""
    if token:
        invitation = lock_invitation(token_hash__in=hashes_of(token))
    else:
        invitation = lock_invitation(pk__in=invitations_for(actor).filter(pk=number).values("pk"))
    _check_open(invitation)
    return invitation
