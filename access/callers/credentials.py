"""Header credentials to actor. `accounts` registers how API keys are checked; every interface asks here."""

import base64
from collections.abc import Callable

from access.actor import Actor
from common.errors import Unauthenticated

SecretChecker = Callable[[str, str], Actor]
"""Takes the secret and the caller's address, returns the actor or raises Unauthenticated."""

_checkers: list[SecretChecker] = []

HOW = "Send an API key as HTTP Basic (user 'api', password the key) or as a Bearer token."


def register_secret_checker(checker: SecretChecker) -> None:
    """Set how a secret is checked; called in ``AppConfig.ready``."""
    _checkers[:] = [checker]


def secret_of(authorization: str) -> str:
    """Take the key out of an Authorization header.

    Raises:
        Unauthenticated: no header, another scheme, or not decodable.
    """
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() == "bearer" and rest.strip():
        return rest.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(rest.strip(), validate=True).decode().partition(":")[2]
        except ValueError:  # not base64, not ASCII, or no UTF-8 within
            raise Unauthenticated(f"The Authorization header cannot be decoded. {HOW}") from None
    raise Unauthenticated(f"Not signed in. {HOW}")


def actor_of_header(authorization: str, address: str) -> Actor:
    """Return who holds the key in an Authorization header.

    Raises:
        Unauthenticated: no key, or an unknown, revoked or expired one.
    """
    secret = secret_of(authorization)
    if not _checkers:
        raise Unauthenticated("No way to check keys is registered.")
    return _checkers[0](secret, address)
