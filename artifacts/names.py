"""The names of artifacts: what they may consist of, and how a version is written."""

import re
from collections.abc import Iterable

from common.errors import Invalid
from common.formats.lenient_json import clean_text

MAX_NAME, MAX_ALIASES, MAX_TAGS = 128, 100, 100
_SEPARATORS = "/:"
_VERSION = re.compile(r"v(\d{1,18})")


def check_name(name: str, what: str) -> str:
    """Return the name if an artifact, a type, an alias or a tag may have it.

    Args:
        name: As it was given.
        what: What is named, for the message: ``"artifact name"``.

    Raises:
        Invalid: empty, too long, or with characters that paths of the SDK cannot carry.
    """
    name = clean_text(name).strip()
    if not name or len(name) > MAX_NAME:
        raise Invalid(f"The {what} must have 1 to {MAX_NAME} characters; this one has {len(name)}.")
    if any(character in _SEPARATORS or not character.isprintable() for character in name) or name in {
        ".",
        "..",
    }:
        raise Invalid(f"The {what} “{name}” must not contain “/”, “:” or unprintable characters.")
    return name


def check_alias(name: str) -> str:
    """Return the name if an alias may have it.

    Raises:
        Invalid: as `check_name`, or it reads as a version number.
    """
    name = check_name(name, "alias")
    if _VERSION.fullmatch(name):
        raise Invalid(f"The alias “{name}” reads as a version number. Choose another one.")
    return name


def check_aliases(names: Iterable[str]) -> list[str]:
    """Return the aliases, each once, in their order.

    Raises:
        Invalid: one is not valid, or they are too many.
    """
    found = list(dict.fromkeys(map(check_alias, names)))
    if len(found) > MAX_ALIASES:
        raise Invalid(f"At most {MAX_ALIASES} aliases can be given at once; these are {len(found)}.")
    return found


def check_tags(names: Iterable[str]) -> list[str]:
    """Return the tags, each once, in their order.

    Raises:
        Invalid: one is not valid, or they are too many.
    """
    found = list(dict.fromkeys(check_name(name, "tag") for name in names))
    if len(found) > MAX_TAGS:
        raise Invalid(f"At most {MAX_TAGS} tags can be given at once; these are {len(found)}.")
    return found


def version_number(text: str) -> int | None:
    """Return the number in ``"v12"``; None of any other text."""
    found = _VERSION.fullmatch(text)
    return int(found[1]) if found else None
