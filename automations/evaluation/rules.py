"""The automations on metrics of a project, compiled so that most posts are dismissed by a few comparisons."""

import math
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Q, QuerySet

from automations.conditions.events import METRIC_EVENTS
from automations.conditions.filters import Condition
from automations.conditions.metrics import Change, ChangeKind, Flags, MetricTest, Threshold, Values
from automations.firing.plan import with_conditions, with_plan
from automations.firing.reach import still_allowed
from automations.models import Automation
from metrics.store.key_stats import shown_key
from runs.models import Project

RELOAD_S = 5.0
"""How long it is believed which team a project is of, and which automations its plan includes."""
_MARGIN = 1e-9
"""Means are rounded, so one may lie this much, relatively, beyond the values it is made of."""
_TINY = 1e-300
_MOST_PLANS = 4096

Positions = npt.NDArray[np.intp]
Stamp = tuple[tuple[int, datetime], ...]
"""Automations, and when each was changed last."""


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

    columns: Positions
    """Where the metrics' columns are in the group."""
    metrics: Positions
    """Their numbers."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What values must reach for a rule to be worth a look; by rule."""

    metric: Positions
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
            found = {self._numbers.get(shown_key(key)): index for index, key in enumerate(keys)}
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

    def may_meet(self, low: Values, high: Values, low_before: Values, high_before: Values) -> Flags:
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


def stamp_of(automations: Iterable[Automation]) -> Stamp:
    """Return what is another when any of the automations was changed."""
    return tuple((one.pk, one.updated_at) for one in automations)


def metric_automations(projects: Collection[Project]) -> dict[int, list[Automation]]:
    """Return the automations on metrics that are on, by project; one statement and what the plans take."""
    team_of = {project.pk: project.team_id for project in projects}
    kept = with_plan(_on_metrics(team_of).select_related("team__organization"))
    return {
        pk: [one for one in kept if one.team_id == team_id and one.project_id in {None, pk}]
        for pk, team_id in team_of.items()
    }


def _stamps(team_of: Mapping[int, int]) -> dict[int, Stamp]:
    """Return what is another when any automation of a project is; one statement."""
    rows = list(_on_metrics(team_of).values_list("team_id", "project_id", "pk", "updated_at"))
    return {
        pk: tuple((one, at) for team, project, one, at in rows if team == team_id and project in {None, pk})
        for pk, team_id in team_of.items()
    }


def _on_metrics(team_of: Mapping[int, int]) -> QuerySet[Automation]:
    """Return the automations on metrics that are on, of projects (with their teams) and of the whole teams."""
    of_projects = Q(project__in=list(team_of))
    of_teams = Q(project__isnull=True, team__in=set(team_of.values()))
    rows = Automation.objects.filter(of_projects | of_teams, is_on=True, event__in=METRIC_EVENTS)
    return rows.filter(still_allowed()).order_by("pk")


@dataclass(slots=True)
class _Known:
    team_id: int
    stamp: Stamp
    rules: Rules | None
    asked_at: float


@dataclass(slots=True)
class RuleBook:
    """The compiled automations of the projects that log just now."""

    _known: dict[int, _Known] = field(default_factory=dict)

    def of(self, project_ids: Collection[int]) -> dict[int, Rules]:
        """Return what is watched in each of the projects that watch anything; one statement where nothing changed.

        Each time it is asked whether automations changed, so that they look at all that is committed after them.
        """
        now = time.monotonic()
        fresh = {
            pk: known for pk in project_ids
            if (known := self._known.get(pk)) and now < known.asked_at + RELOAD_S
        }  # fmt: skip
        stamps = _stamps({pk: known.team_id for pk, known in fresh.items()}) if fresh else {}
        old = [pk for pk in project_ids if pk not in fresh or stamps[pk] != fresh[pk].stamp]
        if old:
            self._load(old, now)
        return {pk: rules for pk in project_ids if (rules := self._known[pk].rules) is not None}

    def _load(self, project_ids: Collection[int], now: float) -> None:
        projects = list(Project.objects.live().filter(pk__in=project_ids).only("pk", "team_id"))
        team_of = dict.fromkeys(project_ids, 0) | {project.pk: project.team_id for project in projects}
        stamps = _stamps(team_of)  # before the automations: what changes in between is another the next time
        found = metric_automations(projects)
        for pk, team_id in team_of.items():
            known = self._known.get(pk)
            rules = _compiled(found.get(pk, []), known.rules if known else None)
            self._known[pk] = _Known(team_id, stamps[pk], rules, now)
        for pk in [pk for pk, known in self._known.items() if now > known.asked_at + 60 * RELOAD_S]:
            del self._known[pk]

    def any(self) -> bool:
        """Say whether anything is watched anywhere."""
        return Automation.objects.filter(is_on=True, event__in=METRIC_EVENTS).exists()


def _compiled(automations: Collection[Automation], before: Rules | None) -> Rules | None:
    """Return what is watched; the same as before where nothing changed, since windows are filled for it."""
    if not automations:
        return None
    if before is not None and before.stamp == stamp_of(automations):
        return before
    return Rules(automations)
