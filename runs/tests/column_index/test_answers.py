"""Columns in memory say what the database says: which runs, in which order, and in which groups (RUN-21 to RUN-26)."""

import json
import math
import random
from datetime import timedelta

import pytest
from django.db import connection

from access.actor import SYSTEM
from runs.column_index import listed_runs
from runs.column_index.project_index import NotIndexed, check_indexed
from runs.lifecycle import services as lifecycle
from runs.models import Run
from runs.query.column_names import named_column
from runs.query.columns import ColumnKind, column_named
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some, to_q
from runs.query.ordering import read_order, read_ordering
from runs.table import TableQuery, groups_of
from runs.table.extents import extents_of
from tests.factories import ProjectFactory, RunFactory, UserFactory

pytestmark = pytest.mark.django_db

RUNS, CONDITIONS = 60, 60
FOLDED = ["\u017f", "\u212a"]
"""A long s and the sign of Kelvin, which are an s and a k where case is no matter."""
VALUES = [
    0, 1, 1.0, -2, 0.1, 1e308, 10**400, 2**53 + 1, "1", "", "adam", "Adam", "über", *FOLDED, "a\nb", "zz", True, False,
    math.nan, math.inf, -math.inf, None, [1, 2], {"inner": 3},
]  # fmt: skip
TEXTS = ["", "adam", "Adam", "über", "gpu-7", "a\nb", "10"]
TAGS = [[], ["x"], ["x", "base"], ["base", "x"], ["ünï"]]
FLAT = [
    "config.a",
    "config.b",
    "config.a.value",
    "config.a.inner",
    "summary.m",
    "summary.n/o",
    'summary.qu"ote',
]
SPANS = ["runtime", "duration"]
FIELDS = ["display_name", "group", "host", "job_type", "state", "name", "sweep"]
ORDERED = (Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)


def _run(project, source, values=VALUES):
    if connection.vendor == "postgresql":  # whose matcher does not take them for an s and a k
        values = [value for value in values if value not in FOLDED]
    config = {key: {"value": source.choice(values)} for key in "ab" if source.random() < 0.8}
    summary = {key: source.choice(values) for key in ("m", "n/o", 'qu"ote') if source.random() < 0.8}
    run = RunFactory(
        project=project, config_text=json.dumps(config), tags=source.choice(TAGS), group=source.choice(TEXTS),
        host=source.choice(TEXTS), display_name=source.choice(TEXTS[1:]), user=None,
    )  # fmt: skip
    lifecycle.set_summary(run, json.dumps(summary))
    if source.random() < 0.3:
        Run.objects.filter(pk=run.pk).update(exit_code=source.choice([0, 1, -9]))
    if source.random() < 0.8:
        took = timedelta(microseconds=source.randrange(10**9))
        since = source.choice([None, run.started_at + took / 3])
        Run.objects.filter(pk=run.pk).update(
            finished_at=run.started_at + took, active_since=since, active_before_s=source.random()
        )
    return run


def _compare(source) -> Compare:
    name = source.choice([*FLAT, *FIELDS, *SPANS, "tags", "created_at", "finished_at", "exit_code", "number"])
    if source.random() < 0.2:
        return Compare(name, Operator.EXISTS, value=source.random() < 0.5)
    operator, value = _COMPARED[column_named(name).kind](source, source.choice([Operator.EQ, Operator.NE]))
    return Compare(name, operator, value)


def _tags(source, equal):
    return source.choice([equal, Operator.CONTAINS]), source.choice(["x", "base", "ünï", "no"])


def _times(source, _equal):
    return source.choice(ORDERED), source.choice(["-1h", "2020-01-01", 4e9])


def _spans(source, _equal):
    return source.choice(ORDERED), source.choice([0, 300, "5m", 1e9])


def _numbers(source, equal):
    return source.choice([*ORDERED, equal]), source.choice([0, 1, 7.5, -9, 30])


def _texts(source, equal, some=(*TEXTS, "1", "zz"), one=(*TEXTS, "1", "zz")):
    if source.random() < 0.3:
        operator = source.choice([Operator.CONTAINS, Operator.MATCHES])
        return operator, source.choice(["a", "K", "s", "ÜB", "1", "zz"])
    if source.random() < 0.3:
        return source.choice([Operator.IN, Operator.NOT_IN]), source.sample(some, 2)
    return source.choice([*ORDERED, equal]), source.choice(one)


def _flat(source, equal):
    scalars = [
        value for value in VALUES if isinstance(value, int | float | str) and not isinstance(value, bool)
    ]
    return _texts(source, equal, some=(1, 0.1, "adam", True, "über"), one=scalars)


_COMPARED = {
    ColumnKind.TAGS: _tags, ColumnKind.TIME: _times, ColumnKind.NUMBER: _numbers, ColumnKind.TEXT: _texts,
    ColumnKind.FLAT: _flat, ColumnKind.SPAN: _spans,
}  # fmt: skip


def _condition(source, depth=0) -> Condition:
    way = source.random()
    if depth > 2 or way < 0.6:
        return _compare(source)
    if way < 0.7:
        return Not(_condition(source, depth + 1))
    parts = [_condition(source, depth + 1) for _ in range(source.randrange(3))]
    combined: Condition = All(parts) if way < 0.85 else Some(parts)
    return combined


def _order(source):
    names = source.sample(
        [*FLAT, *FIELDS, *SPANS, "created_at", "finished_at", "exit_code", "number"], source.randint(1, 3)
    )
    return ",".join(source.choice("+-") + name for name in names)


@pytest.fixture(autouse=True)
def _standing_clock(time_machine):
    """What goes on lasts as long for both."""
    time_machine.move_to("2026-11-01T12:00:00.123456Z", tick=False)


@pytest.fixture(params=range(3))
def source(request):
    return random.Random(request.param)


@pytest.fixture
def project(source):
    project = ProjectFactory()
    for _ in range(RUNS):
        _run(project, source)
    return project


@pytest.mark.parametrize("has_large_integers", [False, True])
def test_the_same_runs_in_the_same_order(source, has_large_integers):
    project = ProjectFactory()
    values = (
        VALUES if has_large_integers else [value for value in VALUES if value not in (2**53 + 1, 10**400)]
    )
    for _ in range(RUNS):
        _run(project, source, values)
    runs, answered = Run.objects.filter(project=project), 0
    for _ in range(CONDITIONS):
        condition = _condition(source)
        for order in (_order(source) for _ in range(3)):
            found = listed_runs(SYSTEM, project, condition, read_ordering(order))
            if found is None:  # a run has both spellings of a key
                continue
            expected = runs.filter(to_q(condition)).order_by(*read_order(order)).values_list("pk", flat=True)
            assert found.pks.tolist() == list(expected), (condition, order)
            assert found.all_count == RUNS
            answered += 1
    assert answered > (CONDITIONS if has_large_integers else 2 * CONDITIONS)


def _told(group):
    """Return what a group is and has; of 1 and 1.0, which are one group, either may name it."""
    steps = [json.loads(step) for step in group.path]
    return (
        [pytest.approx(step, nan_ok=True) if isinstance(step, float) else step for step in steps],
        group.count,
        group.states,
    )


def _spreads(group):
    return {
        name: (
            one.count,
            pytest.approx(one.mean, nan_ok=True),
            one.min,
            one.max,
            pytest.approx(one.std, nan_ok=True),
            one.bins,
        )
        for name, one in group.numbers.items()
    }


def test_groups_and_extents_are_those_of_rows(source, monkeypatch):
    project = ProjectFactory()
    for _ in range(RUNS):
        _run(project, source, [value for value in VALUES if value not in (2**53 + 1, 10**400, 1e308)])
    names = ("config.a", "config.b", "summary.m", "summary.`n/o`", "exit_code", "runtime", "duration")
    asked = [
        TableQuery(group=(by,), columns=names)
        for by in ("config.b", "group", "tags", "created", "exit_code", "state")
    ]
    for query in asked:
        by = named_column(query.group[0]).column
        assert listed_runs(SYSTEM, project, All(()), None, [by]) is not None, (
            "they are compared with themselves"
        )
    kept = [groups_of(SYSTEM, project, query) for query in asked]
    extents = extents_of(SYSTEM, project, asked[0])
    for module in ("gathering", "extents"):
        monkeypatch.setattr(f"runs.table.{module}.listed_runs", lambda *_args: None)
    for query, page in zip(asked, kept, strict=True):
        rows = groups_of(SYSTEM, project, query)
        assert list(map(_told, page.groups)) == list(map(_told, rows.groups))
        for one, other in zip(page.groups, rows.groups, strict=True):
            assert _spreads(one) == _spreads(other)
    assert extents == extents_of(SYSTEM, project, asked[0])


def test_integers_that_are_no_doubles_are_grouped_by_the_database():
    project = ProjectFactory()
    for seed in (2**53, 2**53 + 1):
        RunFactory(project=project, config_text=json.dumps({"seed": {"value": seed}}))
    groups = groups_of(SYSTEM, project, TableQuery(group=("config.seed",))).groups
    assert [group.path for group in groups] == [(str(2**53),), (str(2**53 + 1),)]


def test_what_other_rows_say_is_left_to_the_database(project):
    for name in ("user", "logged_by", "heartbeat_at", "notes", "entity"):
        with pytest.raises(NotIndexed):
            check_indexed(column_named(name))
        assert listed_runs(SYSTEM, project, Compare(name, Operator.EXISTS, value=True), None) is None


def test_who_may_see_some_runs_only_is_left_to_the_database(project):
    from tests.factories import actor

    stranger = actor(UserFactory())
    assert listed_runs(stranger, project, All(()), None) is None
