"""Runtime and duration, which grow while a run goes on: computed from kept times, as `runs.query.durations` does."""

from collections.abc import Callable

import numpy as np
from django.utils import timezone

from runs.column_index.values import ABSENT, REAL, Array, Values
from runs.query.columns import Column, ColumnKind, column_named

_STARTED, _FINISHED = column_named("started_at"), column_named("finished_at")
_ACTIVE_SINCE = Column(ColumnKind.TIME, "active_since")
_ACTIVE_BEFORE = Column(ColumnKind.NUMBER, "active_before_s")
_PARTS = {"runtime": [_STARTED, _FINISHED], "duration": [_ACTIVE_BEFORE, _ACTIVE_SINCE, _FINISHED]}


def parts_of(column: Column) -> list[Column]:
    """Return the columns that a length of time is computed from."""
    return _PARTS[column.field]


def span(column: Column, find: Callable[[Column], Values]) -> Values:
    """Return a length of time of each run, in seconds, until now where it goes on."""
    found = Values()
    if column.field == "runtime":
        found.numbers = _elapsed(find(_STARTED), find(_FINISHED))
    else:
        found.numbers = find(_ACTIVE_BEFORE).numbers + _elapsed(find(_ACTIVE_SINCE), find(_FINISHED))
    found.kinds = np.full(len(found.numbers), REAL, np.uint8)
    return found


def _elapsed(since: Values, until: Values) -> Array:
    """Return the seconds between two times, 0 where there is none; to the microsecond, as times are kept."""
    ended = np.where(until.kinds == ABSENT, timezone.now().timestamp(), until.numbers)
    passed = np.maximum(0.0, np.round((ended - since.numbers) * 1e6) / 1e6)
    return np.where(since.kinds == ABSENT, 0.0, passed)
