"""Resolves a header's credentials to an actor; the setting API_KEY_CHECKER names what checks keys."""

import base64
from collections.abc import Callable

from django.conf import settings
from django.utils.module_loading import import_string

from access.actor import Actor
from common.errors import Unauthenticated

HOW = "Send an API key as HTTP Basic (user 'api', password the key) or as a Bearer token."


def actor_again(user_id: int, key_id: int | None, *, elevated: bool) -> Actor:
    """Return who requested something earlier, as they are today.

    Raises:
        Unauthenticated: the account was deactivated, or the API key was deleted or has expired.
    """
    find: Callable[..., Actor] = import_string(settings.ACTOR_FINDER)
    return find(user_id, key_id, elevated=elevated)


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
    check: Callable[[str, str], Actor] = import_string(settings.API_KEY_CHECKER)
    return check(secret, address)
