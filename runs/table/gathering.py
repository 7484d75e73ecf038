"""What the runs of each group have: their states, and the numbers of some columns.

From columns in memory where those can say (`runs.column_index`), else by one query that brings the values of every run.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from access.actor import Actor
from runs.column_index import STATE, Array, RunList, Values, groups_in, listed_runs
from runs.models import Project
from runs.query.cells import Reader
from runs.query.column_names import NamedColumn
from runs.query.columns import Column
from runs.query.conditions import double
from runs.table.group_keys import Key, group_values, key_at, key_of, rank_of
from runs.table.query import TableQuery, condition_of, matching_runs


@dataclass(slots=True)
class Gathered:
    """A group's key, how many of its runs are in which state, and the finite numbers of each column."""

    key: Key
    values: Sequence[Array]
    states: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """How many runs there are."""
        return self.states.total()


def gather(
    actor: Actor,
    project: Project,
    query: TableQuery,
    by: NamedColumn,
    numeric: list[NamedColumn],
    *,
    path: Sequence[str] = (),
) -> list[Gathered]:
    """Return the groups of matching runs by a column, in no order.

    Raises:
        Invalid: a part of the query, or the path, cannot be read.
    """
    runs = matching_runs(actor, project, query, path=path)
    columns = [by.column, STATE, *(one.column for one in numeric)]
    found = listed_runs(actor, project, condition_of(query, path), None, columns)
    if found is not None:
        return _from_columns(found, by, [one.column for one in numeric])
    return _from_rows(Reader([by, *numeric]), runs.order_by(), by, numeric)


def _from_rows(reader: Reader, runs: Any, by: NamedColumn, numeric: list[NamedColumn]) -> list[Gathered]:
    places = [reader.columns.index(one) for one in numeric]
    keys: dict[tuple[int, Any], Key] = {}
    states: dict[tuple[int, Any], Counter[str]] = {}
    numbers: dict[tuple[int, Any], list[list[float]]] = {}
    for _pk, state, values in reader.rows(runs):
        key = key_of(by, values[0])
        rank = rank_of(key)
        if rank not in keys:
            keys[rank], states[rank], numbers[rank] = key, Counter(), [[] for _ in numeric]
        states[rank][state] += 1
        for gathered, place in zip(numbers[rank], places, strict=True):
            value = values[place]
            if isinstance(value, float) or type(value) is int:  # a boolean is an int, and no number
                gathered.append(value)
    return [
        Gathered(key, [_finite(one) for one in numbers[rank]], states[rank]) for rank, key in keys.items()
    ]


def _finite(values: list[float]) -> Array:
    doubles = np.fromiter(map(double, values), np.float64, len(values))
    return doubles[np.isfinite(doubles)]


def _from_columns(found: RunList, by: NamedColumn, numeric: list[Column]) -> list[Gathered]:
    values, states = group_values(by, found.columns[by.column]), found.columns[STATE]
    numbers = [found.columns[column] for column in numeric]
    return [
        Gathered(key_at(by, values, some[0]), [one.finite(some) for one in numbers], _counted(states, some))
        for some in groups_in([values])
    ]


def _counted(states: Values, some: Array) -> Counter[str]:
    """Count the texts of some runs."""
    found: Counter[str] = Counter()
    for text, count in enumerate(np.bincount(states.numbers[some].astype(np.int64)).tolist()):
        if count:
            found[states.texts[text]] += count
    return found
