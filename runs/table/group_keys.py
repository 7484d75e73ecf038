"""Groups of runs by the value of a column: which values make one, and which runs are in it.

A group's key is a plain value: a number, text, boolean, the list of tags, or None for runs without a value. As a step
of a path it is written as JSON, so that ``1`` and ``"1"`` stay apart. Times are grouped by day, UTC.
"""

import json
import math
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from typing import Any

from django.db.models import Q
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from common.errors import Invalid
from common.formats.lenient_json import clean_tree
from runs.query.column_names import NamedColumn, canonical
from runs.query.columns import ColumnKind
from runs.query.conditions import All, Compare, Not, Operator, Some, to_q

NOTHING = "–"
"""What pages call the group of runs without a value."""

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


def group_q(column: NamedColumn, step: str) -> Q:
    """Return the filter for the runs of one group.

    Raises:
        Invalid: not a step of this column's.
    """
    try:
        key = clean_tree(json.loads(step))
    except (ValueError, RecursionError):
        raise Invalid(f"“{step[:100]}” isn’t a JSON value of {column.name}.") from None
    name = canonical(column.name)
    if key is None:
        return to_q(Compare(name, Operator.EXISTS, value=False))
    if column.column.kind is ColumnKind.TIME:
        return _of_day(name, key)
    if column.column.kind is ColumnKind.TAGS:
        return Q(**{column.column.field: key})
    if isinstance(key, float) and math.isnan(key):
        return to_q(_is_nan(name))
    return to_q(Compare(name, Operator.EQ, key))


def _of_day(name: str, key: Any) -> Q:
    day = parse_date(key) if isinstance(key, str) else None
    if day is None:
        raise Invalid(f"“{key}” isn’t a valid day.")
    begin, end = (datetime.combine(one, clock(), UTC).isoformat() for one in (day, _next(day)))
    return to_q(All((Compare(name, Operator.GTE, begin), Compare(name, Operator.LT, end))))


def _next(day: date) -> date:
    return day + timedelta(days=1) if day < date.max else day


def _is_nan(name: str) -> All:
    """What has a value that is neither number, nor text, nor boolean."""
    others = (
        Compare(name, Operator.GTE, -math.inf),
        Compare(name, Operator.GTE, ""),
        Compare(name, Operator.IN, [True, False]),
    )
    return All((Compare(name, Operator.EXISTS, value=True), Not(Some(others))))
