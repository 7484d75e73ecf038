"""Groups of runs: counts, states, and of every numeric column its spread (RUN-23).

One query brings each matching run's state and the values it takes; the rest is arithmetic here, the same on both
databases. 10,000 runs with 20 numeric columns take about as long as the query itself.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import QuerySet

from access.actor import Actor
from common.errors import Invalid
from runs.models import Project, Run
from runs.query.column_names import NamedColumn, named_column
from runs.query.columns import ColumnKind
from runs.query.conditions import double
from runs.query.ordering import read_page_order
from runs.table.cells import Reader
from runs.table.group_keys import Key, check_group, key_of, rank_of, step_of, text_of
from runs.table.query import TableQuery, matching_runs

MAX_BINS = 30
MAX_GROUPS = 1000
"""At once."""


NUMERIC = frozenset({ColumnKind.NUMBER, ColumnKind.SPAN, ColumnKind.FLAT})


@dataclass(frozen=True, slots=True)
class GroupNumbers:
    """The finite values of one column in one group; ``std`` is a sample's (n − 1), as in charts: NaN of one value.

    ``bins`` are (from, to, how many), of equal width: min(30, ceil(sqrt(count))), and one where all values are equal.
    """

    count: int
    mean: float
    min: float
    max: float
    std: float
    bins: list[tuple[float, float, int]]


@dataclass(frozen=True, slots=True)
class Group:
    """The runs of one value; ``path`` leads to it from the outermost level, one step of JSON for each."""

    column: str
    value: Key
    text: str
    count: int
    path: tuple[str, ...]
    numbers: dict[str, GroupNumbers] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Some groups of one level; how many groups and how many runs there are in all of it."""

    groups: list[Group]
    total: int
    run_count: int


@dataclass(slots=True)
class _Gathered:
    """What the runs of one group have: states, and each numeric column's finite values."""

    key: Key
    values: list[list[float]]
    states: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        return self.states.total()

    def numbers(self, columns: list[NamedColumn]) -> dict[str, GroupNumbers]:
        """Return the spread of each column that has values, by name."""
        pairs = zip(columns, self.values, strict=True)
        return {column.name: _numbers(values) for column, values in pairs if values}


def groups_of(
    actor: Actor,
    project: Project,
    query: TableQuery,
    *,
    path: Sequence[str] = (),
    offset: int = 0,
    limit: int = 100,
) -> GroupPage:
    """Return one level of groups: the first column's, or with a ``path`` those inside of that group.

    They are in the order of their values: numbers, text, booleans, none. Falling where the query's order names their
    column so; by their means where it begins with a numeric column.

    Raises:
        Invalid: a part of the query cannot be read, a column makes no groups, or the path leads to single runs.
    """
    if len(path) >= len(query.group):
        raise Invalid("Inside of the last column to group by there are runs, not groups.")
    by = named_column(query.group[len(path)])
    check_group(by)
    numeric = [one for one in map(named_column, query.columns) if one.column.kind in NUMERIC]
    gathered = _gather(matching_runs(actor, project, query, path=path).order_by(), by, numeric)
    ordered = _in_order(gathered, query, by, numeric)
    groups = [
        Group(
            column=by.name, value=one.key, text=text_of(one.key), count=one.count, path=(*path, step_of(one.key)),
            numbers=one.numbers(numeric), states=dict(one.states),
        )
        for one in ordered[offset : offset + min(limit, MAX_GROUPS)]
    ]  # fmt: skip
    return GroupPage(groups, len(ordered), sum(one.count for one in ordered))


def _gather(runs: QuerySet[Run], by: NamedColumn, numeric: list[NamedColumn]) -> list[_Gathered]:
    reader = Reader([by, *numeric])
    places = [reader.columns.index(one) for one in numeric]
    found: dict[tuple[int, Any], _Gathered] = {}
    for _pk, state, values in reader.rows(runs):
        key = key_of(by, values[0])
        rank = rank_of(key)
        group = found.get(rank)
        if group is None:
            group = found[rank] = _Gathered(key, [[] for _ in numeric])
        group.states[state] += 1
        for gathered, place in zip(group.values, places, strict=True):
            value = values[place]
            if isinstance(value, float) or type(value) is int:  # a boolean is an int, and no number
                gathered.append(value)
    for group in found.values():
        group.values = [_finite(values) for values in group.values]
    return list(found.values())


def _finite(values: list[float]) -> list[float]:
    doubles = map(double, values)
    return [value for value in doubles if math.isfinite(value)]


def _in_order(
    groups: list[_Gathered], query: TableQuery, by: NamedColumn, numeric: list[NamedColumn]
) -> list[_Gathered]:
    order = read_page_order(query.order)
    falls = next((falling for one, falling in order if one == by), False)
    groups = sorted(groups, key=lambda one: rank_of(one.key), reverse=falls)
    groups.sort(key=lambda one: one.key is None)  # none is last both ways
    if order and order[0][0] != by and order[0][0] in numeric:
        place, falling = numeric.index(order[0][0]), order[0][1]
        means = {id(one): _mean(one.values[place]) for one in groups}
        groups.sort(key=lambda one: means[id(one)] or 0.0, reverse=falling)
        groups.sort(key=lambda one: means[id(one)] is None)
    return groups


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _numbers(values: list[float]) -> GroupNumbers:
    found = np.array(values)
    low, high = float(found.min()), float(found.max())
    std = float(found.std(ddof=1)) if len(values) > 1 else math.nan
    return GroupNumbers(
        count=len(values), mean=float(found.mean()), min=low, max=high, std=std,
        bins=_bins(found, low, high),
    )  # fmt: skip


def _bins(values: np.ndarray, low: float, high: float) -> list[tuple[float, float, int]]:
    count = min(MAX_BINS, math.ceil(math.sqrt(len(values))))
    if low == high or not math.isfinite(high - low):
        return [(low, high, len(values))]
    counts, edges = np.histogram(values, bins=count, range=(low, high))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True))
