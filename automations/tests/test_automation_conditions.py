"""Conditions on series: each kind, and the same answer however a series comes in parts (ALR-6)."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from automations.conditions.metrics import Aggregate, Change, ChangeKind, Direction, Threshold, ZScore, hits
from automations.evaluation.evaluator import StreamUpdate, find_hits
from automations.evaluation.rules import Rules
from automations.evaluation.streams import WatchedStream
from metrics.store.codec import pack
from tests.automations import change, threshold, zscore

INF, NAN = float("inf"), float("nan")


def met(test, *values):
    return hits(test, np.array(values, float)).positions.tolist()


def test_a_window_that_is_not_full_meets_nothing():
    assert met(Threshold("loss", Aggregate.MAX, 3, "$gt", 1), 9, 9) == []
    assert met(Threshold("loss", Aggregate.MAX, 3, "$gt", 1), 9, 0, 0, 0) == [2]


def test_without_an_aggregate_the_window_is_of_one_value():
    assert met(Threshold("loss", None, 5, "$gte", 2), 1, 2, 3) == [1, 2]
    assert met(Change("loss", None, 5, 5, 1, ChangeKind.ABSOLUTE, Direction.INCREASE), 1, 2, 2.5) == [1]


def test_a_change_is_from_the_values_before_the_window():
    test = Change("loss", Aggregate.AVERAGE, 2, 3, 0.5, ChangeKind.RELATIVE, Direction.INCREASE)
    assert met(test, 2, 2, 2, 3, 3) == [4]
    assert met(test, 2, 2, 2, 3, 2.9) == []


def test_from_nothing_every_change_is_more_than_any_share():
    test = Change("loss", None, 1, 1, 5, ChangeKind.RELATIVE, Direction.ANY)
    assert met(test, 0, 0, 0.001) == [2]


def test_a_share_is_of_the_size_of_what_was_before():
    test = Change("loss", None, 1, 1, 0.5, ChangeKind.RELATIVE, Direction.DECREASE)
    assert met(test, -2, -3, -3) == [1]


def test_a_score_is_of_the_values_before_and_infinite_after_equal_ones():
    test = ZScore("loss", 4, 3, Direction.ANY)
    assert met(test, 1, 2, 1, 2, 1.5, 9) == [5]
    assert met(test, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2) == [5]
    assert met(ZScore("loss", 4, 3, Direction.DECREASE), 1, 2, 1, 2, 9) == []


def test_infinite_values_meet_thresholds_and_no_more():
    assert met(Threshold("loss", None, 1, "$gt", 1), 0, INF) == [1]
    assert met(Threshold("loss", Aggregate.AVERAGE, 2, "$gt", 1), INF, -INF) == []
    assert met(ZScore("loss", 2, 3, Direction.ANY), 1, INF, 2) == []


NUMBERS = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.0, 10.0, -1.0, 1e-9, 1e9, NAN, INF, -INF]),
    st.floats(-100, 100).map(lambda value: round(value, 2)),
)
LIMITS = st.sampled_from([0, 0.1, 0.2, 0.5, 1, 2, 10, -1, 0.15])
AMOUNTS = st.sampled_from([0.1, 0.5, 1, 2, 1e-9, 3])
AGGREGATES = st.sampled_from([None, "MIN", "MAX", "AVERAGE"])
WINDOWS = st.integers(1, 7)
DIRECTIONS = st.sampled_from(["ANY", "INCREASE", "DECREASE"])
METRICS = st.sampled_from(["a", "b"])
COMPARISONS = st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"])
FILTERS = st.one_of(
    st.builds(
        lambda metric, comparison, limit, agg, window: (
            "RUN_METRIC", threshold(metric, comparison, limit, agg=agg, window=window),
        ),
        METRICS, COMPARISONS, LIMITS, AGGREGATES, WINDOWS,
    ),
    st.builds(
        lambda metric, amount, agg, window, prior, kind, direction: (
            "RUN_METRIC_CHANGE",
            change(metric, amount, agg=agg, window=window, prior=prior, kind=kind, direction=direction),
        ),
        METRICS, AMOUNTS, AGGREGATES, WINDOWS, WINDOWS, st.sampled_from(["ABSOLUTE", "RELATIVE"]), DIRECTIONS,
    ),
    st.builds(
        lambda metric, limit, window, direction: (
            "RUN_METRIC_ZSCORE", zscore(metric, limit, window=window + 1, direction=direction),
        ),
        METRICS, AMOUNTS, WINDOWS, DIRECTIONS,
    ),
)  # fmt: skip
ROWS = st.lists(
    st.fixed_dictionaries({}, optional={"a": NUMBERS, "b": NUMBERS, "c": NUMBERS}), min_size=1, max_size=60
)


def rules_of(filters):
    now = timezone.now()
    automations: list[Any] = [
        SimpleNamespace(pk=number, event=event, filter=wanted, updated_at=now)
        for number, (event, wanted) in enumerate(filters)
    ]
    return Rules(automations)


def looked_at(rules, rows, cuts):
    """The first row of each part that meets each automation, as they come in parts."""
    watched = [
        WatchedStream(1, 1, 0, 1, rules, 0),
        WatchedStream(2, 2, 0, 1, rules, 0),
    ]  # of one length: tried together
    edges = sorted({0, *(cut % (len(rows) + 1) for cut in cuts), len(rows)})
    found = []
    for start, stop in pairwise(edges):
        looks = [StreamUpdate(one, one.row) for one in watched]
        for look in looks:
            look.add(start, pack(rows[start:stop]))
        found.append(
            sorted(
                (hit.watched.stream, hit.rule.automation.pk, hit.row, repr(hit.measured))
                for hit in find_hits(looks)
            )
        )
        for look in looks:
            look.settle()
    return [(start, stop, some) for (start, stop), some in zip(pairwise(edges), found, strict=True)]


def expected(rules, rows, start, stop):
    """The same of the whole series, by conditions alone."""
    found = []
    for rule in rules.rules:
        name = rules.metrics[rule.metric]
        known = [
            (number, row[name]) for number, row in enumerate(rows) if row.get(name, NAN) == row.get(name)
        ]
        numbers = [number for number, _ in known]
        all_hits = hits(rule.test, np.array([value for _, value in known], float))
        for place, measured in zip(all_hits.positions, all_hits.measured, strict=True):
            if start <= numbers[place] < stop:
                found += [
                    (stream, rule.automation.pk, numbers[place], repr(float(measured))) for stream in (1, 2)
                ]
                break
    return sorted(found)


@given(st.lists(FILTERS, min_size=1, max_size=8), ROWS, st.lists(st.integers(0, 1000), max_size=20))
def test_a_series_in_any_parts_is_met_where_the_whole_is(filters, rows, cuts):
    """One implementation and one answer: nothing is missed or met twice for how posts came."""
    rules = rules_of(filters)
    for start, stop, found in looked_at(rules, rows, cuts):
        assert found == expected(rules, rows, start, stop)


def test_keys_that_nobody_watches_do_not_change_the_order_of_values():
    rules = rules_of([("RUN_METRIC_CHANGE", change("a", 3, direction="INCREASE"))])
    rows = [{"a": 1.0, "c": 0.0}, {"a": 2.0}, {"a": 4.0, "c": 0.0}, {"a": 7.0}]
    for start, stop, found in looked_at(rules, rows, [2]):
        assert found == expected(rules, rows, start, stop)


def test_a_value_of_which_nothing_is_kept_is_looked_at_alone_and_beside_another_metric():
    rules = rules_of([("RUN_METRIC", threshold("a", limit=1)), ("RUN_METRIC_CHANGE", change("b", 3))])
    rows = [{"a": 0.0}, {"a": 2.0, "b": 0.0}, {"a": 0.0}, {"a": 3.0}, {"a": 4.0, "b": 5.0}]
    for start, stop, found in looked_at(rules, rows, [1, 2, 3, 4]):
        assert found == expected(rules, rows, start, stop)


@pytest.mark.parametrize("count", [1, 300])
def test_a_run_that_logs_ever_other_keys_together_is_kept_metric_by_metric(count):
    names = [f"m{number}" for number in range(8)]
    rules = rules_of([("RUN_METRIC", threshold(name, agg="AVERAGE", window=3, limit=5)) for name in names])
    watched = WatchedStream(1, 1, 0, 1, rules, 0)
    met_at = []
    for number in range(count):
        row = {name: 1.0 for place, name in enumerate(names) if number >> place & 1} or {"m0": 1.0}
        look = StreamUpdate(watched, number)
        look.add(number, pack([row]))
        met_at += [hit.row for hit in find_hits([look])]
        look.settle()
    look = StreamUpdate(watched, count)
    look.add(count, pack([{"m0": 9.0}] * 3))
    met_at += [hit.row for hit in find_hits([look])]
    assert met_at == [count + 1]
