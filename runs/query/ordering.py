"""Orders of runs: ``-created_at``, ``+summary_metrics.loss``, several by commas. Missing values come last both ways.

A flat key sorts numbers first, then strings, then booleans (semantics section 4). In the names of pages an order may
begin with `RUNNING_FIRST`: running runs come before all others, and each part in the order that follows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, F, IntegerField, Value, When
from django.db.models.expressions import OrderBy
from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.query.column_names import NamedColumn, named_column, split_names
from runs.query.columns import Column, ColumnKind, column_named
from runs.query.flat import InCodeOrder, typed
from runs.states import RunState

MAX_PARTS = 10
RUNNING_FIRST = "-running"


@dataclass(frozen=True, slots=True)
class Ordering:
    """Columns to sort by, each with whether it falls; running runs perhaps before all others."""

    parts: tuple[tuple[Column, bool], ...] = ()
    is_running_first: bool = False


def read_order(
    text: str | None, default: str = "+created_at", *, find: Callable[[str], Column] = column_named
) -> list[OrderBy]:
    """Return what to order by, in the SDK's names; the row's age decides between equals.

    ``find`` returns the column of a name, by default a run's.

    Raises:
        Invalid: an unknown column, or too many.
    """
    return _order(list(read_ordering(text, default, find=find).parts))


def read_ordering(
    text: str | None, default: str = "+created_at", *, find: Callable[[str], Column] = column_named
) -> Ordering:
    """Return an order in the SDK's names; as `read_order`."""
    parts: list[str] = []
    for part in (text or default).split(","):
        if parts and not _is_column(part, find):  # a comma in a key's name
            parts[-1] += f",{part}"
        elif part.strip():
            parts.append(part.strip())
    return Ordering(tuple((find(part.lstrip("+-")), part.startswith("-")) for part in parts))


def _is_column(part: str, find: Callable[[str], Column]) -> bool:
    try:
        find(part.strip().lstrip("+-"))
    except Invalid:
        return not part.strip()
    return True


def read_page_order(text: str) -> list[tuple[NamedColumn, bool]]:
    """Return the columns of an order in the names of pages, each with whether it falls.

    Raises:
        Invalid: an unknown column, or too many.
    """
    parts = [part for part in split_names(text) if part != RUNNING_FIRST]
    return [(named_column(part.lstrip("+-")), part.startswith("-")) for part in parts]


def ordering_of(text: str) -> Ordering:
    """Return an order in the names of pages.

    Raises:
        Invalid: an unknown column.
    """
    parts = tuple((one.column, falling) for one, falling in read_page_order(text))
    return Ordering(parts, is_running_first=RUNNING_FIRST in split_names(text))


def page_order(text: str) -> list[OrderBy]:
    """Return what to order by, in the names of pages; as `read_order`."""
    found = ordering_of(text)
    order = _order(list(found.parts))
    return [_RUNNING.desc(), *order] if found.is_running_first else order


_RUNNING = Case(When(state=RunState.RUNNING, then=Value(1)), default=Value(0), output_field=IntegerField())


def _order(parts: list[tuple[Column, bool]]) -> list[OrderBy]:
    if len(parts) > MAX_PARTS:
        raise Invalid(_("You can sort by at most %(most)s columns.") % {"most": MAX_PARTS})
    order = [one for column, falling in parts for one in _one(column, falling=falling)]
    return [*order, OrderBy(F("pk"), descending=bool(parts) and parts[0][1])]


def _one(column: Column, *, falling: bool) -> list[OrderBy]:
    if column.kind is ColumnKind.ABSENT:
        return []
    if column.kind is ColumnKind.FLAT:
        return [_by(expression, falling=falling) for expression in typed(column)]
    expression = InCodeOrder(column.expression) if column.kind is ColumnKind.TEXT else column.expression
    return [_by(expression, falling=falling, is_set=column.field in _ALWAYS_SET)]


_ALWAYS_SET = frozenset({"created_at", "updated_at", "started_at"})
"""Of these nothing is said of missing values, or PostgreSQL would not use their indexes."""


def _by(expression: Any, *, falling: bool, is_set: bool = False) -> OrderBy:
    return OrderBy(expression, descending=falling, nulls_last=None if is_set else True)
