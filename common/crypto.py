"""Secrets: keyed hashes of those that are only ever compared, encryption of those that must be read again."""

import base64
import hashlib
import hmac
import secrets
import string

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from common.errors import Unavailable

_ALPHABET = string.ascii_letters + string.digits


def random_text(length: int) -> str:
    """Return ``length`` random characters of A-Z a-z 0-9 (5.95 bits each)."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def keyed_hash(purpose: str, secret: str) -> str:
    """Return the hex HMAC-SHA256 of ``secret`` under the installation's key, apart per ``purpose``."""
    key = hashlib.sha256(f"{purpose}:{settings.SECRET_KEY}".encode()).digest()
    return hmac.new(key, secret.encode(), hashlib.sha256).hexdigest()


def is_same_secret(left: str, right: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(left, right)


def _cipher(purpose: str) -> Fernet:
    key = hashlib.sha256(f"{purpose}:{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def seal(purpose: str, text: str) -> str:
    """Encrypt with the installation's key, apart per ``purpose``; an empty text stays empty."""
    return _cipher(purpose).encrypt(text.encode()).decode() if text else ""


def unseal(purpose: str, sealed: str) -> str:
    """Return what was encrypted.

    Raises:
        Unavailable: the installation has another key than when it was sealed.
    """
    if not sealed:
        return ""
    try:
        return _cipher(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        message = (
            f"A stored secret ({purpose}) cannot be read: the secret key of this installation was changed."
        )
        raise Unavailable(message) from None
