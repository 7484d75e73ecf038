"""Which of a run's metrics stands for it where there is space for one, and whether more of it is better."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from runs.config.metric_definitions import MAXIMIZE, MINIMIZE, Definitions
from runs.config.metric_names import COUNTER_RANK, goal_by_name, rank_of

_ENDS = re.compile(r"\.(min|max|mean|best|last|first)$")
_OF_MEDIA = frozenset({"width", "height", "count", "size", "nrows", "ncols"})


@dataclass(frozen=True, slots=True)
class MainMetric:
    """One metric of a run."""

    key: str
    """In its history."""
    column: str
    """In its summary, which may hold the best value instead of the last: ``val/accuracy.max``."""
    goal: str
    """`MAXIMIZE`, `MINIMIZE`, or "" where nobody knows."""


def main_metric(summaries: Iterable[Mapping[str, Any]]) -> MainMetric | None:
    """Return the metric that people look at first in runs with these flat summaries, None where they have none."""
    return next(iter(main_metrics(summaries, 1)), None)


def main_metrics(
    summaries: Iterable[Mapping[str, Any]], limit: int, definitions: Definitions | None = None
) -> list[MainMetric]:
    """Return the metrics that people look at first, no two of one key.

    What is measured on data kept apart comes before what is trained on, scores before losses; what only tells how far
    a run is never stands for it.
    """
    columns = dict.fromkeys(
        column for summary in summaries for column, value in summary.items() if _is_number(value)
    )
    found = [_metric(column, definitions or Definitions()) for column in columns if _is_result(column)]
    by_key: dict[str, MainMetric] = {}
    for one in sorted(found, key=_rank):
        by_key.setdefault(one.key, one)
    return list(by_key.values())[:limit]


def _metric(column: str, definitions: Definitions) -> MainMetric:
    end = _ENDS.search(column)
    by_summary = {"min": MINIMIZE, "max": MAXIMIZE}.get(end[1] if end else "", "")
    goal = definitions.goal_of(column) or by_summary or goal_by_name(column)
    return MainMetric(column[: end.start()] if end else column, column, goal)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_result(column: str) -> bool:
    """Say whether it is neither the SDK's own, nor a part of a media file, nor progress."""
    is_internal = column.startswith(("_", "system/", "system."))
    return not is_internal and column.rpartition(".")[2] not in _OF_MEDIA and rank_of(column) < COUNTER_RANK


def _rank(one: MainMetric) -> tuple[int, int]:
    return rank_of(one.column), [MAXIMIZE, MINIMIZE, ""].index(one.goal)
