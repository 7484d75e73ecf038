"""What only an upper app knows of runs at a glance: it registers one object that says so."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from runs.models import Run


@dataclass(frozen=True, slots=True)
class MetricLine:
    """How a metric of a run went."""

    last: float
    points: str
    """Of an SVG polyline, 100 wide and 24 high."""
    steps_per_s: float | None = None
    """Of late; None where the history tells no time."""


@dataclass(frozen=True, slots=True)
class MiniChart:
    """One metric of several runs, on one scale."""

    key: str
    low: float
    high: float
    first_step: float
    last_step: float
    points_of: dict[int, str]
    """By the id of the run: of an SVG polyline, 100 wide and 24 high."""


class HighlightsProvider(Protocol):
    """Reads points and logs of many runs at once, in a fixed number of queries."""

    def metric_lines(self, key_of: Mapping[int, str]) -> dict[int, MetricLine]:
        """Return the line of each run's metric, by the id of the run; runs without points are left out."""

    def mini_charts(self, run_ids: Collection[int], keys: Sequence[str]) -> list[MiniChart]:
        """Return a chart of each key that one of the runs has, along their steps."""

    def causes_of_failure(self, runs: Collection[Run]) -> dict[int, str]:
        """Return why runs ended badly, as far as their end tells; they have their pulse loaded."""


_providers: list[HighlightsProvider] = []


def register_highlights_provider(provider: HighlightsProvider) -> None:
    """Set who knows; called once in an ``AppConfig.ready``."""
    _providers[:] = [provider]


def metric_lines(key_of: Mapping[int, str]) -> dict[int, MetricLine]:
    """Return the lines that can be drawn of these metrics, by the id of the run."""
    return _providers[0].metric_lines(key_of) if _providers and key_of else {}


def mini_charts(run_ids: Collection[int], keys: Sequence[str]) -> list[MiniChart]:
    """Return the charts that can be drawn of these keys."""
    return _providers[0].mini_charts(run_ids, keys) if _providers and run_ids and keys else []


def causes_of_failure(runs: Collection[Run]) -> dict[int, str]:
    """Return the known causes, by the id of the run."""
    return _providers[0].causes_of_failure(runs) if _providers and runs else {}
