"""JSON as SDKs write it and as databases take it: lenient where it is read, cleaned where it is stored."""

import json
from typing import Any

import orjson

MAX_NESTING = 200
"""Levels a JSON value may have; Python's own encoder and our walks over trees end at some hundreds."""


NUMBERS = frozenset({int, float})
_INTEGER_DIGITS = 300
"""Integers of more digits are read as doubles, many as infinity: no database compares with them."""


def _integer(text: str) -> float:
    return int(text) if len(text) <= _INTEGER_DIGITS else float(text)


DECODER = json.JSONDecoder(parse_int=_integer)
"""Decodes a value within a longer text, as leniently as `decode`."""


def has_only_numbers(row: dict[str, Any]) -> bool:
    """Say whether all values are plain numbers, as in most lines of history."""
    return NUMBERS.issuperset(map(type, row.values()))


def check_nesting(value: Any) -> None:
    """Let a decoded JSON value pass that others can walk and encode.

    Raises:
        ValueError: nested deeper than MAX_NESTING levels.
    """
    level = [value]
    for _ in range(MAX_NESTING + 1):
        inner: list[Any] = []
        for node in level:
            if type(node) is dict:
                inner += [item for item in node.values() if type(item) in (dict, list)]
            elif type(node) is list:
                inner += [item for item in node if type(item) in (dict, list)]
        if not inner:
            return
        level = inner
    raise ValueError(f"nested deeper than {MAX_NESTING} levels")


def read_lenient(text: str | bytes) -> Any:
    """Decode JSON as the SDK writes it: with NaN, Infinity, numbers beyond a double, lone surrogates.

    Raises:
        ValueError: not JSON at all, or nested deeper than MAX_NESTING levels.
    """
    value = decode(text)
    check_nesting(value)
    return value


def decode(text: str | bytes) -> Any:
    """As `read_lenient`, of which the parts are still to be checked.

    Raises:
        ValueError: not JSON at all, or nested deeper than decoders go.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.loads(text, parse_int=_integer)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def clean_text(text: str) -> str:
    """Return the text without NUL and lone surrogates, which PostgreSQL cannot store."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode(errors="replace").decode()
    return text


def clean_tree(value: Any) -> Any:
    """Return a JSON value with every string in it cleaned."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): clean_tree(item) for key, item in value.items()}
    return [clean_tree(item) for item in value] if isinstance(value, list) else value
