"""The form of API keys and how a secret is checked.

A key is ``ry-`` and exactly 40 letters and digits: SDKs up to 0.19 want exactly 40 characters after the first dash,
later ones at least 40 (docs/develop/decisions/sdk.md).
"""

import logging
import re
from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from access.actor import Actor
from access.web.requests import actor_of_user
from accounts.models import ApiKey, User
from common.crypto import is_same_secret, key_fingerprint, keyed_hash, keyed_hashes, random_text
from common.database.kept_queries import KeptQuery
from common.errors import DomainError, TooManyRequests, Unauthenticated
from common.rate_limits import count

logger = logging.getLogger(__name__)

_PURPOSE = "api-key"
_START = "ry-"
_LENGTH = 40
_PREFIX = 8
_FORM = re.compile(rf"{_START}[A-Za-z0-9]{{{_LENGTH}}}")
_TOUCH = timedelta(minutes=1)
BAD_PER_ADDRESS, BAD_PER_KEY, _WINDOW_S = 120, 60, 60


_keys = KeptQuery(lambda prefix: ApiKey.objects.select_related("user").filter(prefix=prefix))


def new_secret() -> str:
    """Return a fresh key: 238 bits of chance."""
    return _START + random_text(_LENGTH)


def prefix_of(secret: str) -> str:
    """Return the visible characters that find the row."""
    return secret[len(_START) : len(_START) + _PREFIX]


def hash_of(secret: str) -> str:
    """Return what is stored of a secret."""
    return keyed_hash(_PURPOSE, secret)


def actor_of_secret(secret: str, address: str) -> Actor:
    """Return the actor that holds the key, and note its use (to the minute).

    Raises:
        Unauthenticated: unknown, revoked or expired, or the owner is deactivated (ACC-42).
        TooManyRequests: the same, once too often (ACC-23); a good key always passes.
    """
    key = None
    if _FORM.fullmatch(secret):  # anything else is no key, and might hold what PostgreSQL cannot compare: NUL
        key = _keys.first(prefix_of(secret))
    if key is None or not _is_of(key, secret) or not key.user.is_active:
        logger.info("API key refused from %s: unknown or revoked", address)
        message = (
            "This API key is unknown or was revoked. Make a new one on the API keys page of your settings"
            " and log in again."
        )
        raise _refusal(message, secret, address)
    if key.is_expired:
        logger.info("API key %s… refused from %s: expired", key.prefix, address)
        expired = f"The API key {key.prefix}… expired on {key.expires_at:%Y-%m-%d}."
        message = f"{expired} Make a new one on the API keys page."
        raise _refusal(message, secret, address)
    _touch(key, address)
    actor = actor_of_user(key.user, address=address)
    scopes = None if key.scopes is None else frozenset(key.scopes)
    return Actor(
        kind=actor.kind, user_id=actor.user_id, name=actor.name, scopes=scopes, key_id=key.pk, address=address
    )


def actor_again(user_id: int, key_id: int | None, *, elevated: bool) -> Actor:
    """Return who requested something earlier, by a session or a key, as they are today.

    Args:
        user_id: Whose session or key it was.
        key_id: Of the key; None for a session.
        elevated: Whether with operator rights; without them today, without them now.

    Raises:
        Unauthenticated: the account was deactivated, or the key was deleted or has expired.
    """
    user = User.objects.filter(pk=user_id, is_active=True).first()
    key = ApiKey.objects.filter(pk=key_id, user=user_id).first() if key_id is not None else None
    if user is None or (key_id is not None and (key is None or key.is_expired)):
        raise Unauthenticated("Whoever requested this no longer has access.")
    scopes = None if key is None or key.scopes is None else frozenset(key.scopes)
    return replace(actor_of_user(user, elevated=elevated), scopes=scopes, key_id=key_id)


def _is_of(key: ApiKey, secret: str) -> bool:
    """Whether a secret is that of a key; one that was hashed under a former secret key is hashed anew."""
    current, *former = keyed_hashes(_PURPOSE, secret)
    if is_same_secret(key.hash, current):
        return True
    if not any(is_same_secret(key.hash, each) for each in former):
        return False
    ApiKey.objects.filter(pk=key.pk).update(hash=current, hashed_by=key_fingerprint())
    return True


def _touch(key: ApiKey, address: str) -> None:
    now = timezone.now()
    if key.last_used_at is None or now - key.last_used_at > _TOUCH or key.last_used_address != address:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now, last_used_address=address)


def _refusal(message: str, secret: str, address: str) -> DomainError:
    """Return what is told, counted for the address and for the key that was tried."""
    of_address = count("bad-key-from", address, limit=BAD_PER_ADDRESS, window_s=_WINDOW_S)
    of_key = count("bad-key", prefix_of(secret), limit=BAD_PER_KEY, window_s=_WINDOW_S)
    wait_s = max(of_address, of_key)
    if not wait_s:
        return Unauthenticated(message)
    return TooManyRequests(f"Too many refused API keys; try again in {wait_s} s. {message}", wait_s=wait_s)
