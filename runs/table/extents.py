"""The least and the greatest value of numeric columns over all runs that a table lists: the best of a column, bars."""

import sys

import numpy as np
from django.db.models import Aggregate, F, Max, Min, Q

from access.actor import Actor
from runs.column_index import listed_runs
from runs.models import Project
from runs.query.column_names import NamedColumn, named_column
from runs.query.columns import ColumnKind
from runs.query.flat import typed
from runs.table.groups import NUMERIC
from runs.table.query import TableQuery, condition_of, matching_runs

MAX_EXTENTS = 40
"""Columns of one answer, the first ones."""
_MOST = sys.float_info.max


def extents_of(actor: Actor, project: Project, query: TableQuery) -> dict[str, tuple[float, float]]:
    """Return the smallest and largest finite value of the query's numeric columns that have one; at most one query.

    Raises:
        Invalid: a part of the query cannot be read.
    """
    columns = [one for one in map(named_column, query.columns) if one.column.kind in NUMERIC][:MAX_EXTENTS]
    if not columns:
        return {}
    runs = matching_runs(actor, project, query).order_by()
    kept = listed_runs(actor, project, condition_of(query), None, [one.column for one in columns])
    if kept is not None:
        every = np.arange(len(kept.pks))
        numbers = {one.name: kept.columns[one.column].finite(every) for one in columns}
        return {name: (float(one.min()), float(one.max())) for name, one in numbers.items() if len(one)}
    runs = runs.annotate(**{f"value{place}": _number(one) for place, one in enumerate(columns)})
    bounds: dict[str, Aggregate] = {}
    for place in range(len(columns)):
        name = f"value{place}"
        finite = Q(**{f"{name}__gte": -_MOST, f"{name}__lte": _MOST})
        bounds |= {f"low{place}": Min(F(name), filter=finite), f"high{place}": Max(F(name), filter=finite)}
    found = runs.aggregate(**bounds)
    return {
        one.name: (found[f"low{place}"], found[f"high{place}"])
        for place, one in enumerate(columns)
        if found[f"low{place}"] is not None
    }


def _number(one: NamedColumn) -> object:
    column = one.column
    return typed(column)[0] if column.kind is ColumnKind.FLAT else column.expression
