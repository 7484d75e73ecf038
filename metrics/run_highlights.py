"""The part of `metrics` in lists of runs: lines of metrics, and why runs failed."""

from collections.abc import Collection, Mapping, Sequence

from metrics.diagnostics.crash import causes_of
from metrics.series import sparklines
from runs.highlights.provider import MetricLine, MiniChart
from runs.models import Run


class MetricsHighlights:
    """What `runs.highlights` asks."""

    def metric_lines(self, key_of: Mapping[int, str]) -> dict[int, MetricLine]:
        """Return the lines."""
        return sparklines.metric_lines(key_of)

    def mini_charts(self, run_ids: Collection[int], keys: Sequence[str]) -> list[MiniChart]:
        """Return the charts."""
        return sparklines.mini_charts(run_ids, keys)

    def causes_of_failure(self, runs: Collection[Run]) -> dict[int, str]:
        """Return the causes."""
        return causes_of(runs)
