"""Orders of runs: ``-created_at``, ``+summary_metrics.loss``, several by commas. Missing values come last both ways.

A flat key sorts numbers first, then strings, then booleans (semantics section 4).
"""

from typing import Any

from django.db.models import F
from django.db.models.expressions import OrderBy

from common.errors import Invalid
from runs.query.columns import Kind, column_named
from runs.query.flat import FlatBoolean, FlatNumber, FlatText, first_of

MAX_PARTS = 10


def read_order(text: str | None, default: str = "+created_at") -> list[OrderBy]:
    """Return what to order by; the run's age decides between equals.

    Raises:
        Invalid: an unknown column, or too many.
    """
    parts = [part.strip() for part in (text or default).split(",") if part.strip()]
    if len(parts) > MAX_PARTS:
        raise Invalid(f"At most {MAX_PARTS} columns to order by.")
    order: list[OrderBy] = []
    for part in parts:
        order += _one(part.lstrip("+-"), falling=part.startswith("-"))
    falling = bool(parts) and parts[0].startswith("-")
    return [*order, OrderBy(F("pk"), descending=falling)]


def _one(name: str, *, falling: bool) -> list[OrderBy]:
    column = column_named(name)
    if column.kind is Kind.ABSENT:
        return []
    if column.kind is not Kind.FLAT:
        return [_by(F(column.field), falling=falling)]
    keys = list(column.keys)
    typed: list[Any] = [
        first_of(expression, column.field, keys) for expression in (FlatNumber, FlatText, FlatBoolean)
    ]
    return [_by(expression, falling=falling) for expression in typed]


def _by(expression: Any, *, falling: bool) -> OrderBy:
    return OrderBy(expression, descending=falling, nulls_last=True)
