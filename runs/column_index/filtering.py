"""Which runs meet a condition: what `runs.query.conditions` tells the database, on columns in memory.

The conditions have been checked by then: `to_q` refuses what cannot be compared.
"""

import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import orjson
import re2

from runs.column_index.project_index import NotIndexed
from runs.column_index.values import ABSENT, BOOLEAN, INTEGER, NAN, REAL, Array, Values
from runs.config.flatten import leaf_text
from runs.query.columns import Column, ColumnKind, column_named
from runs.query.conditions import (
    All,
    Compare,
    Condition,
    Not,
    Operator,
    Some,
    double,
    patterns_of_lists_with,
    presence_of,
    read_seconds,
    read_time,
)

_ORDERED: dict[Operator, Callable[[Any, Any], Any]] = {
    Operator.GT: operator.gt, Operator.GTE: operator.ge, Operator.LT: operator.lt, Operator.LTE: operator.le,
    Operator.EQ: operator.eq,
}  # fmt: skip

Find = Callable[[Column], Values]
Mask = Array
"""Booleans, one per run."""


def columns_in(condition: Condition) -> list[Column]:
    """Return the columns that a condition speaks of.

    Raises:
        NotIndexed: it compares objects.
    """
    if isinstance(condition, All | Some):
        return [column for part in condition.parts for column in columns_in(part)]
    if isinstance(condition, Not):
        return columns_in(condition.part)
    column = column_named(condition.column)
    if column.kind is not ColumnKind.FLAT:
        return [column]
    given = condition.value if isinstance(condition.value, list) else [condition.value]
    if any(isinstance(one, dict) and one for one in given):
        raise NotIndexed(condition.column)  # an object has leaves in columns that are not asked for
    return [column, presence_of(column)] if _asks_presence(condition, column) else [column]


def mask_of(condition: Condition, find: Find, count: int) -> Mask:
    """Return which of so many runs meet a condition; ``find`` returns the values of a column."""
    if isinstance(condition, All):
        met = np.ones(count, bool)
        for part in condition.parts:
            met &= mask_of(part, find, count)
        return met
    if isinstance(condition, Some):
        met = np.zeros(count, bool)
        for part in condition.parts:
            met |= mask_of(part, find, count)
        return met
    if isinstance(condition, Not):
        return ~mask_of(condition.part, find, count)
    column = column_named(condition.column)
    if _asks_presence(condition, column):
        present = find(presence_of(column))
        is_there: Mask = _and(present.has(BOOLEAN), present.numbers == 1)
        if condition.operator in {Operator.IN, Operator.NOT_IN}:
            others = [one for one in condition.value if one is not None]
            met = ~is_there | _one_of(column, find(column), others)
            return met if condition.operator is Operator.IN else ~met
        wants = (
            bool(condition.value)
            if condition.operator is Operator.EXISTS
            else condition.operator is Operator.NE
        )
        return is_there if wants else ~is_there
    return _compared(condition, column, find(column))


def _asks_presence(compare: Compare, column: Column) -> bool:
    """Say whether a condition asks if a key has any value, of which an object leaves none in its own column."""
    if column.kind is not ColumnKind.FLAT:
        return False
    if compare.operator in {Operator.IN, Operator.NOT_IN}:
        return None in compare.value
    is_equal = compare.operator in {Operator.EQ, Operator.NE}
    return compare.operator is Operator.EXISTS or (is_equal and compare.value is None)


def _compared(compare: Compare, column: Column, values: Values) -> Mask:
    value = compare.value
    by_operator: dict[Operator, Callable[[], Mask]] = {
        Operator.EQ: lambda: _equal(column, values, value),
        Operator.NE: lambda: ~_equal(column, values, value),
        Operator.IN: lambda: _one_of(column, values, value),
        Operator.NOT_IN: lambda: ~_one_of(column, values, value),
        Operator.EXISTS: lambda: _exists(column, values) if value else ~_exists(column, values),
        Operator.MATCHES: lambda: _matching(column, values, str(value)),
        Operator.CONTAINS: lambda: _containing(column, values, str(value)),
        Operator.IS: lambda: _is(column, values, value),
    }
    found = by_operator.get(compare.operator, lambda: _ordered(column, values, compare.operator, value))
    return found()


def _and(one: Mask, other: Mask) -> Mask:
    found: Mask = one & other
    return found


def _exists(column: Column, values: Values) -> Mask:
    if column.kind is ColumnKind.TAGS:
        return values.where_text(text != "[]" for text in values.texts)
    if column.kind is ColumnKind.TEXT:
        return values.where_text(text != "" for text in values.texts)
    return ~values.has(ABSENT)


def _equal(column: Column, values: Values, value: Any) -> Mask:
    if value is None:
        return ~_exists(column, values)
    if column.kind is ColumnKind.TAGS and not isinstance(value, list):
        return values.where_text(str(value) in orjson.loads(text) for text in values.texts)
    met = _is(column, values, value)
    if column.kind is ColumnKind.FLAT:
        for pattern in patterns_of_lists_with([value]):
            met |= _matching(column, values, pattern)
    return met


def _is(column: Column, values: Values, value: Any) -> Mask:
    if column.kind is ColumnKind.TAGS:
        return values.where_text(orjson.loads(text) == value for text in values.texts)
    if column.kind is not ColumnKind.FLAT:
        return _ordered(column, values, Operator.EQ, value)
    if value is None:
        return values.has(ABSENT)
    if isinstance(value, float) and math.isnan(value):
        return values.has(NAN)
    if isinstance(value, bool):
        return _and(values.has(BOOLEAN), values.numbers == int(value))
    return _ordered(
        column, values, Operator.EQ, leaf_text(value) if isinstance(value, list | dict) else value
    )


def _one_of(column: Column, values: Values, given: list[Any]) -> Mask:
    met = np.zeros(len(values.kinds), bool)
    for value in given:
        met |= _equal(column, values, value)
    return met


def _ordered(column: Column, values: Values, by: Operator, value: Any) -> Mask:
    compared = _ORDERED[by]
    if column.kind is ColumnKind.TIME:
        return _and(values.has(REAL), compared(values.numbers, read_time(value).timestamp()))
    if column.kind is ColumnKind.SPAN:
        value = read_seconds(value)
    if column.kind is ColumnKind.TEXT or isinstance(value, str):
        operand = str(value)
        return values.where_text(compared(text, operand) for text in values.texts)
    number = double(value)
    if math.isnan(number):
        return np.zeros(len(values.kinds), bool)
    return _and(values.has(INTEGER, REAL), compared(values.numbers, number))


def _containing(column: Column, values: Values, part: str) -> Mask:
    if column.kind is ColumnKind.TAGS:
        return _equal(column, values, part)
    pattern = "(?i)" + re.escape(part)
    if not part.isascii():
        return _matching(column, values, pattern)
    # Python's matcher is ten times as fast to call; beyond ASCII it knows more letters as one than RE2
    search, confirm = re.compile(pattern).search, re2.compile(pattern).search
    return values.where_text(
        search(text) is not None and (text.isascii() or confirm(text) is not None) for text in values.texts
    )


def _matching(column: Column, values: Values, pattern: str) -> Mask:
    search = re2.compile(pattern).search
    if column.kind is ColumnKind.TAGS:
        return values.where_text(
            any(search(tag) is not None for tag in orjson.loads(text)) for text in values.texts
        )
    return values.where_text(search(text) is not None for text in values.texts)
