"""Rotation of the secret key: what is sealed is sealed anew, and what still rests on former keys is counted.

Old and new keys are side by side (`common.crypto`), so nobody is signed out and no API key ends. API keys are hashed
anew when they are next used, since only their holders know them.
"""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import redis
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import ApiKey
from common.crypto import key_fingerprint, reseal
from common.errors import Conflict, Unavailable
from common.tasks import KEY_IN_USE
from config.env import SECRET_KEY_FILE, env

KEY_BYTES = 48
SECOND_FACTOR = "second factor"
"""As the adapter of `accounts.sign_in` seals."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A column with sealed texts."""

    model: str
    field: str
    purpose: str


COLUMNS = (
    Sealed("accounts.SignInProvider", "sealed_secret", "sign-in provider"),
    Sealed("storage.Bucket", "sealed_credentials", "storage-bucket"),
    Sealed("alerts.Destination", "sealed_url", "destination"),
    Sealed("alerts.Secret", "sealed", "webhook secret"),
)
"""All there are; a test looks for others."""


def rotate() -> dict[str, Any]:
    """Seal everything by the current key; say what still rests on former ones.

    Raises:
        Conflict: a worker runs by another key, and could read none of it.
    """
    _require_restarted()
    counts = [*map(_reseal_column, COLUMNS), _reseal_second_factors()]
    return {
        "resealed": sum(done for done, _ in counts),
        "unreadable": sum(lost for _, lost in counts),
        "former_keys": len(settings.SECRET_KEY_FALLBACKS),
        "api_keys_to_be_used": api_keys_of_former_keys(),
    }


def api_keys_of_former_keys() -> int:
    """Count the API keys that end with the former secret keys unless they are used before."""
    if not settings.SECRET_KEY_FALLBACKS:
        return 0
    is_over = Q(expires_at__lte=timezone.now()) | Q(user__is_active=False)
    return ApiKey.objects.exclude(is_over).exclude(hashed_by=key_fingerprint()).count()


def begin() -> dict[str, Any]:
    """Create a new key in the data folder; the current one becomes a former one at the next start.

    Raises:
        Conflict: the key is given by the environment, where its operator changes it.
    """
    _require_file()
    lines = [secrets.token_urlsafe(KEY_BYTES), *SECRET_KEY_FILE.read_text().split()]
    _write(lines)
    return {
        "created": True,
        "former_keys": len(lines) - 1,
        "next": "Restart Runyard, then run rotate-secrets.",
    }


def forget() -> dict[str, Any]:
    """Drop the former keys from the data folder.

    Raises:
        Conflict: something still rests on them, or the keys are given by the environment.
    """
    _require_file()
    left = rotate()
    if count := left["api_keys_to_be_used"]:
        raise Conflict(
            f"{count} API keys were not used since the secret key was changed and would end; delete them, or wait."
        )
    current, *former = SECRET_KEY_FILE.read_text().split()
    _write([current])
    return {"former_keys_dropped": len(former), **left, "former_keys": 0}


def _require_restarted() -> None:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5) as client:
            running = client.get(KEY_IN_USE)
    except redis.RedisError:
        return  # nothing runs
    if isinstance(running, bytes) and running.decode() != key_fingerprint():
        raise Conflict(
            "A worker still has another secret key, and could not read what is sealed with this one: restart web"
            " and worker first, or wait a minute after they were stopped."
        )


def _require_file() -> None:
    if env.str("RUNYARD_SECRET_KEY", default=""):
        raise Conflict(
            "RUNYARD_SECRET_KEY is given: change it there, and name the former one in RUNYARD_SECRET_KEY_FALLBACKS."
        )


def _write(lines: list[str]) -> None:
    fresh = SECRET_KEY_FILE.with_name(f"secret-key.{os.getpid()}")
    fresh.touch(mode=0o600)
    with fresh.open("w") as file:
        file.write("\n".join(lines))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(SECRET_KEY_FILE)


def _reseal_column(column: Sealed) -> tuple[int, int]:
    """Seal a column anew; returns as `_reseal_each`."""
    rows = apps.get_model(column.model)._base_manager.exclude(**{column.field: ""})
    return _reseal_each(rows, column.field, lambda text: reseal(column.purpose, text))


def _reseal_second_factors() -> tuple[int, int]:
    """Seal anew what allauth keeps sealed among other things; returns as `_reseal_each`."""
    rows = Authenticator.objects.all()
    return _reseal_each(rows, "data", lambda data: _resealed(data, lambda text: reseal(SECOND_FACTOR, text)))


def _reseal_each(rows: QuerySet[Any], field: str, seal_anew: Callable[[Any], Any]) -> tuple[int, int]:
    """Return how many rows were sealed anew, and how many no key opens; each is locked only for a moment."""
    done = lost = 0
    for pk in rows.values_list("pk", flat=True).order_by("pk").iterator():
        with transaction.atomic():
            row = rows.select_for_update(of=("self",)).filter(pk=pk).first()
            if row is None:
                continue
            before = getattr(row, field)
            try:
                after = seal_anew(before)
            except Unavailable:
                lost += 1
                continue
            if after != before:  # a passkey has nothing sealed
                rows.filter(pk=pk).update(**{field: after})
                done += 1
    return done, lost


def _resealed(data: dict[str, Any], seal_anew: Callable[[str], str]) -> dict[str, Any]:
    """Return the data of a second factor: the secret of codes by time, the seed or list of recovery codes."""
    result = dict(data)
    for name in ("secret", "seed"):
        if result.get(name):
            result[name] = seal_anew(result[name])
    if codes := result.get("migrated_codes"):
        result["migrated_codes"] = [seal_anew(code) for code in codes]
    return result
