"""What charts ask for. The caller has the run from a visible query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Max

from metrics.models import Stream, StreamKind
from metrics.store import reads, row_blocks
from metrics.store.codec import Floats
from metrics.store.columns import EMPTY, Column, positions_on
from metrics.store.downsampling import Points, Series, sample, sample_blocks
from metrics.store.pyramid import AXES
from metrics.store.row_blocks import Block

MAX_BUCKETS = 10_000
MAX_KEYS = 500
MAX_LISTED = 10_000
"""Keys that one answer names."""
_TIMES = ("_runtime", "_timestamp")


def _numbers(values: Floats) -> list[Any]:
    """Return JSON numbers; non-finite ones as their names."""
    numbers: list[Any] = values.tolist()
    if np.isfinite(values).all():
        return numbers
    names = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return [value if np.isfinite(value) else names.get(value, "NaN") for value in numbers]


def series(
    run_id: int,
    kind: StreamKind,
    keys: Sequence[str],
    *,
    x: str = "",
    buckets: int = 600,
    exact: bool = False,
) -> dict[str, dict[str, list[Any]]]:
    """Return, per key that has numbers, its buckets along ``x`` and their times.

    Args:
        run_id: The run.
        kind: History or system metrics.
        keys: Shown names.
        x: ``_step``, ``_runtime``, ``_timestamp`` or any logged key; "" is the kind's own (step or time).
        buckets: At most so many per key.
        exact: Read every point, even where blocks of 64 would do: a bucket's edge may lie within a block.
    """
    parts = list(row_blocks.blocks(run_id, kind))
    request = _SeriesRequest(keys, x or reads.X_OF[kind], buckets, _TIMES, exact=exact)
    return _series_by_key(parts, request)


@dataclass(frozen=True, slots=True)
class _SeriesRequest:
    keys: Sequence[str]
    x: str
    buckets: int
    times: Sequence[str]
    exact: bool


def _series_by_key(parts: Sequence[Block], request: _SeriesRequest) -> dict[str, dict[str, list[Any]]]:
    use_blocks = request.x in AXES and not request.exact
    blocks = reads.coarse(parts, request.keys, request.x, request.buckets) if use_blocks else {}
    left = [key for key in request.keys if key not in blocks]
    columns = reads.columns(parts, {*left, request.x, *request.times}) if left else {}
    answer: dict[str, dict[str, list[Any]]] = {}
    for key in request.keys:
        if key in blocks:
            answer[key] = _from_blocks(blocks[key], key, request)
        elif columns[key].rows.size:
            answer[key] = _from_points(columns, key, request)
    return answer


def _from_blocks(points: dict[str, Points], key: str, request: _SeriesRequest) -> dict[str, list[Any]]:
    drawn = sample_blocks(points[key], request.buckets)
    return _buckets_json(drawn, {name[1:]: points[name].last[drawn.at] for name in request.times})


def _from_points(columns: dict[str, Column], key: str, request: _SeriesRequest) -> dict[str, list[Any]]:
    column, axis = columns[key], columns[request.x]
    where = positions_on(axis, column.rows, request.x)
    drawn = sample(where, column.values, request.buckets)
    return _buckets_json(drawn, {name[1:]: columns[name].at(column.rows[drawn.at]) for name in request.times})


def _buckets_json(found: Series, times: dict[str, Floats]) -> dict[str, list[Any]]:
    values = {
        "x": found.x,
        "mean": found.mean,
        "min": found.min,
        "max": found.max,
        "last": found.last,
        **times,
    }
    return {"count": found.count.tolist(), **{name: _numbers(column) for name, column in values.items()}}


def keys_json(run_id: int, kind: StreamKind, *, after: str = "") -> dict[str, Any]:
    """Return what was logged under each key, by name, without the SDK's own keys: at most MAX_LISTED.

    Args:
        run_id: The run.
        kind: History or system metrics.
        after: Only keys after this one.

    Returns:
        ``keys``, and as ``next`` the last of them where there are more, else None.
    """
    counted = reads.counted_keys(row_blocks.blocks(run_id, kind))
    names = [name for name in counted.names() if name > after and not name.startswith("_")]
    listed = names[:MAX_LISTED]
    rows = []
    for key, stats in counted.stats(listed).items():
        last = _numbers(np.array([stats.last]))[0] if isinstance(stats.last, float) else stats.last
        rows.append(
            {
                "key": key,
                "type": stats.type,
                "count": stats.count,
                "last": last,
                "min": stats.min,
                "max": stats.max,
            }
        )
    return {"keys": rows, "next": listed[-1] if len(names) > len(listed) else None}


def first_begin(run_id: int) -> float | None:
    """Return when the process began that wrote the first row of a history, as the row's two clocks say."""
    first = next(iter(row_blocks.blocks(run_id, StreamKind.HISTORY)), None)
    columns = reads.columns([first], _TIMES) if first else {}
    times, clock = (columns.get(key, EMPTY) for key in ("_timestamp", "_runtime"))
    if not times.rows.size:
        return None
    runtime = float(clock.at(times.rows[:1])[0])
    return float(times.values[0]) - (runtime if np.isfinite(runtime) else 0.0)


def last_values(run_id: int) -> dict[str, Any]:
    """Return the last value under each key of a history, whole numbers as integers, as the SDK's core writes them."""
    counted = reads.counted_keys(row_blocks.blocks(run_id, StreamKind.HISTORY))
    lasts = {name: stats.last for name, stats in counted.stats().items()}
    return {
        name: int(last) if type(last) is float and last.is_integer() else last for name, last in lasts.items()
    }


def last_line_at(run_id: int) -> float | None:
    """Return the greatest time in a run's history and samples, seconds since 1970; None where they tell none."""
    found: float | None = Stream.objects.filter(run=run_id).aggregate(last=Max("last_at"))["last"]
    return found
