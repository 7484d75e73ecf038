"""What can be said about a version or a collection, and how the audit log says that it changed."""

import json
from collections.abc import Mapping, Sequence

from common.errors import Invalid
from common.formats.lenient_json import clean_text

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


def check_description(text: str) -> str:
    """Return a description as it can be stored.

    Raises:
        Invalid: longer than MAX_DESCRIPTION.
    """
    if len(text) > MAX_DESCRIPTION:
        raise Invalid(f"A description may have at most {MAX_DESCRIPTION} characters.")
    return clean_text(text)


def audited_changes(
    before: Mapping[str, object], after: Mapping[str, object], *, added: Sequence[str], removed: Sequence[str]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return what the audit log says was found and left: values that differ, and tags that went and came."""
    changed = [name for name in after if after[name] != before[name]]
    was = {name: before[name] for name in changed} | ({"tags": ", ".join(removed)} if removed else {})
    now = {name: after[name] for name in changed} | ({"tags": ", ".join(added)} if added else {})
    return was, now
