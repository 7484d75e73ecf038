"""What the editor's fields mean as the SDK's event filter, and back (protocol 3.7)."""

from typing import Any

from automations.conditions.events import ARTIFACT_EVENTS, SWEEP_EVENTS, AutomationEvent
from automations.conditions.filters import Condition
from automations.conditions.metrics import ChangeKind, MetricTest, Threshold, ZScore
from automations.editor.run_filters import ChosenRuns, chosen_runs

Filter = dict[str, Any]
Values = dict[str, Any]
LATEST = "LAST"
"""What the editor calls no aggregate."""
MATCHED = {
    AutomationEvent.ADD_ARTIFACT_ALIAS: "alias",
    AutomationEvent.ADD_ARTIFACT_TAG: "tag",
    AutomationEvent.REMOVE_ARTIFACT_TAG: "tag",
    AutomationEvent.ADD_COLLECTION_TAG: "tag",
    AutomationEvent.REMOVE_COLLECTION_TAG: "tag",
}
"""What of an artifact event the editor lets a regular expression choose."""


def filter_of(event: str, values: Values) -> Filter:
    """Return the event filter that the fields of a valid form say."""
    if event in ARTIFACT_EVENTS:
        return _of_artifacts(event, str(values.get("artifact_match") or ""))
    if event in SWEEP_EVENTS:
        return _of_sweeps(event, values)
    runs = ChosenRuns(values.get("user", ""), values.get("run_name", ""), values.get("expression", ""))
    if event == AutomationEvent.RUN_STATE:
        return {"run_filter": runs.stored(), "run_state_filter": {"states": list(values["states"])}}
    kinds = {
        AutomationEvent.RUN_METRIC: _threshold,
        AutomationEvent.RUN_METRIC_CHANGE: _change,
        AutomationEvent.RUN_METRIC_ZSCORE: _zscore,
    }
    return {"run_filter": runs.stored(), "run_metric_filter": kinds[AutomationEvent(event)](values)}


def _aggregate(name: str) -> str | None:
    return None if name == LATEST else name


def _plain(number: float) -> float:
    """Return a whole number as one, as programs write it."""
    return int(number) if float(number).is_integer() else number


def _threshold(values: Values) -> Filter:
    return {
        "threshold_filter": {
            "name": values["metric"],
            "agg_op": _aggregate(values["aggregate"]),
            "window_size": values["window"] if values["aggregate"] != LATEST else 1,
            "cmp_op": values["comparison"],
            "threshold": _plain(values["threshold"]),
        }
    }


def _change(values: Values) -> Filter:
    is_share = values["measure"] == "RELATIVE"
    is_reduced = values["change_aggregate"] != LATEST
    return {
        "change_filter": {
            "name": values["metric"],
            "agg_op": _aggregate(values["change_aggregate"]),
            "current_window_size": values["current_window"] if is_reduced else 1,
            "prior_window_size": values["prior_window"] if is_reduced else 1,
            "change_amount": _plain(round(values["amount"] / 100, 12) if is_share else values["amount"]),
            "change_type": values["measure"],
            "change_dir": values["direction"],
        }
    }


def _zscore(values: Values) -> Filter:
    return {
        "zscore_filter": {
            "name": values["metric"],
            "window_size": values["z_window"],
            "threshold": _plain(values["z_threshold"]),
            "change_dir": values["side"],
        }
    }


def _of_artifacts(event: str, pattern: str) -> Filter:
    field = MATCHED.get(AutomationEvent(event), "")
    conditions = [{field: {"$regex": pattern}}] if field and pattern else []
    return {"$or": [{"$and": conditions}]}


def _of_sweeps(event: str, values: Values) -> Filter:
    found: Filter = {"sweep": values.get("sweep") or ""}
    if event == AutomationEvent.SWEEP_FINISHED:
        found["ended"] = list(values["ended"])
    if event == AutomationEvent.SWEEP_RUNS_FAIL:
        found["share"] = round(values["failed_percent"] / 100, 12)
        found["least_ended"] = values["least_ended"]
    return found


def initial_of(condition: Condition) -> Values:
    """Return what the fields begin with for a stored filter.

    ``artifact_match`` is None for a filter that only programs can write; the editor keeps it.

    Raises:
        Invalid: the filter on runs cannot be written as an expression.
    """
    if condition.event in ARTIFACT_EVENTS:
        return {"artifact_match": _pattern_of(condition)}
    if condition.sweep is not None:
        asked = condition.sweep
        percent = _plain(round(asked.share * 100, 10))
        return {
            "sweep": asked.sweep, "ended": list(asked.ended), "failed_percent": percent,
            "least_ended": asked.least_ended,
        }  # fmt: skip
    runs = chosen_runs(condition.run_filter)
    values: Values = {"user": runs.user, "run_name": runs.name, "expression": runs.expression}
    if condition.test is None:
        return values | {"states": list(condition.states)}
    return values | {"metric": condition.test.metric} | _initial_of_test(condition.test)


def _initial_of_test(test: MetricTest) -> Values:
    if isinstance(test, Threshold):
        return {
            "aggregate": test.aggregate or LATEST, "window": test.window, "comparison": test.comparison,
            "threshold": test.threshold,
        }  # fmt: skip
    if isinstance(test, ZScore):
        return {"z_window": test.window, "z_threshold": test.threshold, "side": test.direction.value}
    is_share = test.kind is ChangeKind.RELATIVE
    return {
        "change_aggregate": test.aggregate or LATEST, "current_window": test.window, "prior_window": test.prior,
        "measure": test.kind.value, "direction": test.direction.value,
        "amount": _plain(round(test.amount * 100, 10)) if is_share else test.amount,
    }  # fmt: skip


def _pattern_of(condition: Condition) -> str | None:
    """Return the one pattern in a filter on artifacts, "" for none, None where there is more."""
    stored, field = condition.canonical, MATCHED.get(condition.event, "")
    if stored == _of_artifacts(condition.event, ""):
        return ""
    try:
        pattern = stored["$or"][0]["$and"][0][field]["$regex"]
    except (KeyError, IndexError, TypeError):
        return None
    return str(pattern) if stored == _of_artifacts(condition.event, str(pattern)) else None
