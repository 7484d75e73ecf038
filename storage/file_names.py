"""Names of files: what they may consist of."""

import re

from common.errors import Invalid
from common.formats.lenient_json import clean_text

MAX_NAME = 1024
_SEPARATOR = re.compile(r"[/\\]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
"""Windows' forms too: there the SDK joins the name to the folder that it downloads into."""


def check_file_name(name: str) -> str:
    """Return the slash path if a file may have it.

    Raises:
        Invalid: empty, too long, absolute, or leaving its folder.
    """
    name = clean_text(name)
    if not name or len(name) > MAX_NAME:
        raise Invalid(f"A file name must have 1 to {MAX_NAME} characters; this one has {len(name)}.")
    if _ABSOLUTE.match(name) or ".." in _SEPARATOR.split(name):
        raise Invalid(f"The file name {name!r} leaves its folder.")
    return name
