"""Filters as the SDK sends them, and what they refuse (ALR-6)."""

import json

import pytest

from automations.conditions.artifacts import holds
from automations.conditions.filters import MAX_WINDOW, parse
from automations.conditions.metrics import Aggregate, Change, ChangeKind, Direction, Threshold, ZScore
from common.errors import Invalid
from tests.automations import change, states, threshold, zscore

EVERY_RUN = r'{"run_filter":"{\"$and\":[]}",'
SOME_RUNS = r'{"run_filter":"{\"$and\":[{\"display_name\":{\"$contains\":\"x\"}}]}",'
THRESHOLD = '{"name":"loss","agg_op":"AVERAGE","window_size":5,"cmp_op":"$gt","threshold":1.5}'
CHANGE = (
    '{"name":"loss","agg_op":null,"current_window_size":1,"change_amount":0.2,"prior_window_size":1,'
    '"change_type":"RELATIVE","change_dir":"ANY"}'
)
ZSCORE = '{"name":"loss","window_size":30,"threshold":2,"change_dir":"INCREASE"}'
METRICS = {
    "threshold": ("RUN_METRIC", EVERY_RUN, f'"threshold_filter":{THRESHOLD}'),
    "change": ("RUN_METRIC_CHANGE", SOME_RUNS, f'"change_filter":{CHANGE}'),
    "zscore": ("RUN_METRIC_ZSCORE", EVERY_RUN, f'"zscore_filter":{ZSCORE}'),
}
SENT = {
    name: (event, f'{runs}"run_metric_filter":{{{metric}}},"metric_filter":null}}')
    for name, (event, runs, metric) in METRICS.items()
} | {
    "state": ("RUN_STATE", f'{EVERY_RUN}"run_state_filter":{{"states":["FAILED","FINISHED"]}}}}'),
    "alias": ("ADD_ARTIFACT_ALIAS", '{"$or":[{"$and":[{"alias":{"$regex":"^prod"}}]}]}'),
    "any artifact": ("CREATE_ARTIFACT", '{"$or":[{"$and":[]}]}'),
}
"""Written by wandb 0.31.0 itself."""


@pytest.mark.parametrize("name", SENT)
def test_what_the_sdk_sent_comes_back_to_the_letter(name):
    event, sent = SENT[name]
    condition = parse(event, sent)
    assert json.dumps(condition.canonical, separators=(",", ":")) == sent
    assert parse(event, condition.canonical) == condition


def test_saved_artifact_filters_are_read_too():
    event, sent = SENT["alias"]
    assert parse(event, {"filter": sent}).canonical == json.loads(sent)


def test_a_filter_says_what_is_tried():
    assert parse(*SENT["threshold"]).test == Threshold("loss", Aggregate.AVERAGE, 5, "$gt", 1.5)
    assert parse(*SENT["change"]).test == Change("loss", None, 1, 1, 0.2, ChangeKind.RELATIVE, Direction.ANY)
    assert parse(*SENT["zscore"]).test == ZScore("loss", 30, 2, Direction.INCREASE)


def test_the_first_form_of_thresholds_is_read():
    old = {"metric_filter": json.dumps({"name": "loss", "cmp_op": "$lt", "threshold": 1})}
    assert parse("RUN_METRIC", old).test == Threshold("loss", None, 1, "$lt", 1)


def test_failed_means_crashed_too_and_crashed_only_itself():
    """The SDK has no CRASHED of its own: it sends FAILED for both."""
    assert parse("RUN_STATE", states("failed")).run_states == {"failed", "crashed"}
    assert parse("RUN_STATE", states("CRASHED", "KILLED")).run_states == {"crashed", "killed"}


@pytest.mark.parametrize(
    ("event", "wanted", "said"),
    [
        ("RUN_LOST", {}, "Unknown event"),
        ("RUN_METRIC", "{", "isn’t valid JSON"),
        ("RUN_METRIC", [], "must be an object"),
        ("RUN_METRIC", {"run_metric_filter": {}}, "threshold_filter"),
        ("RUN_METRIC", change(), "threshold_filter"),
        ("RUN_METRIC", threshold(""), "name of a metric"),
        ("RUN_METRIC", threshold("x" * 600), "at most 512"),
        ("RUN_METRIC", threshold(window=0), "from 1 to 1000"),
        ("RUN_METRIC", threshold(window=MAX_WINDOW + 1), "from 1 to 1000"),
        ("RUN_METRIC", threshold(window=True), "from 1 to 1000"),
        ("RUN_METRIC", threshold(agg="MEDIAN"), "MIN, MAX, AVERAGE"),
        ("RUN_METRIC", threshold(comparison="$in"), "$gt"),
        ("RUN_METRIC", threshold(limit=float("nan")), "finite number"),
        ("RUN_METRIC", threshold(limit=10**400), "finite number"),
        ("RUN_METRIC", threshold(limit="1"), "finite number"),
        ("RUN_METRIC", {**threshold(), "windw": 3}, "windw"),
        ("RUN_METRIC", threshold(runs='{"$and":[{"weather":"good"}]}'), "run_filter: "),
        ("RUN_METRIC", threshold(runs="{" * 20_000), "at most 10000"),
        ("RUN_METRIC_CHANGE", change(amount=0), "greater than 0"),
        ("RUN_METRIC_CHANGE", change(kind="SQUARE"), "ABSOLUTE, RELATIVE"),
        ("RUN_METRIC_CHANGE", change(direction="UP"), "INCREASE"),
        ("RUN_METRIC_ZSCORE", zscore(window=1), "from 2 to 1000"),
        ("RUN_STATE", states(), "list of states"),
        ("RUN_STATE", states("GONE"), "Unknown state"),
        ("ADD_ARTIFACT_TAG", {"color": "red"}, "alias, tag"),
        ("ADD_ARTIFACT_TAG", {"tag": {"$gt": "a"}}, "cannot be compared"),
        ("ADD_ARTIFACT_TAG", {"tag": {"$regex": "("}}, "RE2"),
    ],
)
def test_what_is_wrong_is_named(event, wanted, said):
    with pytest.raises(Invalid) as refused:
        parse(event, wanted)
    assert said in refused.value.message


@pytest.mark.parametrize(
    ("wanted", "alias", "is_met"),
    [
        ({}, "prod", True),
        ({"alias": "prod"}, "prod", True),
        ({"alias": "prod"}, "prod2", False),
        ({"alias": {"$regex": "^prod"}}, "prod2", True),
        ({"alias": {"$in": ["a", "b"]}}, "b", True),
        ({"alias": {"$ne": "a"}}, "a", False),
        ({"alias": {"$contains": "RO"}}, "prod", True),
        ({"$or": [{"alias": "a"}, {"tag": "prod"}]}, "prod", False),
        ({"$not": {"alias": "a"}}, "prod", True),
        ({"alias": {"$exists": True}}, "", False),
        ({"alias": {"$nin": ["a"]}}, "prod", True),
    ],
)
def test_artifacts_are_met_by_alias_and_tag(wanted, alias, is_met):
    condition = parse("ADD_ARTIFACT_ALIAS", wanted).artifact
    assert condition is not None
    assert holds(condition, {"alias": alias}) is is_met
