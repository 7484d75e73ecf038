"""What charts ask for. The caller has the run from a visible query."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Max

from metrics.models import Kind, Stream
from metrics.store import reads
from metrics.store.codec import Floats
from metrics.store.downsampling import Points, Series, sample, sample_blocks
from metrics.store.pyramid import AXES
from metrics.store.reads import Block, Column

MAX_BUCKETS = 10_000
MAX_KEYS = 500
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
    kind: Kind,
    keys: Sequence[str],
    *,
    x: str = "",
    buckets: int = 600,
    row_from: int = 0,
    exact: bool = False,
) -> dict[str, dict[str, list[Any]]]:
    """Return, per key that has numbers, its buckets along ``x`` and their times.

    Args:
        run_id: The run.
        kind: History or system metrics.
        keys: Shown names.
        x: ``_step``, ``_runtime``, ``_timestamp`` or any logged key; "" is the kind's own (step or time).
        buckets: Points wanted per key.
        row_from: Only rows from this one on; with it every point is a bucket of its own.
        exact: Read every point, even where blocks of 64 would do: a bucket's edge may lie within a block.
    """
    parts = list(reads.blocks(run_id, kind, row_from=row_from))
    wanted = _Wanted(keys, x or reads.X_OF[kind], 0 if row_from else buckets, _TIMES, exact=exact)
    return _drawn(parts, wanted)


def series_of(
    run_ids: Collection[int],
    kind: Kind,
    keys: Sequence[str],
    *,
    x: str = "",
    buckets: int = 600,
    exact: bool = False,
) -> dict[int, dict[str, dict[str, list[Any]]]]:
    """Return, per run that has rows, what `series` would, without the times."""
    wanted = _Wanted(keys, x or reads.X_OF[kind], buckets, (), exact=exact)
    return {run_id: _drawn(parts, wanted) for run_id, parts in reads.blocks_of(run_ids, kind)}


@dataclass(frozen=True, slots=True)
class _Wanted:
    keys: Sequence[str]
    x: str
    buckets: int
    """0: each point."""
    times: Sequence[str]
    exact: bool


def _drawn(parts: Sequence[Block], wanted: _Wanted) -> dict[str, dict[str, list[Any]]]:
    use_blocks = wanted.x in AXES and wanted.buckets and not wanted.exact
    blocks = reads.coarse(parts, wanted.keys, wanted.x, wanted.buckets) if use_blocks else {}
    left = [key for key in wanted.keys if key not in blocks]
    columns = reads.columns(parts, {*left, wanted.x, *wanted.times}) if left else {}
    answer: dict[str, dict[str, list[Any]]] = {}
    for key in wanted.keys:
        if key in blocks:
            answer[key] = _from_blocks(blocks[key], key, wanted)
        elif columns[key].rows.size:
            answer[key] = _from_points(columns, key, wanted)
    return answer


def _from_blocks(points: dict[str, Points], key: str, wanted: _Wanted) -> dict[str, list[Any]]:
    drawn = sample_blocks(points[key], wanted.buckets)
    return _shown(drawn, {name[1:]: points[name].last[drawn.at] for name in wanted.times})


def _from_points(columns: dict[str, Column], key: str, wanted: _Wanted) -> dict[str, list[Any]]:
    column, axis = columns[key], columns[wanted.x]
    where = reads.places_on(axis, column.rows, wanted.x)
    drawn = sample(where, column.values, wanted.buckets or column.rows.size)
    return _shown(drawn, {name[1:]: columns[name].at(column.rows[drawn.at]) for name in wanted.times})


def _shown(found: Series, times: dict[str, Floats]) -> dict[str, list[Any]]:
    values = {
        "x": found.x,
        "mean": found.mean,
        "min": found.min,
        "max": found.max,
        "last": found.last,
        **times,
    }
    return {"count": found.count.tolist(), **{name: _numbers(column) for name, column in values.items()}}


def described(run_id: int, kind: Kind) -> list[dict[str, Any]]:
    """Return what was logged under each key, without the SDK's own keys."""
    rows = []
    for key, stats in reads.describe([run_id], kind).get(run_id, {}).items():
        if key.startswith("_"):
            continue
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
    return rows


def last_line_at(run_id: int) -> float | None:
    """Return the greatest time in a run's history and samples, seconds since 1970; None where they tell none."""
    found: float | None = Stream.objects.filter(run=run_id).aggregate(last=Max("last_at"))["last"]
    return found
