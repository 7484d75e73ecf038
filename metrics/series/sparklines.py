"""One metric of each of many runs, as a line so small that it fits into a row."""

from collections.abc import Mapping

import numpy as np

from metrics.models import StreamKind
from metrics.series.charts import ChartRequest, ChartSeries, series_of_runs
from metrics.store.codec import Floats
from runs.highlights.provider import MetricLine

BUCKETS = 60
_TIME = "_timestamp"
_TOP, _BOTTOM = 1.5, 22.5
"""Within a height of 24, so that the stroke is not cut."""


def metric_lines(key_of: Mapping[int, str]) -> dict[int, MetricLine]:
    """Return the line of each run's metric, by the id of the run; a fixed number of statements for any number."""
    request = ChartRequest(StreamKind.HISTORY, [*sorted(set(key_of.values())), _TIME], buckets=BUCKETS)
    found: dict[int, MetricLine] = {}
    for series in series_of_runs(list(key_of), request):
        line = _line(series.by_key.get(key_of[series.run_id]), series.by_key.get(_TIME))
        if line is not None:
            found[series.run_id] = line
    return found


def _line(series: ChartSeries | None, times: ChartSeries | None) -> MetricLine | None:
    if series is None:
        return None
    known = np.isfinite(series.last) & np.isfinite(series.x)
    if not known.any():
        return None
    x, y = series.x[known], series.last[known]
    return MetricLine(float(y[-1]), _polyline(x, y), _pace(times))


def _polyline(x: Floats, y: Floats) -> str:
    if x.size == 1:
        x, y = np.array([0.0, 1.0]), np.repeat(y, 2)
    across = (x - x[0]) / ((x[-1] - x[0]) or 1.0) * 100
    height = float(y.max() - y.min())
    down = (y.max() - y) / height if height else np.full(y.size, 0.5)
    return " ".join(
        f"{at:.1f},{_TOP + part * (_BOTTOM - _TOP):.1f}" for at, part in zip(across, down, strict=True)
    )


def _pace(times: ChartSeries | None) -> float | None:
    """Return steps a second in the last quarter of what was logged."""
    if times is None or times.x.size < 2:  # noqa: PLR2004 - a pace needs two moments
        return None
    begin = times.x.size * 3 // 4 - (times.x.size < 4)  # noqa: PLR2004
    steps, seconds = times.x[-1] - times.x[begin], times.last[-1] - times.last[begin]
    return float(steps / seconds) if seconds > 0 and steps > 0 else None
