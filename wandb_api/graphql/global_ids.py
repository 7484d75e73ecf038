"""Global ids: opaque to the SDK, except a project's ``internalId``, of which it reads the number."""

import base64
import re

from common.errors import NotFound
from common.formats.numbers import parse_int


def to_id(kind: str, pk: int) -> str:
    """Return the global id of a row."""
    return base64.b64encode(f"{kind}:{pk}".encode()).decode()


def _parts(text: str) -> tuple[str, int | None]:
    try:
        kind, _, pk = base64.b64decode(text, validate=True).decode().partition(":")
    except ValueError:  # not base64, or not UTF-8
        return "", None
    return kind, parse_int(pk)


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
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()
    raise NotFound(f"The {words} with the ID “{text}” doesn’t exist.")
