"""Metrics of many runs as lines so small that they fit into a row or a card."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from metrics.models import StreamKind
from metrics.series.charts import ChartRequest, ChartSeries, series_of_runs
from metrics.store.codec import Floats
from runs.highlights.provider import MetricLine, MiniChart

BUCKETS = 60
_TIME = "_timestamp"
_TOP, _BOTTOM = 1.5, 22.5
"""Within a height of 24, so that the stroke is not cut."""

_Points = tuple[Floats, Floats]


def metric_lines(key_of: Mapping[int, str]) -> dict[int, MetricLine]:
    """Return the line of each run's metric, by the id of the run; a fixed number of statements for any number."""
    request = ChartRequest(StreamKind.HISTORY, [*sorted(set(key_of.values())), _TIME], buckets=BUCKETS)
    found: dict[int, MetricLine] = {}
    for series in series_of_runs(list(key_of), request):
        points = _known(series.by_key.get(key_of[series.run_id]))
        if points is not None:
            drawn = _polyline(points, _range([points[0]]), _range([points[1]]))
            found[series.run_id] = MetricLine(float(points[1][-1]), drawn, _pace(series.by_key.get(_TIME)))
    return found


def mini_charts(run_ids: Collection[int], keys: Sequence[str]) -> list[MiniChart]:
    """Return a chart of each key that one of the runs has, all its lines on one scale."""
    request = ChartRequest(StreamKind.HISTORY, keys, buckets=BUCKETS * 2)
    by_key: dict[str, dict[int, _Points]] = {key: {} for key in keys}
    for series in series_of_runs(run_ids, request):
        for key, found in by_key.items():
            points = _known(series.by_key.get(key))
            if points is not None:
                found[series.run_id] = points
    return [_chart(key, found) for key, found in by_key.items() if found]


def _chart(key: str, found: Mapping[int, _Points]) -> MiniChart:
    across, up = _range([x for x, _ in found.values()]), _range([y for _, y in found.values()])
    points_of = {run_id: _polyline(points, across, up) for run_id, points in found.items()}
    return MiniChart(key, *up, *across, points_of)


def _known(series: ChartSeries | None) -> _Points | None:
    """Return the points that can be drawn, None where there are none."""
    if series is None:
        return None
    known = np.isfinite(series.last) & np.isfinite(series.x)
    return (series.x[known], series.last[known]) if known.any() else None


def _range(values: Sequence[Floats]) -> tuple[float, float]:
    return min(float(one.min()) for one in values), max(float(one.max()) for one in values)


def _polyline(points: _Points, across: tuple[float, float], up: tuple[float, float]) -> str:
    """Return the points of an SVG polyline, 100 wide and 24 high; what never changes is a level line."""
    x, y = points
    if x.size == 1:
        x, y = np.array(across), np.repeat(y, 2)
    at = _share(x, across) * 100 if across[0] < across[1] else np.linspace(0, 100, x.size)
    down = _BOTTOM - _share(y, up) * (_BOTTOM - _TOP)
    return " ".join(f"{one:.1f},{other:.1f}" for one, other in zip(at, down, strict=True))


def _share(values: Floats, limits: tuple[float, float]) -> Floats:
    low, high = limits
    return (values - low) / (high - low) if low < high else np.full(values.size, 0.5)


def _pace(times: ChartSeries | None) -> float | None:
    """Return steps a second in the last quarter of what was logged."""
    if times is None or times.x.size < 2:
        return None
    begin = min(times.x.size * 3 // 4, times.x.size - 2)
    steps, seconds = times.x[-1] - times.x[begin], times.last[-1] - times.last[begin]
    return float(steps / seconds) if seconds > 0 and steps > 0 else None
