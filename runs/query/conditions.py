"""Conditions on runs, and what they mean to the database.

A missing value equals nothing: it meets ``!=``, ``not in`` and "does not exist" only.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import re2
from django.db.models import BooleanField, Case, F, Q, TextField, Value, When
from django.db.models import lookups as sql
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.config.flatten import flatten, leaf_text
from runs.query.columns import Column, ColumnKind, column_named
from runs.query.flat import (
    FlatBoolean,
    FlatExists,
    FlatInside,
    FlatNaN,
    FlatNumber,
    FlatText,
    InCodeOrder,
    ListHas,
    first_of,
    untagged,
)
from runs.query.regex import MAX_PATTERN, Matches, OneMatches


class Operator(StrEnum):
    """How a column is compared with a value."""

    EQ = "="
    NE = "!="
    GT = ">"
    GTE = ">="
    LT = "<"
    LTE = "<="
    IN = "in"
    NOT_IN = "not in"
    EXISTS = "exists"
    MATCHES = "matches"
    CONTAINS = "contains"
    IS = "is"
    """Exactly this value, without a look into lists and objects. Nobody writes it; groups of runs ask so."""


@dataclass(frozen=True, slots=True)
class Compare:
    """One column against one value."""

    column: str
    operator: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class All:
    """Every one of them; true when there is none."""

    parts: "Sequence[Condition]"


@dataclass(frozen=True, slots=True)
class Some:
    """At least one of them."""

    parts: "Sequence[Condition]"


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite; what is unknown counts as not met, so its opposite is met."""

    part: "Condition"


Condition = Compare | All | Some | Not

NOTHING = Q(pk__in=())
TRUE, FALSE = (Value(word, output_field=BooleanField()) for word in (True, False))
_ORDERED = {
    Operator.GT: sql.GreaterThan, Operator.GTE: sql.GreaterThanOrEqual, Operator.LT: sql.LessThan,
    Operator.LTE: sql.LessThanOrEqual, Operator.EQ: sql.Exact,
}  # fmt: skip


def to_q(condition: Condition, find: Callable[[str], Column] = column_named) -> Q:
    """Return the filter; ``find`` returns the column of a name, by default a run's.

    Raises:
        Invalid: no such column, or a value the column cannot be compared with.
    """
    if isinstance(condition, All):
        whole = Q()
        for part in condition.parts:
            whole &= to_q(part, find)
        return whole
    if isinstance(condition, Some):
        parts = [to_q(part, find) for part in condition.parts]
        if not all(parts):  # Django leaves an empty condition out, and this one all rows meet
            return Q()
        whole = NOTHING
        for q in parts:
            whole |= q
        return whole
    if isinstance(condition, Not):
        return _opposite(to_q(condition.part, find))
    return _compared(condition, find(condition.column))


def _opposite(q: Q) -> Q:
    if not q:
        return NOTHING
    met = Case(When(q, then=TRUE), default=FALSE, output_field=BooleanField())
    return Q(sql.Exact(met, FALSE))


def _one_of(column: Column, name: str, value: Any) -> Q:
    if not isinstance(value, list):
        raise Invalid(f"{name!r} needs a list, not {value!r}.")
    if column.kind is ColumnKind.FLAT:
        return _one_of_flat(column, value)
    found = NOTHING
    for item in value:
        found |= _equal(column, item)
    return found


def _one_of_flat(column: Column, values: list[Any]) -> Q:
    """Ask for all texts and all numbers at once, since taking the key out is what takes the time."""
    found = NOTHING
    plain: dict[type[Any], list[Any]] = {FlatText: [], FlatNumber: []}
    for value in values:
        if isinstance(value, str):
            plain[FlatText].append(value)
        elif isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(double(value)):
            plain[FlatNumber].append(double(value))
        else:
            found |= _equal(column, value)
    for pattern in patterns_of_lists_with([*plain[FlatText], *plain[FlatNumber]]):
        found |= _matching(column, pattern)
    for expression, values_in_column in plain.items():
        if values_in_column:
            found |= Q(sql.In(first_of(expression, column.field, list(column.keys)), values_in_column))
    return found


def _containing(column: Column, value: Any) -> Q:
    """Tags contain an element, texts a part, whatever its case."""
    if column.kind is ColumnKind.TAGS:
        return _equal(column, value)
    return _matching(column, "(?i)" + re2.escape(str(value)))


def _compared(compare: Compare, column: Column) -> Q:
    name, value = compare.column, compare.value
    by_operator: dict[Operator, Callable[[], Q]] = {
        Operator.EQ: lambda: _equal(column, value),
        Operator.NE: lambda: _opposite(_equal(column, value)),
        Operator.IN: lambda: _one_of(column, name, value),
        Operator.NOT_IN: lambda: _opposite(_one_of(column, name, value)),
        Operator.EXISTS: lambda: _exists(column) if value else _opposite(_exists(column)),
        Operator.MATCHES: lambda: _matching(column, str(value)),
        Operator.CONTAINS: lambda: _containing(column, value),
        Operator.IS: lambda: _is(column, value),
    }
    found = by_operator.get(compare.operator, lambda: _ordered(name, column, compare.operator, value))
    return found()


def _exists(column: Column) -> Q:
    if column.kind is ColumnKind.ABSENT:
        return NOTHING
    if column.kind is ColumnKind.FLAT:
        return Q(sql.Exact(presence_of(column).expression, TRUE))
    if column.kind is ColumnKind.TAGS:
        return ~Q(**{column.field: []})
    if column.kind is ColumnKind.SPAN:
        return Q(pk__isnull=False)  # every run has lasted for some time
    present = Q(**{f"{column.field}__isnull": False})
    return present & ~Q(**{column.field: ""}) if column.kind is ColumnKind.TEXT else present


def _equal(column: Column, value: Any) -> Q:
    if value is None:
        return _opposite(_exists(column))
    if column.kind is ColumnKind.ABSENT:
        return NOTHING
    if column.kind is ColumnKind.TAGS and not isinstance(value, list):
        return Q(sql.Exact(ListHas(column.field, str(value)), TRUE))
    if column.kind is not ColumnKind.FLAT:
        return _is(column, value)
    if isinstance(value, dict) and value:
        return _equal_object(column, value)
    found = _is(column, value)
    for pattern in patterns_of_lists_with([value]):
        found |= _matching(column, pattern)
    return found


def _is(column: Column, value: Any) -> Q:
    """Compare a value itself, without a look into lists and objects."""
    if column.kind is ColumnKind.TAGS:
        return Q(**{column.field: value})
    if column.kind is not ColumnKind.FLAT:
        return _ordered("", column, Operator.EQ, value)
    if value is None:
        return _opposite(_any_key(FlatExists, column))
    if isinstance(value, float) and math.isnan(value):
        return _any_key(FlatNaN, column)
    if isinstance(value, bool):
        return Q(sql.Exact(first_of(FlatBoolean, column.field, list(column.keys)), Value(int(value))))
    return _ordered("", column, Operator.EQ, leaf_text(value) if isinstance(value, list | dict) else value)


def _any_key(expression: type[Any], column: Column) -> Q:
    return Q(*(Q(sql.Exact(expression(column.field, key), TRUE)) for key in column.keys), _connector=Q.OR)


def _equal_object(column: Column, value: dict[str, Any]) -> Q:
    """Compare an object: each leaf, and that there are no others."""
    found = NOTHING
    for key in column.keys:
        if len(leaves := flatten({key: value})) > _MOST_LEAVES:
            raise Invalid(_("Objects with up to %(most)s values can be compared.") % {"most": _MOST_LEAVES})
        same = Q(sql.Exact(FlatInside(column.field, [key]), Value(len(leaves))))
        for leaf, wanted in leaves.items():
            same &= _is(replace(column, keys=(leaf,)), untagged(wanted))
        found |= same
    return found


def presence_of(column: Column) -> Column:
    """Return the column that says whether a flat one has a value, be it an object."""
    return replace(column, kind=ColumnKind.PRESENCE)


_ELEMENT = r"""(?:"(?:[^"\\]|\\.)*"|[^"\[\]{}, ]+)"""
"""One of a list in JSON that is neither list nor object."""


def patterns_of_lists_with(values: Sequence[Any]) -> list[str]:
    """Return patterns of which a list in JSON meets one if it has one of some plain values."""
    found: list[str] = []
    for value in values:
        pattern = _element_pattern(value)
        if not pattern or len(pattern) > _PATTERN_ROOM:
            continue
        if found and len(found[-1]) + len(pattern) < _PATTERN_ROOM:
            found[-1] += f"|{pattern}"
        else:
            found.append(pattern)
    return [rf"^\[(?:{_ELEMENT}, )*(?:{some})(?:, |\]$)" for some in found]


_PATTERN_ROOM, _MOST_LEAVES = MAX_PATTERN - 100, 100


def _element_pattern(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool | str | float):
        return str(re2.escape(json.dumps(value)))
    return rf"{value}(?:\.0)?" if isinstance(value, int) else ""


def _ordered_flat(name: str, column: Column, operator: Operator, value: Any) -> Q:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Invalid(
            _("%(name)s %(operator)s needs a number or a string, not %(value)r.")
            % {"name": name, "operator": operator, "value": value}
        )
    lookup, keys = _ORDERED[operator], list(column.keys)
    if isinstance(value, str):
        return Q(lookup(InCodeOrder(first_of(FlatText, column.field, keys)), Value(value)))
    number = double(value)
    if math.isnan(number):
        return NOTHING  # NaN equals and exceeds nothing
    return Q(lookup(first_of(FlatNumber, column.field, keys), Value(number)))


def double(value: float) -> float:
    """Return a number as a double, infinite where it is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _ordered(name: str, column: Column, operator: Operator, value: Any) -> Q:
    if column.kind is ColumnKind.ABSENT:
        return NOTHING
    if column.kind is ColumnKind.FLAT:
        return _ordered_flat(name, column, operator, value)
    if column.kind is ColumnKind.TAGS:
        raise Invalid(_("Tags can be compared with =, !=, in, not in, contains and exists."))
    subject, operand = column.expression, Value(str(value), output_field=TextField())
    if column.kind is ColumnKind.TEXT and operator is not Operator.EQ:
        subject = InCodeOrder(subject)
    if column.kind is ColumnKind.TIME:
        operand = Value(read_time(value))
    elif column.kind is ColumnKind.NUMBER:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Invalid(
                _("%(name)s is a number and cannot be compared with “%(value)s”.")
                % {"name": name or column.field, "value": value}
            )
        operand = Value(double(value))
    elif column.kind is ColumnKind.SPAN:
        operand = Value(read_seconds(value))
    return Q(_ORDERED[operator](subject, operand))


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = re.compile(r"([+-]?)(\d{1,9}(?:\.\d{1,9})?)([smhdw])")


def _span(text: str) -> tuple[str, float] | None:
    """Return sign and seconds of a text like ``-7d``; None when it is none."""
    found = _SPAN.fullmatch(text)
    return (found[1], float(found[2]) * _UNITS[found[3]]) if found else None


def read_seconds(value: Any) -> float:
    """Return the seconds of a duration that somebody wrote: a number of seconds, or with a unit as in 90m.

    Raises:
        Invalid: it is none.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return double(value)
    span = _span(str(value))
    if span is None or span[0]:
        raise Invalid(
            _(
                "“%(value)s” isn’t a valid duration. Use a number of seconds, or a number with s, m, h, d "
                "or w, such as 90m."
            )
            % {"value": value}
        )
    return span[1]


def _no_time(value: Any) -> Invalid:
    message = _(
        "“%(value)s” isn’t a valid time. Use seconds since 1970, ISO 8601, or a time before now, such as -7d."
    )
    return Invalid(message % {"value": value})


def read_time(value: Any) -> datetime:
    """Return the time that somebody wrote: seconds since 1970, ISO 8601, or a time before now.

    Raises:
        Invalid: it is none of these.
    """
    span = _span(str(value))
    if span is not None and span[0]:
        try:
            return timezone.now() + timedelta(seconds=float(f"{span[0]}{span[1]}"))
        except OverflowError:
            raise Invalid(_("“%(value)s” is out of range.") % {"value": value}) from None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC)
        except (OverflowError, ValueError, OSError):
            raise _no_time(value) from None
    try:
        found = parse_datetime(str(value)) or datetime.fromisoformat(str(value))
    except ValueError:
        raise _no_time(value) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _matching(column: Column, pattern: str) -> Q:
    if column.kind is ColumnKind.ABSENT:
        return NOTHING
    if column.kind is ColumnKind.FLAT:
        return Q(Matches(first_of(FlatText, column.field, list(column.keys)), pattern))
    if column.kind is ColumnKind.TEXT:
        return Q(Matches(column.expression, pattern))
    if column.kind is ColumnKind.TAGS:
        return Q(OneMatches(F(column.field), pattern))
    raise Invalid(_("Regular expressions only work on text."))
