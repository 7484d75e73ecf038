"""What changes API keys."""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import spec_of
from access.actor import Actor, ActorKind
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.access import AccountAction
from accounts.api_keys import secrets
from accounts.mail import sending
from accounts.membership_policy import membership_policy
from accounts.models import ApiKey, User
from common.crypto import key_fingerprint
from common.errors import Forbidden, Invalid

MAX_KEYS, MAX_LABEL = 1000, 120


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
        membership_policy().check_new_key(owner, timezone.now(), ())
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
        raise Forbidden("You cannot create API keys while acting as someone else.")
    if actor.scopes is not None and not (scopes is not None and actor.scopes.issuperset(scopes)):
        raise Forbidden("A restricted API key can only create keys with some of its own scopes.")
    _check_reach(actor, scopes)
    if ApiKey.objects.filter(user=owner).count() >= MAX_KEYS:
        raise Invalid(
            _("An account can have at most %(most)s API keys; delete some first.") % {"most": MAX_KEYS}
        )
    membership_policy().check_new_key(owner, expires_at, scopes)
    secret = secrets.new_secret()
    key = ApiKey.objects.create(
        user=owner,
        label=label.strip()[:MAX_LABEL],
        prefix=secrets.prefix_of(secret),
        hash=secrets.hash_of(secret),
        hashed_by=key_fingerprint(),
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
            raise Forbidden(f"API keys cannot grant the scope {scope}; choose it on your API keys page.")


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
