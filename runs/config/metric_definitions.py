"""What ``run.define_metric`` said of a run's metrics: the axis, what the summary holds, which direction is better.

The SDK sends it with the configuration, as ``_wandb.value.m``: a list of its `MetricRecord`s with the numbers of their
fields as keys. Up to 0.29 a glob is told by the keys it has matched, since 0.31 by itself.

Source: ``wandb_internal.proto`` (``MetricRecord``) and ``core/internal/runmetric`` of the SDK.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from common.formats.lenient_json import clean_text
from runs.config.flatten import sdk_part
from runs.models import Run

MARK = '"m":'
"""In the text of every configuration with definitions."""
MINIMIZE, MAXIMIZE = "minimize", "maximize"

_NAME, _GLOB, _STEP, _STEP_POSITION, _OPTIONS, _SUMMARY, _GOAL = "1", "2", "4", "5", "6", "7", "8"
_STEP_SYNC, _HIDDEN, _DEFINED = 1, 2, 3
_SUMMARIES = {1: "min", 2: "max", 3: "mean", 4: "best", 5: "last", 6: "none", 7: "copy", 8: "first"}
_GOALS = {1: MINIMIZE, 2: MAXIMIZE}
_SUMMARY_ENDS = tuple(f".{name}" for name in _SUMMARIES.values() if name not in ("none", "copy"))


@dataclass(frozen=True, slots=True)
class Definition:
    """One call of ``define_metric``, or several of one name."""

    name: str
    """As charts and tables name the key; of a glob with its ``*``."""
    step_metric: str = ""
    """The key that is the x axis; "" for the step."""
    step_sync: bool = False
    """Whether the SDK logged the step metric's last value along."""
    is_hidden: bool = False
    summary: tuple[str, ...] = ()
    goal: str = ""
    """`MINIMIZE`, `MAXIMIZE` or ""."""
    is_explicit: bool = True
    """False where it is there only because another metric has it as its axis."""

    @property
    def is_glob(self) -> bool:
        """Whether it is of all keys that begin so."""
        return self.name.endswith("*")


class Definitions:
    """Those of one run."""

    def __init__(self, found: Iterable[Definition] = ()) -> None:
        rows = list(found)
        self._exact = {row.name: row for row in rows if not row.is_glob}
        globs = [row for row in rows if row.is_glob]
        self._globs = sorted(globs, key=lambda row: len(row.name), reverse=True)
        self._known: dict[str, Definition | None] = {}

    def listed(self) -> list[Definition]:
        """Return what the script defined, by name."""
        rows = [row for row in (*self._exact.values(), *self._globs) if row.is_explicit]
        return sorted(rows, key=lambda row: row.name)

    def of(self, key: str) -> Definition | None:
        """Return what holds for a key: its own definition, else that of the glob with the longest beginning."""
        if key not in self._known:
            self._known[key] = self._found(key)
        return self._known[key]

    def _found(self, key: str) -> Definition | None:
        if key.startswith("_"):
            return None
        found = self._exact.get(key)
        if found is None or not found.is_explicit:
            found = next((row for row in self._globs if key.startswith(row.name[:-1])), None)
        if found is not None and found.step_metric == key:  # "*" is of its own axis, too
            return replace(found, step_metric="")
        return found

    def goal_of(self, column: str) -> str:
        """Return which direction is better for a column of the summary, such as ``loss`` or ``loss.min``."""
        for key in (column, _without_end(column)):
            found = self.of(key)
            if found is not None and found.goal:
                return found.goal
        return ""


def _without_end(column: str) -> str:
    return column.rpartition(".")[0] if column.endswith(_SUMMARY_ENDS) else column


def definitions_in(sdk: Mapping[str, Any]) -> Definitions:
    """Return the definitions in the SDK's part of a configuration; what is none of its records is left out."""
    records = sdk.get("m")
    if not isinstance(records, list):
        return Definitions()
    return Definitions(row for record in records if (row := _definition(record, records)) is not None)


def definitions_of(run: Run) -> Definitions:
    """Return a run's definitions."""
    return definitions_in(sdk_part(run.config_text)) if MARK in run.config_text else Definitions()


def joined_records(first: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """Return the records of two writers as one list, in which each has its step metric's new place.

    Of two of one name, the first's counts, unless it is there only because another metric has it as its axis.
    """
    found: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
    for records in (first, other):
        for record in records:
            if isinstance(record, dict):
                name = _key(record.get(_NAME)), _key(record.get(_GLOB))
                if name not in found or (_is_defined(record) and not _is_defined(found[name][0])):
                    found[name] = record, _step_of(record, records)
    places = {name: place for place, (name, _glob) in enumerate(found, 1) if name}
    return [
        record | {_STEP_POSITION: places[step]} if _STEP_POSITION in record and step in places else record
        for record, step in found.values()
    ]


def _is_defined(record: Mapping[str, Any]) -> bool:
    return _DEFINED in _numbers(record.get(_OPTIONS))


def _definition(record: Any, records: Sequence[Any]) -> Definition | None:
    if not isinstance(record, dict):
        return None
    name = _key(record.get(_NAME)) or _key(record.get(_GLOB))
    if not name:
        return None
    options, step = _numbers(record.get(_OPTIONS)), _step_of(record, records)
    summary = tuple(_SUMMARIES[number] for number in _numbers(record.get(_SUMMARY)) if number in _SUMMARIES)
    goal = record.get(_GOAL)
    return Definition(
        name=name,
        step_metric=step,
        step_sync=_STEP_SYNC in options,
        is_hidden=_HIDDEN in options,
        summary=summary,
        goal=_GOALS.get(goal, "") if isinstance(goal, int) else "",
        is_explicit=name.endswith("*") or _DEFINED in options or bool(step or summary or goal),
    )


def _step_of(record: Mapping[str, Any], records: Sequence[Any]) -> str:
    """Return the step metric: by name, or by its place in the list, from 1."""
    position = record.get(_STEP_POSITION)
    if isinstance(position, int) and 0 < position <= len(records) and isinstance(records[position - 1], dict):
        return _key(records[position - 1].get(_NAME))
    return _key(record.get(_STEP))


def _key(name: Any) -> str:
    """Return a name as history spells it: dots that are part of a key are escaped in definitions only."""
    return clean_text(name).replace("\\.", ".") if isinstance(name, str) else ""


def _numbers(given: Any) -> list[int]:
    return sorted(number for number in given if isinstance(number, int)) if isinstance(given, list) else []


@dataclass(frozen=True, slots=True)
class Agreed:
    """What most of several runs say of a key."""

    step_metric: str = ""
    is_hidden: bool = False
    goal: str = ""


def agreed(of_runs: Collection[Definition | None]) -> Agreed:
    """Return what most runs that have the key say of it; of as many, the first one's: give the newest first."""
    return Agreed(
        most(row.step_metric if row else "" for row in of_runs),
        most(row.is_hidden if row else False for row in of_runs),
        most(row.goal if row else "" for row in of_runs),
    )


_Vote = TypeVar("_Vote", str, bool)


def most(votes: Iterable[_Vote]) -> _Vote:
    """Return the most frequent vote; of as many, the one that came first."""
    ((winner, _),) = Counter(votes).most_common(1)
    return winner
