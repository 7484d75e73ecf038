"""The latest values of a host or a run, as people and programs see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from runyard_agent.metrics import METRICS, Found, describe, title_of

_ORDER = {metric.tag: number for number, metric in enumerate(METRICS)}


class Point(NamedTuple):
    at: float
    """Seconds, of whichever clock the view has."""
    value: float


class View(NamedTuple):
    """What is known now, and what was before, from which counters get their rates."""

    title: str
    subtitle: str
    now: Mapping[str, Point]
    before: Mapping[str, Point]
    about: Mapping[str, Any]
    """Of the host or run, for programs."""
    clock: float | None = None
    """The moment from which ages are told; None tells none."""


class Shown(NamedTuple):
    """A value whose meaning is known."""

    tag: str
    found: Found
    point: Point
    rate: float | None
    """Growth per second, of a counter that has two readings."""

    @property
    def is_flow(self) -> bool:
        """Whether the rate is what people look at: of bytes it is, of errors and joules not."""
        return self.found.metric.cumulative and self.found.metric.unit not in ("count", "J", "mJ")


def shown(view: View) -> list[Shown]:
    """Return the values whose tags the table of metrics knows, in its order."""
    values = [
        Shown(tag, found, point, _rate(view.before.get(tag), point) if found.metric.cumulative else None)
        for tag, point in view.now.items()
        if tag.startswith("system.") and (found := describe(tag)) is not None
    ]
    return sorted(values, key=lambda each: _ORDER[each.found.metric.tag])


def by_label(values: Iterable[Shown]) -> dict[str, list[Shown]]:
    """Return the values of each host of the run; those without a label first."""
    labels: dict[str, list[Shown]] = {}
    for each in values:
        labels.setdefault(each.found.label, []).append(each)
    return dict(sorted(labels.items()))


def age_s(values: Iterable[Shown], clock: float | None) -> float | None:
    """Return how old the newest value is; clocks of two hosts may differ, so never less than nothing."""
    moments = [each.point.at for each in values]
    return None if clock is None or not moments else max(clock - max(moments), 0.0)


def as_data(view: View) -> dict[str, Any]:
    """Return what ``top --json`` prints."""
    values = shown(view)
    age = age_s(values, view.clock)
    return {
        **view.about,
        **({} if age is None else {"age_s": round(age, 3)}),
        "metrics": [
            {
                "tag": each.tag,
                "label": each.found.label,
                "group": each.found.metric.group,
                "title": title_of(each.found),
                "value": each.point.value,
                "unit": each.found.metric.unit,
                **({} if each.rate is None else {"per_second": each.rate}),
            }
            for each in values
        ],
    }


def _rate(before: Point | None, now: Point) -> float | None:
    if before is None or now.at <= before.at:
        return None
    return max(now.value - before.value, 0.0) / (now.at - before.at)
