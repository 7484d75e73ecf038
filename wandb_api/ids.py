"""Global ids: opaque to the SDK, except a project's ``internalId``, of which it reads the number."""

import base64
import binascii

from common.errors import NotFound


def to_id(kind: str, pk: int) -> str:
    """Return the global id of a row."""
    return base64.b64encode(f"{kind}:{pk}".encode()).decode()


def _parts(text: str) -> tuple[str, int | None]:
    try:
        kind, _, pk = base64.b64decode(text, validate=True).decode().partition(":")
        return kind, int(pk)
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return "", None


def kind_of(text: str) -> str:
    """Return what kind of row a global id names, "" for none."""
    return _parts(text)[0]


def from_id(kind: str, text: str) -> int:
    """Return the row's key.

    Raises:
        NotFound: not one of our ids.
    """
    found, pk = _parts(text)
    if found == kind and pk is not None:
        return pk
    raise NotFound(f"There is no {kind.lower()} with the id {text!r}.")
