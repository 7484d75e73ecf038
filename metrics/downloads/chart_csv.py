"""All points of a chart as CSV: a row for each place on x, a column for each line, in pieces."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext as _

from common.errors import TooLarge
from common.formats.csv_safety import csv_text
from metrics.series import charts
from metrics.series.charts import ChartRequest, ChartSeries
from metrics.store.codec import Floats

MAX_POINTS = 10_000_000
"""In memory at the same time, 160 MB."""
_ROWS_AT_ONCE = 5000
_ALL = 2**62


def series_by_name(uid_of: Mapping[int, str], request: ChartRequest) -> dict[str, ChartSeries]:
    """Return every point of each line that has any, by ``<run id>/<key>``.

    Raises:
        TooLarge: more than MAX_POINTS.
    """
    whole = replace(request, buckets=_ALL)
    found: dict[str, ChartSeries] = {}
    points = 0
    for lines in charts.series_of_runs(uid_of, whole):
        for key, line in lines.by_key.items():
            points += line.x.size
            if points > MAX_POINTS:
                raise TooLarge(
                    _(
                        "This chart has more than %(most)s points. Choose fewer runs, zoom in, or export "
                        "the history of each run."
                    )
                    % {"most": f"{MAX_POINTS:,}"}
                )
            found[f"{uid_of[lines.run_id]}/{key}"] = line
    return found


def csv_pieces(axis: str, lines: Mapping[str, ChartSeries]) -> Iterator[bytes]:
    """Yield the file; of several points of a line at one place on x the last is written."""
    yield csv_text([[axis, *lines]]).encode()
    places = np.unique(np.concatenate([line.x for line in lines.values()])) if lines else np.array([])
    for start in range(0, places.size, _ROWS_AT_ONCE):
        stretch = places[start : start + _ROWS_AT_ONCE]
        columns = [_at(stretch, line) for line in lines.values()]
        yield csv_text(zip(map(_shortest, stretch.tolist()), *columns, strict=True)).encode()


def _at(places: Floats, line: ChartSeries) -> Sequence[float | None]:
    """Return a line's values at these places on x, None where it has none."""
    at = np.searchsorted(line.x, places, side="right") - 1
    is_there = (at >= 0) & (line.x[np.maximum(at, 0)] == places)
    values = line.last[np.maximum(at, 0)].tolist()
    return [
        _shortest(value) if there else None for value, there in zip(values, is_there.tolist(), strict=True)
    ]


def _shortest(value: float) -> float:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
