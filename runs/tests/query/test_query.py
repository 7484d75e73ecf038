"""Filters and orders of runs mean the same on both databases (protocol 3.1, semantics 4)."""

import json

import pytest

from access.actor import SYSTEM
from common.errors import Invalid
from runs.column_index import listed_runs
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run
from runs.query.column_names import named_column
from runs.query.conditions import to_q
from runs.query.expression import read_expression, write_expression
from runs.query.mongo import read_filters
from runs.query.ordering import read_order
from runs.table.group_keys import group_condition
from tests.factories import ProjectFactory, RunFactory, UserFactory

pytestmark = pytest.mark.django_db


def make(project, uid, *, summary=None, config=None, **fields):
    wrapped = {key: {"value": value} for key, value in (config or {}).items()}
    run = RunFactory(project=project, uid=uid, config_text=json.dumps(wrapped), **fields)
    lifecycle.set_summary(run, json.dumps(summary or {}))
    return run


@pytest.fixture
def project():
    project = ProjectFactory()
    ann = UserFactory(username="ann")
    make(project, "a", config={"lr": 0.1, "net": {"depth": 3}, "opt": "adam"}, summary={"loss": 0.5, "ok": True},
         tags=["x", "base"], user=ann, group="g1", display_name="first run")  # fmt: skip
    make(
        project, "b", config={"lr": 1, "opt": "sgd"}, summary={"loss": float("nan"), "ok": False}, tags=["x"]
    )
    make(project, "c", config={"lr": "1", "opt": "Adam"}, summary={"loss": float("inf"), "a/b.c": 7})
    make(
        project, "d", config={"lr": True, 'qu"ote': 5}, summary={"loss": -2, "nested": {"v": 1}}, host="gpu-7"
    )
    make(project, "e", config={}, summary={"loss": "high"})
    return project


CASES: list[tuple[object, str]] = [
    ({}, "abcde"),
    ({"config.lr": 0.1}, "a"),
    ({"config.lr.value": 0.1}, "a"),
    ({"config.lr": 1}, "b"),  # neither "1" nor true
    ({"config.lr": "1"}, "c"),
    ({"config.lr": True}, "d"),
    ({"config.lr": {"$gt": 0.5}}, "b"),
    ({"config.lr": {"$gte": 0.1, "$lt": 1}}, "a"),
    ({"config.lr": {"$exists": True}}, "abcd"),
    ({"config.lr": {"$exists": False}}, "e"),
    ({"config.lr": None}, "e"),
    ({"config.lr": {"$ne": 1}}, "acde"),
    ({"config.lr": {"$in": [0.1, "1"]}}, "ac"),
    ({"config.lr": {"$nin": [0.1, "1"]}}, "bde"),
    ({"config.net.depth": 3}, "a"),
    ({"config.net.value.depth": 3}, "a"),
    ({'config.qu"ote': {"$gt": 4}}, "d"),
    ({"config.opt": {"$regex": "^ad"}}, "a"),
    ({"config.opt": {"$regex": "(?i)^AD"}}, "ac"),
    ({"config.opt": {"$contains": "DA"}}, "ac"),
    ({"summary_metrics.loss": {"$gt": 0}}, "ac"),
    ({"summary_metrics.loss": {"$lt": 1}}, "ad"),
    ({"summary_metrics.loss": "high"}, "e"),
    ({"summaryMetrics.ok": False}, "b"),
    ({"summary_metrics.a/b.c": 7}, "c"),
    ({"summary_metrics.nested.v": 1}, "d"),
    ({"keys_info.keys.nested.v": {"$exists": True}}, "d"),
    ({"tags": "x"}, "ab"),
    ({"tags": {"$in": ["base", "none"]}}, "a"),
    ({"tags": {"$all": ["x", "base"]}}, "a"),
    ({"tags": {"$nin": ["x"]}}, "cde"),
    ({"tags": {"$exists": True}}, "ab"),
    ({"name": {"$in": ["a", "e"]}}, "ae"),
    ({"displayName": "first run"}, "a"),
    ({"display_name": {"$regex": "st r"}}, "a"),
    ({"username": "ann"}, "a"),
    ({"group": {"$exists": True}}, "a"),
    ({"group": None}, "bcde"),
    ({"host": {"$regex": r"gpu-\d"}}, "d"),
    ({"state": "running"}, "abcde"),
    ({"state": {"$ne": "running"}}, ""),
    ({"createdAt": {"$gt": "2020-01-01"}}, "abcde"),
    ({"created_at": {"$lt": "2020-01-01T00:00:00Z"}}, ""),
    ({"heartbeat_at": {"$gt": 1000}}, "abcde"),
    ({"runtime": {"$exists": True}}, "abcde"),
    ({"duration": None}, ""),
    ({"sweep": "s"}, ""),
    ({"sweep": None}, "abcde"),
    ({"$or": [{"name": "a"}, {"config.opt": "sgd"}]}, "ab"),
    ({"$and": [{"tags": "x"}, {"config.lr": {"$lt": 1}}]}, "a"),
    ({"$nor": [{"tags": "x"}, {"config.lr": True}]}, "ce"),
    ({"$not": {"config.lr": {"$gt": 0}}}, "cde"),
    ({"config.lr": {"$not": {"$gt": 0}}}, "cde"),
    ({"$or": []}, ""),
    ({"$or": [{}, {"name": "a"}]}, "abcde"),
    ({"config.lr": {"$gt": 10**400}}, ""),
]


SHAPES: list[tuple[object, str]] = [
    ({"config.opt": {"$exists": True}}, "abc"),
    ({"config.opt": {"$exists": False}}, "de"),
    ({"config.opt": {"$ne": None}}, "abc"),
    ({"config.opt": None}, "de"),
    ({"config.opt": {"$in": [None, "adam"]}}, "cde"),
    ({"config.opt": {"$nin": [None, "adam"]}}, "ab"),
    ({"config.opt.value": {"$exists": True}}, "abc"),
    ({"config.opt.name": {"$exists": True}}, "ab"),
    ({"config.op": {"$exists": True}}, ""),
    ({"config.opt": {"name": "sgd", "lr": 0.1}}, "a"),
    ({"config.opt": {"name": "sgd"}}, "b"),
    ({"config.opt": {"$ne": {"name": "sgd"}}}, "acde"),
    ({"config.opt": {"$in": [{"name": "sgd"}, "adam"]}}, "bc"),
    ({"config.opt": {}}, ""),
    ({"config.empty": {"$exists": True}}, "a"),
    ({"config.empty": {}}, "a"),
    ({"config.layers": {"$exists": True}}, "abcd"),
    ({"config.layers": [16, 16]}, "a"),
    ({"config.layers": [16]}, ""),
    ({"config.layers": {"$in": [[16, 16], [8]]}}, "ab"),
    ({"config.layers": {"$ne": [8]}}, "acde"),
    ({"config.layers": 16}, "ac"),  # a list that has it, or itself
    ({"config.layers": 8.0}, "b"),
    ({"config.layers": 1}, ""),
    ({"config.layers": {"$in": [8, "deep"]}}, "bd"),
    ({"config.layers": {"$nin": [16, "deep"]}}, "be"),
    ({"config.layers": "deep"}, "d"),
    ({"config.layers": "eep"}, ""),
    ({"config.layers": 'a, "b", 2'}, "d"),
    ({"config.layers": 2}, ""),
    ({"config.layers": True}, "d"),
    ({"config.layers": {"$regex": "dee"}}, "d"),
    ({"summary_metrics.conf": {"$exists": True}}, "a"),  # a table
    ({"summary_metrics.conf": None}, "bcde"),
    ({"summary_metrics.acc": {"$exists": True}}, "a"),  # define_metric(summary="max")
    ({"summary_metrics.acc.max": {"$gt": 0}}, "a"),
    ({"summary_metrics.images": {"$exists": True}}, "b"),
    ({"summary_metrics.loss": float("nan")}, "b"),
    ({"summary_metrics.loss": {"$ne": float("nan")}}, "acde"),
    ({"summary_metrics.loss": {"$in": [float("nan"), 0.5]}}, "ab"),
    ({"summary_metrics.loss": float("inf")}, "c"),
    ({"summary_metrics.loss": float("-inf")}, "d"),
    ({"summary_metrics.loss": {"$exists": True}}, "abcd"),
    ({"summary_metrics.big": 2**60}, "a"),
    ({"summary_metrics.big": {"$gt": 2**53}}, "ab"),
    ({"summary_metrics._wandb.runtime": {"$gte": 0}}, "abcde"),
    ({"tags": {"$regex": "^exp"}}, "ab"),
    ({"tags": {"$regex": "^EXP", "$options": "i"}}, "ab"),
    ({"tags": []}, "cde"),
    ({"tags": {"$size": 0}}, "cde"),
    ({"tags": ["exp-1", "x"]}, "a"),
    ({"tags": {"$ne": []}}, "ab"),
    ({"display_name": {"$regex": "^RUN", "$options": "i"}}, "a"),
    ({"display_name": {"$regex": "^RUN", "$options": ""}}, ""),
]
"""As W&B's users write them: of objects, lists, media, tags, and what is no finite number."""


@pytest.fixture
def shapes():
    project = ProjectFactory()
    table = {"_type": "table-file", "path": "media/table/conf_0.table.json", "nrows": 3}
    images = {"_type": "images/separated", "count": 2}
    make(project, "a", config={"opt": {"name": "sgd", "lr": 0.1}, "layers": [16, 16], "empty": {}}, tags=["exp-1", "x"],
         display_name="run one", summary={"conf": table, "acc": {"max": 0.5}, "loss": 0.5, "big": 2**60})  # fmt: skip
    make(project, "b", config={"opt": {"name": "sgd"}, "layers": [8]}, tags=["y", "exp-2"],
         summary={"images": images, "loss": float("nan"), "big": 2**60 + 2**20})  # fmt: skip
    make(project, "c", config={"opt": "adam", "layers": 16}, summary={"loss": float("inf")})
    make(
        project,
        "d",
        config={"layers": ["deep", True, 'a, "b", 2', [1, 2]], "none": None},
        summary={"loss": float("-inf"), "big": 5},
    )
    make(project, "e")
    return project


def _ids(cases):
    return [json.dumps(filters)[:60] for filters, _ in cases]


def check_both(project, condition, expected):
    """Let the database and the columns in memory answer; these refuse what they cannot say."""
    found = Run.objects.filter(to_q(condition), project=project)
    assert "".join(sorted(found.values_list("uid", flat=True))) == expected
    kept = listed_runs(SYSTEM, project, condition, None)
    if kept is not None:
        uids = Run.objects.in_bulk(kept.pks.tolist())
        assert "".join(sorted(run.uid for run in uids.values())) == expected
    return kept is not None


@pytest.mark.parametrize(("filters", "expected"), CASES, ids=_ids(CASES))
def test_a_filter_finds(project, filters, expected):
    check_both(project, read_filters(json.dumps(filters)), expected)


@pytest.mark.parametrize(("filters", "expected"), SHAPES, ids=_ids(SHAPES))
def test_a_filter_finds_what_is_no_plain_value(shapes, filters, expected):
    text = json.dumps(filters)
    is_kept = check_both(shapes, read_filters(text), expected)
    assert is_kept == (
        '"name"' not in text and "big" not in text
    )  # objects and large integers are the database's


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("config.opt is not null", "abc"),
        ("summary.conf is null", "bcde"),
        ("summary.loss = NaN", "b"),
        ("summary.loss != nan", "acde"),
        ("summary.loss in [NaN, Infinity]", "bc"),
        ("summary.loss = -Infinity", "d"),
        ("summary.loss >= +infinity", "c"),
        ("config.layers = 16", "ac"),
        ('tags matches "^exp"', "ab"),
    ],
)
def test_an_expression_finds_them(shapes, text, expected):
    condition = read_expression(text)
    check_both(shapes, condition, expected)
    assert read_expression(write_expression(condition)) == condition or "nan" in text.lower()
    assert write_expression(read_expression(write_expression(condition))) == write_expression(condition)


def test_a_group_is_of_the_value_itself(shapes):
    column = named_column("config.layers")
    for step, expected in (("16", "c"), ("null", "e"), ('"[16, 16]"', "a")):
        check_both(shapes, group_condition(column, step), expected)
    check_both(shapes, group_condition(named_column("config.opt"), "null"), "abde")
    check_both(shapes, group_condition(named_column("summary.loss"), "NaN"), "b")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (None, "abcde"),
        ("-created_at", "edcba"),
        ("+summary_metrics.loss", "daceb"),  # numbers with infinity, then strings, then NaN and missing
        ("-summary_metrics.loss", "cadeb"),
        ("config.lr", "abcde"),
        ("-config.lr.value", "bacde"),
        ("-name", "edcba"),
        ("+group,-name", "edcba"),
        ("sweep", "abcde"),
        ("-summary_metrics.with,comma", "edcba"),
        ("-summary_metrics.with,comma,+name", "abcde"),
    ],
)
def test_an_order_sorts(project, order, expected):
    runs = Run.objects.filter(project=project).order_by(*read_order(order))
    if order == "+group,-name":
        expected = "".join(sorted("bcde", reverse=True)) + "a"  # "" sorts before "g1"
    assert "".join(runs.values_list("uid", flat=True)) == expected


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ("{", "valid JSON"),
        ("[]", "needs an object"),
        ('{"nope": 1}', "column “nope”"),
        ('{"config": 1}', "column “config”"),
        ('{"name": {"$where": 1}}', r"\$where"),
        ('{"$where": "1"}', r"\$where"),
        ('{"name": {"$regex": "("}}', "valid RE2"),
        ('{"name": {"$in": "a"}}', "needs a list"),
        ('{"created_at": {"$gt": "soon"}}', "valid time"),
        ('{"exit_code": "x"}', "is a number"),
        ('{"config.a": {"$gt": [1]}}', "a number or a string"),
        (json.dumps({"$or": [{"name": "a"}] * 600}), "more than"),
        ('{"$not": ' * 30 + "{}" + "}" * 30, "more than"),
    ],
)
def test_a_wrong_filter_is_refused_and_says_why(filters, message):
    with pytest.raises(Invalid, match=message):
        to_q(read_filters(filters))


def test_a_pattern_that_would_hang_a_backtracking_matcher_answers_at_once(project):
    lifecycle.update_run(
        actor=_system(), run=Run.objects.get(project=project, uid="a"), fields=RunFields(notes="a" * 5000)
    )
    found = Run.objects.filter(to_q(read_filters('{"notes": {"$regex": "^(a+)+$"}}')), project=project)
    assert [run.uid for run in found] == ["a"]


def _system():
    from access.actor import SYSTEM

    return SYSTEM
