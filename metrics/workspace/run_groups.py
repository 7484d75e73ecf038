"""Groups of runs in the workspace: what its run list shows, and which runs its grouped panels draw (RUN-23, RUN-26).

Groups are those of the runs table: the same columns, the same keys (`runs.table.group_keys`). One query brings what
every listed run is grouped by, with secrets masked; the groups themselves are found here.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from access.actor import Actor
from common.errors import Invalid
from runs.models import Project, Run
from runs.query.column_names import named_column
from runs.table import TableQuery, label_of, matching_runs
from runs.table.cells import Reader
from runs.table.group_keys import NOTHING, Key, check_group, key_of, rank_of, step_of, text_of

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

    def __init__(self, runs: QuerySet[Run], names: Sequence[str]) -> None:
        """Read what the runs are grouped by: one query.

        Raises:
            Invalid: a column makes no groups.
        """
        self.columns = [named_column(name) for name in names]
        for column in self.columns:
            check_group(column)
        reader = Reader(self.columns)
        places = [reader.columns.index(column) for column in self.columns]
        self._keys: dict[Path, tuple[Key, ...]] = {}
        self._members: dict[Path, list[int]] = {}
        for pk, _state, values in reader.rows(runs):
            self._add(pk, [values[place] for place in places])
        self._order = sorted(self._keys, key=lambda path: [rank_of(key) for key in self._keys[path]])

    @classmethod
    def of(cls, actor: Actor, project: Project, query: TableQuery) -> "Grouping":
        """Group the runs that meet the query, in its order.

        Raises:
            Invalid: a part of the query cannot be read, or a column makes no groups.
        """
        return cls(matching_runs(actor, project, query), query.group)

    def _add(self, pk: int, values: Sequence[object]) -> None:
        keys = tuple(key_of(column, value) for column, value in zip(self.columns, values, strict=True))
        path = tuple(step_of(_plain(key)) for key in keys)
        self._keys.setdefault(path, keys)
        self._members.setdefault(path, []).append(pk)

    def level(self, path: Path, offset: int = 0) -> Level:
        """Return a page of what is inside of a group; of all runs, with an empty path. At most one query."""
        if len(path) == len(self.columns):
            members = self._members.get(path, [])
            return Level([], _runs(members[offset : offset + PAGE]), len(members))
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
        runs = {run.pk: run for run in _runs([pk for _turn, _at, pk in chosen])}
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


def _runs(ids: Sequence[int]) -> list[Run]:
    found = Run.objects.filter(pk__in=ids).only("pk", "uid", "number", "display_name", "state")
    by_id = {run.pk: run for run in found}
    return [by_id[pk] for pk in ids if pk in by_id]


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
