"""What operators do to accounts in the admin: name operators, help those who are locked out, end sessions (TEAM-21)."""

from functools import partial

from allauth.account.forms import default_token_generator
from allauth.account.internal.flows.password_reset import request_password_reset
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from access.web.requests import actor_of
from accounts.access import AccountAction
from accounts.credentials import address_claims
from accounts.credentials.sessions import end_session as end_session_of
from accounts.mail import sending
from accounts.models import User, UserKind
from common.errors import Conflict


def require_another_operator(user: User) -> None:
    """Refuse to lose the last operator who can sign in; the rows are locked until the transaction ends.

    Raises:
        Conflict: nobody could open the admin any more.
    """
    rows = User.objects.select_for_update(no_key=True).filter(is_operator=True, is_active=True)
    if [row.pk for row in rows] == [user.pk]:
        raise Conflict(_("%(name)s is the last operator. Appoint another operator first.") % {"name": user})


@transaction.atomic
def set_operator(*, actor: Actor, user: User, is_operator: bool) -> None:
    """Make somebody an operator of the installation, or no longer one.

    Raises:
        Conflict: a program, an account that is switched off, or the last operator.
    """
    require(actor, AccountAction.ADMINISTER, user)
    if is_operator and (user.kind != UserKind.PERSON or not user.is_active):
        raise Conflict(_("Only a person with an active account can be an operator."))
    if not is_operator:
        require_another_operator(user)
    before, user.is_operator = user.is_operator, is_operator
    user.save(update_fields=["is_operator", "updated_at"])
    record(actor, "account.set_operator", user, before={"operator": before}, after={"operator": is_operator})
    transaction.on_commit(partial(rights_changed.send, User))


def _end_sessions(user: User) -> int:
    sessions = list(UserSession.objects.filter(user=user))
    for session in sessions:
        end_session_of(session)
    return len(sessions)


def remove_address(*, actor: Actor, address: EmailAddress) -> None:
    """Take an address that was never verified from its account."""
    require(actor, AccountAction.ADMINISTER, address.user)
    address_claims.release([address], f"removed by {actor.name}")


@transaction.atomic
def end_sessions(*, actor: Actor, user: User) -> int:
    """Sign somebody out of every browser; returns of how many. Their API keys go on working."""
    require(actor, AccountAction.ADMINISTER, user)
    count = _end_sessions(user)
    record(actor, "session.end", user, after={"count": count})
    return count


@transaction.atomic
def reset_second_factors(*, actor: Actor, user: User) -> int:
    """Take all second factors from somebody who lost them, and sign them out; returns how many there were.

    Raises:
        Conflict: one's own, which the settings remove; or there are none.
    """
    require(actor, AccountAction.ADMINISTER, user)
    if user.pk == actor.user_id:
        raise Conflict(_("These are your own second factors; remove them in your settings."))
    factors = Authenticator.objects.filter(user=user)
    kinds = sorted(factors.values_list("type", flat=True))
    if not kinds:
        raise Conflict(_("%(name)s has no second factors.") % {"name": user})
    factors.delete()
    _end_sessions(user)
    record(actor, "second_factor.reset_all", user, before={"types": kinds})
    sending.send("accounts/email/factors_reset", user)
    return len(kinds)


def send_password_reset(*, request: HttpRequest, user: User) -> None:
    """Mail somebody the link by which they choose a new password.

    Raises:
        Conflict: there is no verified address, or the account is switched off.
    """
    actor = actor_of(request)
    require(actor, AccountAction.ADMINISTER, user)
    if not user.is_active or not user.email:
        raise Conflict(_("%(name)s has no email address or is deactivated.") % {"name": user})
    if not address_claims.can_mail(user, user.email):
        raise Conflict(_("%(email)s is not verified. Mark it as verified first.") % {"email": user.email})
    with transaction.atomic():
        record(actor, "password.send_reset", user, after={"to": user.email})
        request_password_reset(request, user.email, [user], default_token_generator)


@transaction.atomic
def verify_address(*, actor: Actor, address: EmailAddress) -> None:
    """Take an address for verified, on the operator's word.

    Raises:
        Conflict: it is somebody else's verified address.
    """
    require(actor, AccountAction.ADMINISTER, address.user)
    address.verified = True
    try:
        with transaction.atomic():
            address.save(update_fields=["verified"])
    except IntegrityError:
        names = {"email": address.email}
        raise Conflict(_("%(email)s is verified as the address of another account.") % names) from None
    record(actor, "email.verify", address.user, after={"email": address.email})


@transaction.atomic
def end_session(*, actor: Actor, session: UserSession) -> None:
    """Sign somebody out of one browser."""
    require(actor, AccountAction.ADMINISTER, session.user)
    record(actor, "session.end", session.user, after={"count": 1})
    end_session_of(session)
