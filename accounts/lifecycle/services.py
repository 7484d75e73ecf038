"""What changes people, names and keys."""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import partial

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import spec_of
from access.actor import Actor, ActorKind
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.access import AccountAction
from accounts.api_keys import secrets
from accounts.hooks import check_key_rules, run_new_user_hooks
from accounts.lifecycle.administration import keep_an_operator
from accounts.lifecycle.names import check_name
from accounts.mail import sending
from accounts.models import ApiKey, Name, User, UserKind
from common.errors import Conflict, Forbidden, Invalid

MAX_KEYS, MAX_LABEL = 1000, 120


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
    """Switch an account on or off; off ends sign-in and keys at once, runs stay.

    Raises:
        Conflict: somebody would switch themselves off.
    """
    require(actor, AccountAction.SET_ACTIVE, user)
    if user.pk == actor.user_id:
        raise Conflict(_("You cannot deactivate your own account."))
    if not is_active and user.is_operator:
        keep_an_operator(user)
    if user.deleted_at is not None:
        raise Conflict(_("The account %(name)s is deleted; that cannot be undone.") % {"name": user})
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
    is_mailed: bool = True,
) -> tuple[ApiKey, str]:
    """Make a key of one's own; the second value is the secret, which nobody can read again (ACC-40).

    Args:
        actor: Who makes it.
        owner: As whom it will act.
        label: What pages call it.
        expires_at: Its end, UTC, or None.
        scopes: The actions it is limited to; None is no limit.
        is_mailed: Whether its owner is told, as who did not make it should be.

    Raises:
        Invalid: too many keys.
        Forbidden: a limited key asks for one that reaches further than itself, or an organization refuses it.
    """
    require(actor, AccountAction.CREATE_KEY, owner)
    return issue_api_key(
        actor=actor, owner=owner, label=label, expires_at=expires_at, scopes=scopes, is_mailed=is_mailed
    )


def why_no_new_key(owner: User) -> str:
    """Return why no key at all can be made, however short and limited it were; "" where one can."""
    try:
        check_key_rules(owner, timezone.now(), ())
    except Forbidden as refusal:
        return refusal.message
    return ""


@transaction.atomic
def issue_api_key(
    *,
    actor: Actor,
    owner: User,
    label: str,
    expires_at: datetime | None,
    scopes: Collection[str] | None,
    organization_id: int | None = None,
    team_id: int | None = None,
    is_mailed: bool = True,
) -> tuple[ApiKey, str]:
    """Make a key for a user; the caller has asked whether the actor may. Raises as `create_api_key`.

    Args:
        actor: Who makes it.
        owner: As whom it will act.
        label: What pages call it.
        expires_at: Its end, UTC, or None.
        scopes: The actions it is limited to; None is no limit.
        organization_id: In whose audit log it is.
        team_id: As before.
        is_mailed: Whether its owner is told.
    """
    for scope in scopes or ():
        spec_of(scope)
    if actor.impersonated_by:
        raise Forbidden("You can’t create API keys while acting as someone else.")
    if actor.scopes is not None and not (scopes is not None and actor.scopes.issuperset(scopes)):
        raise Forbidden("A restricted API key can only create keys with some of its own scopes.")
    _check_reach(actor, scopes)
    if ApiKey.objects.filter(user=owner).count() >= MAX_KEYS:
        raise Invalid(
            _("An account can have at most %(most)s API keys; delete some first.") % {"most": MAX_KEYS}
        )
    check_key_rules(owner, expires_at, scopes)
    secret = secrets.new_secret()
    key = ApiKey.objects.create(
        user=owner,
        label=label.strip()[:MAX_LABEL],
        prefix=secrets.prefix_of(secret),
        hash=secrets.hash_of(secret),
        expires_at=expires_at,
        scopes=None if scopes is None else sorted(scopes),
    )
    end = expires_at.isoformat() if expires_at else None
    after = {"owner": owner.username, "label": key.label, "scopes": key.scopes, "expires_at": end}
    record(
        actor, AccountAction.CREATE_KEY, key, after=after, organization_id=organization_id, team_id=team_id
    )
    # whoever runs a command on the machine hands the key over themselves
    if is_mailed and actor.kind is not ActorKind.SYSTEM:
        sending.send("accounts/email/key_created", owner, {"label": key.label, "prefix": f"ry-{key.prefix}"})
    return key, secret


def _check_reach(actor: Actor, scopes: Collection[str] | None) -> None:
    """Let no key give what it does not reach itself."""
    for scope in scopes or ():
        if not actor.reaches(scope):
            raise Forbidden(f"API keys can’t grant the scope {scope}; choose it on your API keys page.")


@transaction.atomic
def rename_api_key(*, actor: Actor, key: ApiKey, label: str) -> ApiKey:
    """Call a key otherwise; what it may stays."""
    require(actor, AccountAction.RENAME_KEY, key)
    before, key.label = key.label, label.strip()[:MAX_LABEL]
    key.save(update_fields=["label"])
    record(actor, AccountAction.RENAME_KEY, key, before={"label": before}, after={"label": key.label})
    return key


@transaction.atomic
def limit_api_key(*, actor: Actor, key: ApiKey, scopes: Collection[str]) -> ApiKey:
    """Let a key do less from now on; it never does more, since it may be known to others by now.

    Raises:
        Invalid: nothing is left of it, or it would reach further than it does.
    """
    require(actor, AccountAction.LIMIT_KEY, key)
    key = ApiKey.objects.select_for_update(no_key=True).select_related("user").get(pk=key.pk)
    for scope in scopes:
        spec_of(scope)
    if not scopes:
        raise Invalid(_("Choose at least one action, or delete the key."))
    if key.scopes is not None and not set(key.scopes).issuperset(scopes):
        raise Invalid(_("A key can be restricted but never extended; create a new one."))
    _check_reach(actor, scopes)
    before, key.scopes = key.scopes, sorted(scopes)
    key.save(update_fields=["scopes"])
    record(actor, AccountAction.LIMIT_KEY, key, before={"scopes": before}, after={"scopes": key.scopes})
    transaction.on_commit(partial(rights_changed.send, ApiKey))
    return key


@transaction.atomic
def delete_api_keys(*, actor: Actor, keys: Iterable[ApiKey]) -> None:
    """Revoke all or none of them, at once, everywhere."""
    for key in keys:
        delete_api_key(actor=actor, key=key)


@transaction.atomic
def delete_api_key(*, actor: Actor, key: ApiKey) -> None:
    """Revoke a key of one's own at once, everywhere."""
    require(actor, AccountAction.DELETE_KEY, key)
    end_api_key(actor=actor, key=key)


@transaction.atomic
def end_api_key(
    *, actor: Actor, key: ApiKey, organization_id: int | None = None, team_id: int | None = None
) -> None:
    """Revoke a key; the caller has asked whether the actor may, and says in whose audit log it is."""
    before = {"label": key.label, "owner": key.user.username}
    record(
        actor, AccountAction.DELETE_KEY, key, before=before, organization_id=organization_id, team_id=team_id
    )
    key.delete()
    transaction.on_commit(partial(rights_changed.send, ApiKey))
