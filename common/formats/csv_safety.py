"""CSV, which spreadsheets open: every file of it is written here, so that none runs a formula of somebody else's."""

import csv
import io
import json
import math
from collections.abc import Iterable
from typing import Any

from common.formats.strict_json import strict_json

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def escape_formula(text: str) -> str:
    """Keep what a spreadsheet would run as a formula as text, by an apostrophe before it."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(value: Any) -> Any:
    """Return what the writer takes: numbers exact, text harmless, what CSV has no form for as its JSON."""
    if isinstance(value, str):
        return escape_formula(value)
    if isinstance(value, list | dict):
        return strict_json(value)
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return json.dumps(value)
    return value


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as lines of CSV; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text).writerows(map(_cell, row) for row in rows)
    return text.getvalue()
