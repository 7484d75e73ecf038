"""Groups of runs in the workspace: what its run list shows, and which runs its grouped panels draw (RUN-23, RUN-26).

Groups are those of the runs table: the same columns, the same keys (`runs.table.group_keys`). What every listed run is
grouped by comes from columns in memory or by one query, with secrets masked; the groups themselves are found here.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet

from access.actor import Actor
from common.errors import Invalid
from runs.column_index import RunList, groups_in, listed_runs
from runs.models import Project, Run
from runs.query.cells import Reader
from runs.query.column_names import named_column
from runs.query.ordering import ordering_of
from runs.table import TableQuery, label_of, matching_runs
from runs.table.group_keys import (
    NOTHING,
    Key,
    check_group,
    group_values,
    key_at,
    key_of,
    rank_of,
    step_of,
    text_of,
)
from runs.table.query import condition_of
from runs.table.rows import listed_rows

MAX_GROUPS = 50
"""Drawn together; more lines say nothing."""
MAX_RUNS = 200
"""Of all groups together whose lines are read."""
MAX_RULES = 100
PAGE = 100
"""Groups, or runs of one group, of one page."""

_EXACT = 2**53
"""Integers up to here are the same as doubles."""

Path = tuple[str, ...]
"""The steps from the outermost group to one, each a value in JSON."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of one level: the runs that have the same values as far as its path goes."""

    path: Path
    label: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Level:
    """The groups inside of one, or, where it is of the last column, its runs; ``total`` counts all there are."""

    groups: list[Group]
    runs: list[Run]
    total: int


@dataclass(frozen=True, slots=True)
class DrawnGroup:
    """A group of the last column: what a chart draws one line of.

    ``values`` is its name without the columns; ``place`` its place among all groups.
    """

    path: Path
    name: str
    values: str
    count: int
    place: int


@dataclass(frozen=True, slots=True)
class DrawnGroups:
    """The groups that are drawn and their runs, each with the place of its group in ``groups``.

    ``group_count`` and ``run_count`` are of all groups, drawn or not; ``shown_count`` of those that no rule hides.
    """

    groups: list[DrawnGroup]
    runs: list[tuple[Run, int]]
    group_count: int
    shown_count: int
    run_count: int


class Grouping:
    """The runs of a query, each with the path of its group."""

    def __init__(self, names: Sequence[str]) -> None:
        """Begin without any run.

        Raises:
            Invalid: a column makes no groups.
        """
        self.columns = [named_column(name) for name in names]
        for column in self.columns:
            check_group(column)
        self._keys: dict[Path, tuple[Key, ...]] = {}
        self._members: dict[Path, list[int]] = {}

    @classmethod
    def of(cls, actor: Actor, project: Project, query: TableQuery) -> "Grouping":
        """Group the runs that meet the query, in its order.

        Raises:
            Invalid: a part of the query cannot be read, or a column makes no groups.
        """
        grouping, runs = cls(query.group), matching_runs(actor, project, query)
        columns = [one.column for one in grouping.columns]
        found = listed_runs(actor, project, condition_of(query), ordering_of(query.order), columns)
        if found is not None:
            grouping._add_columns(found)
            return grouping
        return cls.of_runs(runs, query.group)

    @classmethod
    def of_runs(cls, runs: QuerySet[Run], names: Sequence[str]) -> "Grouping":
        """Group runs: one query.

        Raises:
            Invalid: a column makes no groups.
        """
        grouping = cls(names)
        reader = Reader(grouping.columns)
        places = [reader.columns.index(column) for column in grouping.columns]
        for pk, _state, values in reader.rows(runs):
            read = zip(grouping.columns, places, strict=True)
            grouping._add(tuple(key_of(column, values[place]) for column, place in read), [pk])
        return grouping

    def _add_columns(self, found: RunList) -> None:
        values = [group_values(one, found.columns[one.column]) for one in self.columns]
        for some in groups_in(values):
            read = zip(self.columns, values, strict=True)
            keys = tuple(key_at(column, one, int(some[0])) for column, one in read)
            self._add(keys, found.pks[some].tolist())

    def _add(self, keys: tuple[Key, ...], pks: list[int]) -> None:
        path = tuple(step_of(_plain(key)) for key in keys)
        self._keys.setdefault(path, keys)
        self._members.setdefault(path, []).extend(pks)

    @cached_property
    def _order(self) -> list[Path]:
        return sorted(self._keys, key=lambda path: [rank_of(key) for key in self._keys[path]])

    def level(self, path: Path, offset: int = 0) -> Level:
        """Return a page of what is inside of a group; of all runs, with an empty path. At most one query."""
        if len(path) == len(self.columns):
            members = self._members.get(path, [])
            return Level([], listed_rows(members[offset : offset + PAGE]), len(members))
        counts: Counter[Path] = Counter()
        depth = len(path) + 1
        for leaf in self._order:
            if leaf[: len(path)] == path:
                counts[leaf[:depth]] += len(self._members[leaf])
        inside = list(counts)[offset : offset + PAGE]
        column, keys = self.columns[depth - 1], {leaf[:depth]: self._keys[leaf] for leaf in self._order}
        groups = [Group(one, label_of(column), _text(keys[one][depth - 1]), counts[one]) for one in inside]
        return Level(groups, [], len(counts))

    def drawn(self, rules: Mapping[Path, bool]) -> DrawnGroups:
        """Return what is drawn by somebody's rules, at most MAX_GROUPS and MAX_RUNS; one query.

        A rule shows or hides all groups inside of a path, and the longest path decides. Groups that are shown by
        name come before those that no rule speaks of; the room for runs is shared out evenly.
        """
        places = {path: place for place, path in enumerate(self._order)}
        rule_of = {path: _rule(path, rules) for path in self._order}
        shown = [path for path in self._order if rule_of[path] is not False]
        shown_count = len(shown)
        shown.sort(key=lambda path: rule_of[path] is None)
        shown = sorted(shown[:MAX_GROUPS], key=places.__getitem__)
        groups = [self._drawn(path, places[path]) for path in shown]
        turns = [
            (round_number, at, pk)
            for at, path in enumerate(shown)
            for round_number, pk in enumerate(self._members[path])
        ]
        chosen = sorted(sorted(turns)[:MAX_RUNS], key=lambda one: one[1])
        runs = {run.pk: run for run in listed_rows([pk for _turn, _at, pk in chosen])}
        members = [(runs[pk], at) for _turn, at, pk in chosen if pk in runs]
        run_count = sum(map(len, self._members.values()))
        return DrawnGroups(groups, members, len(self._order), shown_count, run_count)

    def _drawn(self, path: Path, place: int) -> DrawnGroup:
        texts = list(map(_text, self._keys[path]))
        named = [f"{label_of(column)}: {text}" for column, text in zip(self.columns, texts, strict=True)]
        return DrawnGroup(path, " · ".join(named), " · ".join(texts), len(self._members[path]), place)


def _plain(key: Key) -> Key:
    """Write equal numbers alike: 1 and 1.0 are one group."""
    return int(key) if isinstance(key, float) and key.is_integer() and abs(key) < _EXACT else key


def _text(key: Key) -> str:
    return text_of(_plain(key)) or NOTHING


def _rule(path: Path, rules: Mapping[Path, bool]) -> bool | None:
    spoken = (rules.get(path[:depth]) for depth in range(len(path), -1, -1))
    return next((rule for rule in spoken if rule is not None), None)


def read_path(text: str) -> Path:
    """Read a path, a list of texts in JSON.

    Raises:
        Invalid: it is not a path.
    """
    try:
        path = json.loads(text or "[]")
    except (ValueError, RecursionError):
        path = None
    if not isinstance(path, list) or not all(isinstance(step, str) for step in path):
        raise Invalid(f"A path must be a JSON list of strings, not {text[:100]!r}.")
    return tuple(path)


def read_rules(show: Iterable[str], hide: Iterable[str]) -> dict[Path, bool]:
    """Read which paths are shown and which hidden.

    Raises:
        Invalid: one is no path, or they are more than MAX_RULES.
    """
    rules = dict.fromkeys(map(read_path, hide), False) | dict.fromkeys(map(read_path, show), True)
    if len(rules) > MAX_RULES:
        raise Invalid(f"At most {MAX_RULES} groups are shown or hidden by name; these are {len(rules)}.")
    return rules
