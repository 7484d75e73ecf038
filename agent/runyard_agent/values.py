"""What may be logged, as plain values: numbers of numpy, torch and their like become Python's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Callable

_PLAIN = frozenset({float, int, str, bool, type(None)})
_TEXT = frozenset({str})

Fallback = Callable[[Any, str], Any]


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row, with plain values.

    Raises:
        TypeError: a value is no number, text, truth value, None, or list or dict of such.
    """
    if _PLAIN.issuperset(map(type, row.values())) and _TEXT.issuperset(map(type, row)):
        return dict(row)  # 1.5 us for 20 numbers
    return {str(key): plain(value, str(key), _refuse) for key, value in row.items()}


def plain_config(config: Any) -> dict[str, Any]:
    """Return a copy of a configuration, such as a dict or what argparse returns; what is not plain becomes text.

    Raises:
        TypeError: it is no mapping, and has no attributes.
    """
    if not isinstance(config, Mapping):
        if not hasattr(config, "__dict__"):
            raise TypeError(
                f"a configuration is a dict or has attributes, but this is {type(config).__name__}"
            )
        config = vars(config)
    return {str(key): plain(value, str(key), _as_text) for key, value in config.items()}


def plain(value: Any, path: str, fallback: Fallback) -> Any:
    """Return a value as JSON can say it; ``fallback`` takes others, with the path of their keys."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each, f"{path}.{key}", fallback) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, path, fallback) for each in value]
    return fallback(value, path) if (found := _scalar(value)) is NotImplemented else found


def _scalar(value: Any) -> Any:
    """Return a number, text or time as Python says it; NotImplemented for anything else."""
    for base in (float, int, str):
        if isinstance(value, base):  # numpy.float64, or a member of an Enum that is one
            return base.__str__(value) if base is str else base(value)
    if isinstance(value, date):
        return value.isoformat()
    if _is_single(value):
        item = value.item()
        return item if type(item) in _PLAIN else _scalar(item) if item is not value else NotImplemented
    return NotImplemented


def _is_single(value: Any) -> bool:
    """Whether it is a scalar of numpy, torch, jax or tensorflow, or an array of one."""
    shape = getattr(value, "shape", None)
    if not callable(getattr(value, "item", None)) or shape is None:
        return False
    try:
        return bool(math.prod(shape) == 1)
    except TypeError:
        return False


def _refuse(value: Any, path: str) -> Any:
    raise TypeError(
        f"{path!r} is of type {type(value).__name__}; what is logged are numbers, texts, truth values, None, "
        "and lists and dicts of such"
    )


def _as_text(value: Any, _: str) -> str:
    return str(value)


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Refuse what is not one of the known values.

    Raises:
        ValueError: it is none of them.
    """
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
