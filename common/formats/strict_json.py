"""Values as JSON has them (RFC 8259): the numbers that it has no word for as texts.

Python writes NaN and infinities as bare words, which JSON.parse, Go and others refuse; orjson writes null, as which
they cannot be told from what is missing.
"""

import json
import math
from typing import Any

import orjson

_SIZE_OF_NUMBER = 8


def strict(value: Any) -> Any:
    """Return the value with non-finite numbers as the strings "NaN", "Infinity", "-Infinity"."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    return value


def size_of(value: Any) -> int:
    """Return about how many characters a value takes as JSON."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, dict):
        return 2 + sum(len(key) + 4 + size_of(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return 2 + sum(map(size_of, value)) + len(value)
    return _SIZE_OF_NUMBER


def strict_json(value: Any, **given: Any) -> str:
    """Encode it; ``given`` is for `json.dumps`."""
    return json.dumps(strict(value), allow_nan=False, ensure_ascii=False, **given)


def strict_text(text: str) -> str:
    """Return a JSON text as it is if it is strict, else the same values strictly; what is no JSON at all stays."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.dumps(strict(json.loads(text)), allow_nan=False)
        except (ValueError, RecursionError):
            return text
    return text
