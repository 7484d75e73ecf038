"""What changes people and names."""

from functools import partial

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.access import AccountAction
from accounts.credentials import address_claims
from accounts.lifecycle.administration import require_another_operator
from accounts.lifecycle.names import check_name
from accounts.membership_policy import membership_policy
from accounts.models import Name, User, UserKind
from common.errors import Conflict


def is_taken(name: str) -> bool:
    """Whether a user, team or organization has, or had, the name."""
    return Name.objects.filter(text__iexact=name).exists()


def claim_name(name: str) -> Name:
    """Take a name of the one name space; call inside the transaction that makes its owner.

    Raises:
        Invalid: it may not be taken by anybody.
        Conflict: it is taken.
    """
    check_name(name)
    try:
        with transaction.atomic():
            return Name.objects.create(text=name)
    except IntegrityError:
        raise Conflict(
            _("The name “%(name)s” is taken by another user, team or organization.") % {"name": name}
        ) from None


@transaction.atomic
def add_user(*, user: User) -> User:
    """Save a new user object: claim its name, save, give it a personal team."""
    user.claim = claim_name(user.username)
    user.save()
    membership_policy().user_created(user)
    return user


@transaction.atomic
def create_user(
    *,
    actor: Actor,
    username: str,
    email: str,
    password: str | None = None,
    is_operator: bool = False,
    is_verified: bool = True,
) -> User:
    """Make a person; without a password they sign in by a reset mail.

    Raises:
        Conflict: the name is taken, or the address belongs to somebody.
    """
    if address_claims.is_taken(email):
        raise Conflict(_("The email address %(email)s belongs to another account.") % {"email": email})
    user = User(username=username, email=email, is_operator=is_operator)
    user.set_password(password)
    add_user(user=user)
    EmailAddress.objects.create(user=user, email=email.lower(), primary=True, verified=is_verified)
    record(actor, "user.create", user, after={"username": username, "operator": is_operator})
    return user


@transaction.atomic
def create_service_user(*, username: str, display_name: str) -> User:
    """Make the user row of a service account: no password, no email; `teams` decides who may."""
    user = User(username=username, display_name=display_name, kind=UserKind.SERVICE)
    user.set_unusable_password()
    return add_user(user=user)


@transaction.atomic
def set_active(*, actor: Actor, user: User, is_active: bool) -> None:
    """Switch an account on or off; off ends sign-in and keys immediately, runs stay.

    Raises:
        Conflict: somebody would switch themselves off.
    """
    require(actor, AccountAction.SET_ACTIVE, user)
    switch_account(actor=actor, user=user, is_active=is_active)


@transaction.atomic
def switch_account(*, actor: Actor, user: User, is_active: bool) -> None:
    """Switch an account on or off; the caller has checked that the actor may. Raises as `set_active`."""
    if user.pk == actor.user_id:
        raise Conflict(_("You cannot deactivate your own account."))
    if not is_active and user.is_operator:
        require_another_operator(user)
    if user.deleted_at is not None:
        raise Conflict(_("The account %(name)s is deleted; that cannot be undone.") % {"name": user})
    user.is_active = is_active
    user.save(update_fields=["is_active", "updated_at"])
    record(actor, AccountAction.SET_ACTIVE, user, after={"active": is_active})
    transaction.on_commit(partial(rights_changed.send, User))
