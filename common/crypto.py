"""Secrets: keyed hashes of those that are only ever compared, encryption of those that must be read again.

New ones are made by the installation's secret key; what former keys made (`settings.SECRET_KEY_FALLBACKS`) is accepted.
"""

import base64
import hashlib
import hmac
import secrets
import string

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from common.errors import Unavailable

FINGERPRINT_LENGTH = 8
_ALPHABET = string.ascii_letters + string.digits


def random_text(length: int) -> str:
    """Return ``length`` random characters of A-Z a-z 0-9 (5.95 bits each)."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def keyed_hash(purpose: str, secret: str) -> str:
    """Return the hex HMAC-SHA256 of ``secret`` under the installation's key, apart per ``purpose``."""
    return _hash(_key_of(purpose, settings.SECRET_KEY), secret)


def keyed_hashes(purpose: str, secret: str) -> list[str]:
    """Return what may be stored of ``secret``: its hash under the installation's key, then those under former ones."""
    return [_hash(key, secret) for key in _keys(purpose)]


def key_fingerprint() -> str:
    """Return what tells the installation's key from others, and nothing of it."""
    return _key_of("fingerprint", settings.SECRET_KEY).hex()[:FINGERPRINT_LENGTH]


def is_same_secret(left: str, right: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(left, right)


def _hash(key: bytes, secret: str) -> str:
    return hmac.new(key, secret.encode(), hashlib.sha256).hexdigest()


def _key_of(purpose: str, secret_key: str) -> bytes:
    return hashlib.sha256(f"{purpose}:{secret_key}".encode()).digest()


def _keys(purpose: str) -> list[bytes]:
    return [_key_of(purpose, key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


def _cipher(purpose: str) -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in _keys(purpose)])


def seal(purpose: str, text: str) -> str:
    """Encrypt with the installation's key, apart per ``purpose``; an empty text stays empty."""
    return _cipher(purpose).encrypt(text.encode()).decode() if text else ""


def reseal(purpose: str, sealed: str) -> str:
    """Return what was encrypted, by whatever key, encrypted with the installation's key. Raises as `unseal`."""
    return seal(purpose, unseal(purpose, sealed))


def unseal(purpose: str, sealed: str) -> str:
    """Return what was encrypted.

    Raises:
        Unavailable: the installation has other keys than when it was sealed.
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
