"""What times in tables are known to."""

import re

_MIDNIGHT = re.compile(r"T00:00:00(?:\.0+)?(?:\+00:00)?$")
_ZEROS = re.compile(r"(\.(?:\d{3})*?)(?:000)+(?=\+|$)")


def known_digits(time: str) -> str:
    """Leave out of a time in ISO 8601 the zeros that say nothing: midnight, and thousandths of what is whole.

    Units do not tell how much is known: the SDK sends dates as milliseconds, and pandas writes them as nanoseconds.
    Texts in this form are in the order of their times.
    """
    return _ZEROS.sub(lambda found: found[1].removesuffix("."), _MIDNIGHT.sub("", time))
