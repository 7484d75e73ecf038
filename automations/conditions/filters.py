"""What the SDK calls ``eventFilter``: read, checked, and written again in the one form that is stored (protocol 3.7).

    RUN_STATE   {"run_filter": "{...}", "run_state_filter": {"states": ["FAILED"]}}
    RUN_METRIC  {"run_filter": "{...}", "run_metric_filter": {"threshold_filter": {...}}, "metric_filter": null}
    artifacts   {"$or": [{"$and": [{"alias": {"$regex": "^prod"}}]}]}
    sweeps      see `automations.conditions.sweeps`

``run_filter`` is JSON within JSON, as the SDK sends it: a filter of runs in MongoDB's language (`runs.query.mongo`).
"""

import json
import math
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import Q
from django.utils.translation import gettext as _

from automations.conditions.artifacts import parse_artifact_filter
from automations.conditions.events import (
    ARTIFACT_EVENTS,
    METRIC_EVENTS,
    STATES,
    SWEEP_EVENTS,
    AutomationEvent,
)
from automations.conditions.metrics import (
    COMPARISONS,
    Aggregate,
    Change,
    ChangeKind,
    Direction,
    MetricTest,
    Threshold,
    ZScore,
)
from automations.conditions.sweeps import SweepTest, parse_sweep_filter
from common.errors import Invalid
from common.formats.lenient_json import clean_text
from runs.query.conditions import Condition as RunCondition
from runs.query.conditions import to_q
from runs.query.mongo import read_filters

MAX_WINDOW = 1000
"""Values that a window may have: each is kept in memory for each run."""
MAX_METRIC = 512
MAX_RUN_FILTER = 10_000
NO_RUN_FILTER = '{"$and":[]}'
"""What the SDK sends for all runs."""
_METRIC_FILTERS = {
    AutomationEvent.RUN_METRIC: "threshold_filter",
    AutomationEvent.RUN_METRIC_CHANGE: "change_filter",
    AutomationEvent.RUN_METRIC_ZSCORE: "zscore_filter",
}

C = TypeVar("C", Aggregate, ChangeKind, Direction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What an automation waits for, read from its filter."""

    event: AutomationEvent
    canonical: dict[str, Any]
    """The filter as it is stored and given back."""
    run_filter: str = NO_RUN_FILTER
    """Of events of runs: JSON."""
    test: MetricTest | None = None
    """Of metrics."""
    states: tuple[str, ...] = ()
    """Of states, as filters name them."""
    artifact: RunCondition | None = None
    """Of artifacts: compared with what is known of the event."""
    sweep: SweepTest | None = None
    """Of sweeps."""

    @property
    def run_states(self) -> frozenset[str]:
        """Which states of a run are meant."""
        return frozenset().union(*(STATES[state] for state in self.states))

    @property
    def has_run_filter(self) -> bool:
        """Whether it asks for some runs only."""
        return self.run_filter != NO_RUN_FILTER

    def runs(self) -> Q:
        """Return the filter of runs."""
        return to_q(read_filters(self.run_filter)) if self.has_run_filter else Q()


def parse(event: str, filter: Any) -> Condition:  # noqa: A002 - what it is called everywhere
    """Return the condition that a filter means.

    Args:
        event: One of `AutomationEvent`.
        filter: The SDK's ``eventFilter``, as JSON or read already; also as saved automations have it.

    Raises:
        Invalid: no such event, or what is wrong with the filter.
    """
    if event not in AutomationEvent.values:
        known = ", ".join(AutomationEvent.values)
        raise Invalid(
            _("Unknown event “%(event)s”. Available: %(known)s.") % {"event": event, "known": known}
        )
    kind = AutomationEvent(event)
    tree = _object(filter, "eventFilter")
    if kind in ARTIFACT_EVENTS:
        canonical, condition = parse_artifact_filter(tree)
        return Condition(event=kind, canonical=canonical, artifact=condition)
    if kind in SWEEP_EVENTS:
        canonical, asked = parse_sweep_filter(kind, tree)
        return Condition(event=kind, canonical=canonical, sweep=asked)
    run_filter = _run_filter(tree.pop("run_filter", None))
    if kind in METRIC_EVENTS:
        test, shape = _metric(kind, tree)
        canonical = {
            "run_filter": run_filter,
            "run_metric_filter": {_METRIC_FILTERS[kind]: shape},
            "metric_filter": None,
        }
        return Condition(event=kind, canonical=canonical, run_filter=run_filter, test=test)
    states = _states(tree)
    canonical = {"run_filter": run_filter, "run_state_filter": {"states": list(states)}}
    return Condition(event=kind, canonical=canonical, run_filter=run_filter, states=states)


def _object(value: Any, name: str) -> dict[str, Any]:
    """Return a copy of an object, which may come as JSON."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise Invalid(
                _("%(name)s isn’t valid JSON: %(error)s") % {"name": name, "error": error}
            ) from None
    if not isinstance(value, dict):
        raise Invalid(
            _("%(name)s must be an object, not %(value)s.") % {"name": name, "value": _shown(value)}
        )
    return dict(value)


def _shown(value: Any) -> str:
    return repr(value)[:80]


def _known(name: str, given: dict[str, Any], known: set[str]) -> None:
    """Refuse what is not known: a misspelt key must not count as left out."""
    strange = sorted(given.keys() - known)
    if strange:
        raise Invalid(
            _("%(name)s has no field “%(strange)s”. Available: %(known)s.")
            % {"name": name, "strange": strange[0], "known": ", ".join(sorted(known))}
        )


def _run_filter(given: Any) -> str:
    """Return the filter of runs as JSON; what is JSON already stays as it is."""
    if given in (None, "", {}):
        return NO_RUN_FILTER
    text = given if isinstance(given, str) else json.dumps(given, separators=(",", ":"))
    text = clean_text(text)
    if len(text) > MAX_RUN_FILTER:
        raise Invalid(
            _("run_filter can have at most %(limit)s characters; this one has %(count)s.")
            % {"count": len(text), "limit": MAX_RUN_FILTER}
        )
    try:
        to_q(read_filters(text))
    except Invalid as error:
        raise Invalid(_("run_filter: %(error)s") % {"error": error.message}) from None
    return text


def _states(tree: dict[str, Any]) -> tuple[str, ...]:
    _known("eventFilter", tree, {"run_state_filter"})
    found = _object(tree.get("run_state_filter"), "run_state_filter")
    _known("run_state_filter", found, {"states"})
    given = found.get("states")
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not given:
        raise Invalid(_("run_state_filter must be a list of states."))
    states = {str(state).upper() for state in given}
    for state in sorted(states - STATES.keys()):
        raise Invalid(
            _("Unknown state %(state)s. Available: %(known)s.")
            % {"state": _shown(state), "known": ", ".join(STATES)}
        )
    return tuple(sorted(states))


def _metric(event: AutomationEvent, tree: dict[str, Any]) -> tuple[MetricTest, dict[str, Any]]:
    """Return the test and its canonical form; ``metric_filter`` is how the SDK's first releases sent thresholds."""
    _known("eventFilter", tree, {"run_metric_filter", "metric_filter"})
    wanted = _METRIC_FILTERS[event]
    if tree.get("run_metric_filter") is None and tree.get("metric_filter") is not None:
        outer: dict[str, Any] = {"threshold_filter": _object(tree["metric_filter"], "metric_filter")}
    else:
        outer = _object(tree.get("run_metric_filter"), "run_metric_filter")
    outer = {key: value for key, value in outer.items() if value is not None}
    if set(outer) != {wanted}:
        raise Invalid(
            _("An automation on %(event)s needs exactly one %(wanted)s in run_metric_filter.")
            % {"event": event.value, "wanted": wanted}
        )
    inner = _Fields(wanted, _object(outer[wanted], wanted))
    readers = {"threshold_filter": _threshold, "change_filter": _change, "zscore_filter": _zscore}
    return readers[wanted](inner)


class _Fields:
    """The fields of one filter, checked as they are asked for."""

    def __init__(self, name: str, given: dict[str, Any]) -> None:
        self.name, self.given = name, given

    def only(self, *known: str) -> None:
        """Refuse other fields."""
        _known(self.name, self.given, set(known))

    def metric(self) -> str:
        """Return the metric's name."""
        name = self.given.get("name")
        if not isinstance(name, str) or not name.strip():
            raise Invalid(_("%(filter)s needs the name of a metric.") % {"filter": self.name})
        if len(name) > MAX_METRIC:
            raise Invalid(
                _("A metric name can have at most %(limit)s characters; this one has %(count)s.")
                % {"limit": MAX_METRIC, "count": len(name)}
            )
        return clean_text(name)

    def one_of(self, field: str, known: type[C]) -> C:
        """Return one of some words, in any case."""
        given = self.given.get(field)
        try:
            return known(str(given).upper())
        except ValueError:
            raise Invalid(
                _("%(field)s must be one of %(known)s, not %(value)s.")
                % {"field": field, "known": ", ".join(known), "value": _shown(given)}
            ) from None

    def aggregate(self) -> Aggregate | None:
        """Return what is made of a window; None takes its last value."""
        if self.given.get("agg_op") is None:
            return None
        if str(self.given["agg_op"]).upper() in {"AVG", "MEAN"}:
            return Aggregate.AVERAGE
        return self.one_of("agg_op", Aggregate)

    def window(self, field: str, default: int, least: int = 1) -> int:
        """Return the size of a window, in values of the metric."""
        size = self.given.get(field, default)
        if isinstance(size, bool) or not isinstance(size, int) or not least <= size <= MAX_WINDOW:
            raise Invalid(
                _("%(field)s must be a whole number from %(least)s to %(most)s, not %(value)s.")
                % {"field": field, "least": least, "most": MAX_WINDOW, "value": _shown(size)}
            )
        return size

    def number(self, field: str, default: float | None = None, *, positive: bool = False) -> float:
        """Return a finite number, an integer as such."""
        value = self.given.get(field, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
            raise Invalid(
                _("%(field)s must be a finite number, not %(value)s.")
                % {"field": field, "value": _shown(value)}
            )
        if positive and value <= 0:
            raise Invalid(
                _("%(field)s must be greater than 0, not %(value)s.")
                % {"field": field, "value": _shown(value)}
            )
        return value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond floats
        return False


def _threshold(given: _Fields) -> tuple[MetricTest, dict[str, Any]]:
    given.only("name", "agg_op", "window_size", "cmp_op", "threshold")
    comparison = given.given.get("cmp_op")
    if comparison not in COMPARISONS:
        raise Invalid(
            _("%(field)s must be one of %(known)s, not %(value)s.")
            % {"field": "cmp_op", "known": ", ".join(COMPARISONS), "value": _shown(comparison)}
        )
    test = Threshold(
        given.metric(),
        given.aggregate(),
        given.window("window_size", 1),
        comparison,
        given.number("threshold"),
    )
    return test, {
        "name": test.metric,
        "agg_op": _value(test.aggregate),
        "window_size": test.window,
        "cmp_op": test.comparison,
        "threshold": test.threshold,
    }


def _change(given: _Fields) -> tuple[MetricTest, dict[str, Any]]:
    given.only(
        "name",
        "agg_op",
        "current_window_size",
        "prior_window_size",
        "change_amount",
        "change_type",
        "change_dir",
    )
    window = given.window("current_window_size", 1)
    test = Change(
        metric=given.metric(),
        aggregate=given.aggregate(),
        window=window,
        prior=given.window("prior_window_size", window),
        amount=given.number("change_amount", positive=True),
        kind=given.one_of("change_type", ChangeKind),
        direction=given.one_of("change_dir", Direction),
    )
    return test, {
        "name": test.metric,
        "agg_op": _value(test.aggregate),
        "current_window_size": test.window,
        "change_amount": test.amount,
        "prior_window_size": test.prior,
        "change_type": test.kind.value,
        "change_dir": test.direction.value,
    }


def _zscore(given: _Fields) -> tuple[MetricTest, dict[str, Any]]:
    given.only("name", "window_size", "threshold", "change_dir")
    given.given.setdefault("change_dir", Direction.ANY.value)
    test = ZScore(
        metric=given.metric(),
        window=given.window("window_size", 30, least=2),
        threshold=given.number("threshold", 3.0, positive=True),
        direction=given.one_of("change_dir", Direction),
    )
    return test, {
        "name": test.metric,
        "window_size": test.window,
        "threshold": test.threshold,
        "change_dir": test.direction.value,
    }


def _value(aggregate: Aggregate | None) -> str | None:
    return aggregate.value if aggregate else None
