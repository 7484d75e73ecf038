"""How many values a row, a config or a summary may have: most of them become keys, each with an index of its own."""

import re
from typing import Any

from django.conf import settings

_STRING_OR_COMMA = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|,', re.DOTALL)


def _reason() -> str:
    return f"more than {settings.ROW_MAX_VALUES:,} values (setting RUNYARD_ROW_MAX_VALUES)"


def excess_of_text(text: str) -> str:
    """Say that a JSON text has more values than are taken, without decoding it; nothing for most.

    A value more is a comma more, however they are nested.
    """
    most = settings.ROW_MAX_VALUES
    if text.count(",") < most:
        return ""
    commas = 0
    for found in _STRING_OR_COMMA.finditer(text):
        commas += found[0] == ","
        if commas >= most:
            return _reason()
    return ""


def excess_of(tree: dict[str, Any]) -> str:
    """Say the same of a decoded object."""
    most, count = settings.ROW_MAX_VALUES, 0
    level: list[Any] = [tree]
    while level:
        inner: list[Any] = []
        for node in level:
            items = node.values() if type(node) is dict else node
            nested = [item for item in items if type(item) in (dict, list)]
            count += len(node) - len(nested)
            inner += nested
        if count + len(inner) > most:
            return _reason()
        level = inner
    return ""
