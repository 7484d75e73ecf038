"""Groups of runs by the value of a column: which values make one, and which runs are in it.

A group's key is a plain value: a number, text, boolean, the list of tags, or None for runs without a value. As a step
of a path it is written as JSON, so that ``1`` and ``"1"`` stay apart. Times are grouped by day, UTC.
"""

import json
import math
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from typing import Any

import numpy as np
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from common.errors import Invalid
from common.formats.lenient_json import clean_tree
from runs.column_index.values import Values
from runs.query.column_names import NamedColumn, canonical
from runs.query.columns import ColumnKind
from runs.query.conditions import All, Compare, Condition, Operator
from runs.secrets.masking import mask

NOTHING = "–"
"""What pages call the group of runs without a value."""

_DAY_S = 86_400

Key = float | str | bool | tuple[str, ...] | None


def check_group(column: NamedColumn) -> None:
    """Let a column pass by which runs can be grouped.

    Raises:
        Invalid: a length of time, of which hardly two are equal.
    """
    if column.column.kind is ColumnKind.SPAN:
        raise Invalid(_("Runs cannot be grouped by %(name)s.") % {"name": column.name})


def key_of(column: NamedColumn, value: Any) -> Key:
    """Return the key of the group that a value belongs to."""
    if column.column.kind is ColumnKind.TIME:
        return value.astimezone(UTC).date().isoformat() if value else None
    if column.column.kind is ColumnKind.TAGS:
        return tuple(value) or None
    return value if value != "" or column.column.kind is ColumnKind.FLAT else None


def group_values(column: NamedColumn, values: Values) -> Values:
    """Return what runs are grouped by of a column in memory, with secrets masked; `key_at` reads it."""
    kind = column.column.kind
    if kind is ColumnKind.TIME:
        days = values.chosen(np.arange(len(values.kinds)))
        days.numbers //= _DAY_S
        return days
    if kind is ColumnKind.TAGS:
        return values.with_texts(_masked_tags)
    return values if kind is ColumnKind.FLAT else values.with_texts(mask)


def _masked_tags(text: str) -> str:
    tags = [mask(tag) for tag in json.loads(text)]
    return json.dumps(tags) if tags else ""


def key_at(column: NamedColumn, values: Values, at: int) -> Key:
    """Return the key of the group of one run."""
    value = values.plain(at)
    if value is None:
        return None
    if column.column.kind is ColumnKind.TIME:
        return datetime.fromtimestamp(value * _DAY_S, UTC).date().isoformat()
    return tuple(json.loads(value)) if column.column.kind is ColumnKind.TAGS else value


def rank_of(key: Key) -> tuple[int, Any]:
    """Return what keys are told apart and sorted by: numbers, texts, booleans, NaN, none. 1 and 1.0 are one key."""
    if key is None:
        return 4, 0
    if isinstance(key, bool):
        return 2, key
    if isinstance(key, str | tuple):
        return 1, key
    return (3, 0) if math.isnan(key) else (0, key)


def step_of(key: Key) -> str:
    """Write a key as a step of a path; NaN and infinities as Python's JSON has them."""
    return json.dumps(key)


def text_of(key: Key) -> str:
    """Write a key for people; nothing for None."""
    if isinstance(key, tuple):
        return ", ".join(key)
    if isinstance(key, bool):
        return "true" if key else "false"
    return "" if key is None else str(key)


def group_condition(column: NamedColumn, step: str) -> Condition:
    """Return the condition that the runs of one group meet.

    Raises:
        Invalid: not a step of this column's.
    """
    try:
        key = clean_tree(json.loads(step))
    except (ValueError, RecursionError):
        raise Invalid(f"“{step[:100]}” isn’t a JSON value of {column.name}.") from None
    name, is_flat = canonical(column.name), column.column.kind is ColumnKind.FLAT
    if key is None:
        return Compare(name, Operator.IS, None) if is_flat else Compare(name, Operator.EXISTS, value=False)
    if column.column.kind is ColumnKind.TIME:
        return _of_day(name, key)
    if is_flat and isinstance(key, list | dict):
        raise Invalid(f"{column.name} needs a number or a string, not {key!r}.")
    if is_flat or column.column.kind is ColumnKind.TAGS:
        return Compare(name, Operator.IS, key)
    return Compare(name, Operator.EQ, key)


def _of_day(name: str, key: Any) -> Condition:
    day = parse_date(key) if isinstance(key, str) else None
    if day is None:
        raise Invalid(f"“{key}” isn’t a valid day.")
    begin, end = (datetime.combine(one, clock(), UTC).isoformat() for one in (day, _next(day)))
    return All((Compare(name, Operator.GTE, begin), Compare(name, Operator.LT, end)))


def _next(day: date) -> date:
    return day + timedelta(days=1) if day < date.max else day
