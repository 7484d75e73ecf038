"""The part of `metrics` in lists of runs: lines of metrics, and why runs failed."""

from collections.abc import Collection, Mapping

from metrics.diagnostics.crash import causes_of
from metrics.series import sparklines
from runs.highlights.provider import MetricLine
from runs.models import Run


class MetricsHighlights:
    """What `runs.highlights` asks."""

    def metric_lines(self, key_of: Mapping[int, str]) -> dict[int, MetricLine]:
        """Return the lines."""
        return sparklines.metric_lines(key_of)

    def causes_of_failure(self, runs: Collection[Run]) -> dict[int, str]:
        """Return the causes."""
        return causes_of(runs)
