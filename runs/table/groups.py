"""Groups of runs: counts, states, and of every numeric column its spread (RUN-23).

What the runs of each group have is gathered in `runs.table.gathering`; the rest is arithmetic.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from access.actor import Actor
from common.errors import Invalid
from runs.models import Project
from runs.query.column_names import NamedColumn, named_column
from runs.query.columns import ColumnKind
from runs.query.ordering import read_page_order
from runs.table.gathering import Gathered, gather
from runs.table.group_keys import Key, check_group, rank_of, step_of, text_of
from runs.table.query import TableQuery

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
    gathered = gather(actor, project, query, by, numeric, path=path)
    ordered = _in_order(gathered, query, by, numeric)
    groups = [
        Group(
            column=by.name, value=one.key, text=text_of(one.key), count=one.count, path=(*path, step_of(one.key)),
            numbers=_spreads(one, numeric), states=dict(one.states),
        )
        for one in ordered[offset : offset + min(limit, MAX_GROUPS)]
    ]  # fmt: skip
    return GroupPage(groups, len(ordered), sum(one.count for one in ordered))


def _in_order(
    groups: list[Gathered], query: TableQuery, by: NamedColumn, numeric: list[NamedColumn]
) -> list[Gathered]:
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


def _mean(values: np.ndarray) -> float | None:
    return math.fsum(values) / len(values) if len(values) else None


def _spreads(group: Gathered, columns: list[NamedColumn]) -> dict[str, GroupNumbers]:
    """Return the spread of each column that has values, by name."""
    pairs = zip(columns, group.values, strict=True)
    return {column.name: _spread(values) for column, values in pairs if len(values)}


def _spread(values: np.ndarray) -> GroupNumbers:
    low, high = float(values.min()), float(values.max())
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest there are
        mean, std = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else math.nan
    return GroupNumbers(
        count=len(values), mean=mean, min=low, max=high, std=std,
        bins=_bins(values, low, high),
    )  # fmt: skip


def _bins(values: np.ndarray, low: float, high: float) -> list[tuple[float, float, int]]:
    count = min(MAX_BINS, math.ceil(math.sqrt(len(values))))
    if low == high or not math.isfinite(high - low):
        return [(low, high, len(values))]
    counts, edges = np.histogram(values, bins=count, range=(low, high))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True))
