"""What can be said about a version or a collection."""

import json

from common.errors import Invalid

MAX_METADATA, MAX_DESCRIPTION = 10_000_000, 1_000_000
"""Characters."""


def check_metadata(text: str) -> None:
    """Let pass what metadata may be.

    Raises:
        Invalid: no JSON object, or too long.
    """
    if len(text) > MAX_METADATA:
        raise Invalid(f"The metadata of an artifact may have at most {MAX_METADATA} characters.")
    try:
        is_object = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise Invalid("The metadata of an artifact must be a JSON object.")
