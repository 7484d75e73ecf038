"""What changes people, names and keys."""

from collections.abc import Collection
from datetime import datetime
from functools import partial

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction

from access.actions import spec_of
from access.actor import Actor
from access.audit import record
from access.engine import require
from access.signals import rights_changed
from accounts import keys
from accounts.access import AccountAction
from accounts.models import ApiKey, Name, User, UserKind
from accounts.names import check_name
from accounts.signals import run_new_user_hooks
from common.errors import Conflict, Forbidden, Invalid

MAX_KEYS = 1000


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
        raise Conflict(f"The name {name!r} is taken by another user, team or organization.") from None


@transaction.atomic
def add_user(*, user: User) -> User:
    """Save a new user object: claim its name, save, run the hooks (its personal team)."""
    user.claim = claim_name(user.username)
    user.save()
    run_new_user_hooks(user)
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
    if EmailAddress.objects.filter(email__iexact=email).exists():
        raise Conflict(f"The email address {email} belongs to another account.")
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
    """Switch an account on or off; off ends sign-in and keys at once, runs stay.

    Raises:
        Conflict: somebody would switch themselves off.
    """
    require(actor, AccountAction.SET_ACTIVE, user)
    if user.pk == actor.user_id:
        raise Conflict("You cannot deactivate your own account.")
    user.is_active = is_active
    user.save(update_fields=["is_active", "updated_at"])
    record(actor, AccountAction.SET_ACTIVE, user, after={"active": is_active})
    transaction.on_commit(partial(rights_changed.send, User))


@transaction.atomic
def create_api_key(
    *,
    actor: Actor,
    owner: User,
    label: str = "",
    expires_at: datetime | None = None,
    scopes: Collection[str] | None = None,
) -> tuple[ApiKey, str]:
    """Make a key; the second value is the secret, which nobody can read again (ACC-40).

    Raises:
        Invalid: an unknown scope, or too many keys.
        Forbidden: a limited key asks for one that reaches further than itself.
    """
    require(actor, AccountAction.CREATE_KEY, owner)
    for scope in scopes or ():
        spec_of(scope)
    if actor.scopes is not None and not (scopes is not None and actor.scopes.issuperset(scopes)):
        raise Forbidden("A limited API key makes only keys that are limited to some of its own scopes.")
    if ApiKey.objects.filter(user=owner).count() >= MAX_KEYS:
        raise Invalid(f"An account holds at most {MAX_KEYS} API keys; delete some first.")
    secret = keys.new_secret()
    key = ApiKey.objects.create(
        user=owner,
        label=label.strip()[:120],
        prefix=keys.prefix_of(secret),
        hash=keys.hash_of(secret),
        expires_at=expires_at,
        scopes=None if scopes is None else sorted(scopes),
    )
    record(actor, AccountAction.CREATE_KEY, key, after={"label": key.label, "scopes": key.scopes})
    return key, secret


@transaction.atomic
def delete_api_key(*, actor: Actor, key: ApiKey) -> None:
    """Revoke a key at once, everywhere."""
    require(actor, AccountAction.DELETE_KEY, key)
    record(actor, AccountAction.DELETE_KEY, key, before={"label": key.label, "owner": key.user.username})
    key.delete()
    transaction.on_commit(partial(rights_changed.send, ApiKey))
