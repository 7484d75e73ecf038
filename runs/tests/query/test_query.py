"""Filters and orders of runs mean the same on both databases (protocol 3.1, semantics 4)."""

import json

import pytest

from common.errors import Invalid
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run
from runs.query.conditions import to_q
from runs.query.mongo import read_filters
from runs.query.ordering import read_order
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


@pytest.mark.parametrize(
    ("filters", "expected"), CASES, ids=[json.dumps(filters)[:60] for filters, _ in CASES]
)
def test_a_filter_finds(project, filters, expected):
    found = Run.objects.filter(to_q(read_filters(json.dumps(filters))), project=project)
    assert "".join(sorted(found.values_list("uid", flat=True))) == expected


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
