"""Keyed hashes for secrets that are only ever compared, never shown again."""

import hashlib
import hmac
import secrets
import string

from django.conf import settings

_ALPHABET = string.ascii_letters + string.digits


def random_text(length: int) -> str:
    """Return ``length`` random characters of A-Z a-z 0-9 (5.95 bits each)."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def keyed_hash(purpose: str, secret: str) -> str:
    """Return the hex HMAC-SHA256 of ``secret`` under the installation's key, apart per ``purpose``."""
    key = hashlib.sha256(f"{purpose}:{settings.SECRET_KEY}".encode()).digest()
    return hmac.new(key, secret.encode(), hashlib.sha256).hexdigest()


def same(left: str, right: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(left, right)
