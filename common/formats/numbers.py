"""Whole numbers as addresses, forms and headers write them."""

from collections.abc import Mapping

from common.errors import Invalid

MOST = 2**63 - 1
"""The greatest that a column holds."""
_DIGITS = 19


def parse_int(text: str, most: int = MOST) -> int | None:
    """Return the number from 0 to ``most`` that ASCII digits write, None for any other text.

    `str.isdigit` alone takes "²", of which `int` makes nothing, and more digits than a database counts to.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        return None
    number = int(text)
    return number if number <= most else None


def int_param(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    """Read a parameter that is a whole number from 0 to ``most``.

    Raises:
        Invalid: it is something else, or larger.
    """
    text = given.get(name, str(default))
    number = parse_int(text, most)
    if number is None:
        raise Invalid(f"{name} must be a whole number from 0 to {most}, not {text[:40]!r}.")
    return number
