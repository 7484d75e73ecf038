"""The automations on metrics of a project, compiled so that most posts are dismissed by a few comparisons."""

import math
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from alerts.automation.conditions import Change, ChangeKind, Flags, MetricTest, Threshold, Values
from alerts.automation.events import METRIC_EVENTS
from alerts.automation.filters import Condition
from alerts.automation.plan import with_conditions, with_plan
from alerts.models import Automation
from metrics.tally import shown_key
from runs.models import Project

RELOAD_S = 5.0
"""How long compiled automations are used before the database is asked whether they changed."""
_MARGIN = 1e-9
"""Means are rounded, so one may lie this much, relatively, beyond the values it is made of."""
_TINY = 1e-300
_MOST_PLANS = 4096

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One automation on a metric."""

    automation: Automation
    condition: Condition
    test: MetricTest
    metric: int
    """Its metric's number among those of the project."""
    shape: int
    """The number of its test's shape."""
    number: int
    """Its own among the rules of the project."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a group of columns is watched."""

    columns: Places
    """Where the metrics' columns are in the group."""
    metrics: Places
    """Their numbers."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What values must reach for a rule to be worth a look; by rule."""

    metric: Places
    looks_back: npt.NDArray[np.bool_]
    low: Values
    high: Values
    span: Values
    share: Values
    has_spans: bool


class Rules:
    """What is watched in one project."""

    def __init__(self, automations: Iterable[Automation]) -> None:
        automations = tuple(automations)
        pairs = with_conditions(automations)
        tests = [(one, condition, condition.test) for one, condition in pairs if condition.test is not None]
        self.metrics = tuple(sorted({test.metric for _, _, test in tests}))
        numbers = {name: number for number, name in enumerate(self.metrics)}
        shapes: dict[tuple[Any, ...], int] = {}
        self.rules = tuple(
            Rule(
                one, condition, test, numbers[test.metric], shapes.setdefault(test.shape, len(shapes)), number
            )
            for number, (one, condition, test) in enumerate(tests)
        )
        self.metric_of = np.array([rule.metric for rule in self.rules], np.intp)
        self.shape_of = np.array([rule.shape for rule in self.rules], np.intp)
        self.stamp = stamp_of(automations)
        self.since: datetime = min(one.updated_at for one in automations)
        """When the oldest one was made or last changed: what came before was not for any of these."""
        self.need = max((rule.test.need for rule in self.rules), default=1)
        self.needs = [1] * len(self.metrics)
        for rule in self.rules:
            self.needs[rule.metric] = max(self.needs[rule.metric], rule.test.need)
        self._bounds = _bounds_of(self.rules)
        self._plans: dict[tuple[str, ...], Plan | None] = {}
        self._numbers = numbers

    def plan(self, keys: tuple[str, ...]) -> Plan | None:
        """Return what of columns of these names is watched; None for nothing."""
        try:
            return self._plans[keys]
        except KeyError:
            found = {self._numbers.get(shown_key(key)): place for place, key in enumerate(keys)}
            found.pop(None, None)
            numbers = sorted(number for number in found if number is not None)
            columns = np.array([found[number] for number in numbers], np.intp)
            plan = Plan(columns, np.array(numbers, np.intp)) if numbers else None
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[keys] = plan
            return plan

    def shown_names(self) -> set[str]:
        """Return the shown names of all columns that are watched."""
        return set(self._numbers)

    def worth_a_look(self, low: Values, high: Values, low_before: Values, high_before: Values) -> Flags:
        """Say which rules (the last axis) new values of streams may meet, by what is known of each metric.

        Args:
            low: The least new value of each metric, NaN without any; (streams, metrics).
            high: The greatest.
            low_before: The least that a window may still hold, NaN without any.
            high_before: The greatest.
        """
        bounds = self._bounds
        with np.errstate(invalid="ignore"):
            low, high = low[:, bounds.metric], high[:, bounds.metric]
            is_new = low == low  # noqa: PLR0124 - not NaN
            low = np.where(bounds.looks_back, np.fmin(low, low_before[:, bounds.metric]), low)
            high = np.where(bounds.looks_back, np.fmax(high, high_before[:, bounds.metric]), high)
            met = is_new & (high >= bounds.low) & (low <= bounds.high)
            if bounds.has_spans:
                least = bounds.span + bounds.share * np.maximum(np.maximum(low, -high), 0.0)
                least -= _MARGIN * np.maximum(np.abs(low), np.abs(high))
                met &= ~(high - low < least)
        return np.asarray(met)


def _bounds_of(rules: Collection[Rule]) -> _Bounds:
    found = np.array([_bounds_of_test(rule.test) for rule in rules], np.float64).reshape(-1, 4)
    low, high, span, share = found.T
    metric = np.array([rule.metric for rule in rules], np.intp)
    looks_back = np.array([rule.test.need > 1 for rule in rules])
    return _Bounds(metric, looks_back, low, high, span, share, has_spans=bool(np.isfinite(span).any()))


def _bounds_of_test(test: MetricTest) -> tuple[float, float, float, float]:
    """Return what the greatest value reaches, what the least does, and how far they lie apart: whole, and by share."""
    low, high, span, share = -math.inf, math.inf, -math.inf, 0.0
    if isinstance(test, Threshold):
        slack = abs(test.threshold) * _MARGIN + _TINY
        if test.comparison in {"$gt", "$gte", "$eq"}:
            low = test.threshold - slack
        if test.comparison in {"$lt", "$lte", "$eq"}:
            high = test.threshold + slack
    elif isinstance(test, Change):
        if test.kind is ChangeKind.ABSOLUTE:
            span = test.amount * (1 - _MARGIN) - _TINY
        else:
            span, share = -_TINY, test.amount * (1 - _MARGIN)
    return low, high, span, share


def stamp_of(automations: Iterable[Automation]) -> tuple[Any, ...]:
    """Return what is another when any of the automations was changed."""
    return tuple((one.pk, one.updated_at) for one in automations)


def metric_automations(projects: Collection[Project]) -> dict[int, list[Automation]]:
    """Return the automations on metrics that are on, by project; one statement and what the plans take."""
    of_projects = Q(project__in=[project.pk for project in projects])
    of_teams = Q(project__isnull=True, team__in={project.team_id for project in projects})
    rows = Automation.objects.filter(of_projects | of_teams, is_on=True, event__in=METRIC_EVENTS)
    kept = with_plan(rows.select_related("team__organization").order_by("pk"))
    return {
        project.pk: [
            one for one in kept if one.team_id == project.team_id and one.project_id in {None, project.pk}
        ]
        for project in projects
    }


@dataclass(slots=True)
class _Known:
    rules: Rules | None
    asked_at: float


@dataclass(slots=True)
class RuleBook:
    """The compiled automations of the projects that log just now."""

    _known: dict[int, _Known] = field(default_factory=dict)

    def of(self, project_ids: Collection[int]) -> dict[int, Rules]:
        """Return what is watched in each of the projects that watch anything."""
        now = time.monotonic()
        old = [
            pk for pk in project_ids if pk not in self._known or now >= self._known[pk].asked_at + RELOAD_S
        ]
        if old:
            self._load(old, now)
        return {pk: rules for pk in project_ids if (rules := self._known[pk].rules) is not None}

    def _load(self, project_ids: Collection[int], now: float) -> None:
        projects = list(Project.objects.live().filter(pk__in=project_ids).only("pk", "team_id"))
        found = metric_automations(projects)
        for pk in project_ids:
            automations = found.get(pk, [])
            known = self._known.get(pk)
            rules = known.rules if known else None
            if not automations:
                rules = None
            elif rules is None or rules.stamp != stamp_of(automations):
                rules = Rules(automations)
            self._known[pk] = _Known(rules, now)
        for pk in [pk for pk, known in self._known.items() if now > known.asked_at + 60 * RELOAD_S]:
            del self._known[pk]

    def any(self) -> bool:
        """Say whether anything is watched anywhere."""
        return Automation.objects.filter(is_on=True, event__in=METRIC_EVENTS).exists()
