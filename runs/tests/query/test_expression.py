"""RUN-22: the expressions by which people, REST and exports filter runs."""

import contextlib
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import example, given, settings
from hypothesis import strategies as st

from common.errors import Invalid
from runs.lifecycle import services as lifecycle
from runs.models import Run
from runs.query.columns import column_named
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some, to_q
from runs.query.expression import read_expression, tree_of, write_expression
from runs.query.ordering import read_order
from runs.query.tokens import MAX_TEXT, ExpressionError
from tests.factories import ProjectFactory, RunFactory, UserFactory
from tests.suite.examples import examples


def make(project, uid, *, summary=None, config=None, **fields):
    wrapped = {key: {"value": value} for key, value in (config or {}).items()}
    run = RunFactory(project=project, uid=uid, config_text=json.dumps(wrapped), **fields)
    lifecycle.set_summary(run, json.dumps(summary or {}))
    return run


@pytest.fixture
def project(db):
    project = ProjectFactory()
    ann = UserFactory(username="ann")
    hardware = {"e": {"w1": {"gpu": "NVIDIA A100", "gpu_count": 8}}}
    make(project, "a", config={"lr": 0.1, "weird `key": 1, "_wandb": hardware}, summary={"loss": 0.5, "ok": True},
         tags=["x", "base"], user=ann, group="g1", display_name="first run")  # fmt: skip
    make(project, "b", config={"lr": 1}, summary={"loss": float("nan"), "train/acc": 0.9}, tags=["x"])
    make(project, "c", config={"lr": "1"}, summary={"loss": float("inf")}, display_name="Zweiter Lauf")
    make(project, "d", config={"lr": True}, summary={"loss": -2}, host="gpu-7")
    make(project, "e", summary={"loss": "high"})
    now = timezone.now()
    Run.objects.filter(uid="a").update(
        created_at=now - timedelta(days=30), started_at=now - timedelta(hours=3)
    )
    Run.objects.filter(uid="b").update(state="failed", finished_at=now, started_at=now - timedelta(seconds=90.5),
                                       active_since=None, active_before_s=60.25)  # fmt: skip
    return project


CASES = [
    ("", "abcde"),
    ('state = "running"', "acde"),
    ("STATE IN ['running', 'failed'] AND NOT tags CONTAINS \"base\"", "bcde"),
    ('state = "running" and (config.lr >= 0.001 or tags in ["a", "b"]) and not summary.loss is null', "a"),
    ("config.lr = 1", "b"),
    ("config.lr == '1'", "c"),
    ("config.lr = true", "d"),
    ("config.lr ≠ 1", "acde"),
    ("config.lr <> 1 and config.lr is not null", "acd"),
    ("config.lr = null", "e"),
    ("config.lr in [0.1, '1', null]", "ace"),
    ("config.lr not in [0.1, '1']", "bde"),
    ("config.lr in []", ""),
    ("config.`weird \\`key` = 1", "a"),
    ("summary.train/acc ≤ 0.9", "b"),
    ("summary.loss > 0", "ac"),
    ("summary.loss < -1.5e0", "d"),
    ("summary.loss > 1e308", "c"),
    ("tags = 'x' or host matches 'gpu-\\d'", "abd"),
    ("tags = 'x' and (group = 'g1' or group = 'g2')", "a"),
    ("name = 'first run'", "a"),
    ("name contains 'LAUF'", "c"),
    ("id in ['a', 'e']", "ae"),
    ("user = 'ann'", "a"),
    ("group is null", "bcde"),
    ("created > -7d", "bcde"),
    ("created <= -7d", "a"),
    ("created > 2020-01-01", "abcde"),
    ("created < '2020-01-01T00:00:00Z'", ""),
    ("runtime > 2h", "a"),
    ("runtime = 90.5", "b"),
    ("duration = 60.25", "b"),
    ("gpu contains 'a100' and gpu_count >= 8", "a"),
    ("gpu is null", "bcde"),
    ("sweep is null", "abcde"),
    ("not (tags = 'x' or not not config.lr = true)", "ce"),
    ("summary.ok = true", "a"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_an_expression_finds(project, text, expected):
    """RUN-22: every operator, and every kind of value, the same on both databases."""
    found = Run.objects.filter(to_q(read_expression(text)), project=project)
    assert "".join(sorted(found.values_list("uid", flat=True))) == expected


WRONG = [
    ("name = )", 7, "Expected a value at character 8, found '\\)'"),
    ("name =", 6, "Expected a value at character 7, found the end"),
    ("name = 1 state", 9, "Expected 'and', 'or' or the end at character 10, found 'state'"),
    ("and name = 1", 0, "Expected a column"),
    ("state = running", 8, "Put text in quotes"),
    ("(name = 1", 9, r"Expected '\)'"),
    ("name 1", 5, "Expected an operator"),
    ("name is 3", 8, "Expected 'null'"),
    ("name not 3", 9, "Expected 'in'"),
    ("name in 3", 8, r"Expected '\['"),
    ("name in [3", 10, r"Expected '\]'"),
    ("name < null", 7, "null at character 8"),
    ("name = 'x", 7, "quote at character 8 is not closed"),
    ("name = 'x' ; drop", 11, "“;” at character 12"),
    ("name = 1e999", 7, "too large"),
    ("crated > 1", 0, "Did you mean created"),
    ("display_name = 'x'", 0, "Did you mean name"),
    ("lr = 1", 0, "config.lr or summary.lr"),
    ("config = 1", 0, "a key of config"),
    ("config.lr > true", 12, "a number or a string"),
    ("state = 'a' and created > 'soon'", 26, "isn’t a valid time"),
    ("created > 7d", 10, "as -7d"),
    ("created > -999999999w", 10, "out of range"),
    ("runtime > 'long'", 10, "isn’t a valid duration"),
    ("runtime > -2h", 10, "isn’t a valid duration"),
    ("name matches '('", 13, "RE2"),
    ("tags > 'x'", 7, "Tags can be compared with"),
    ("(" * 30 + "name = 1" + ")" * 30, 20, "at most 1000 conditions and 20 levels"),
    (" or ".join(["id = 1"] * 1001), 10_000, "at most 1000 conditions"),
    ("x" * (MAX_TEXT + 1), MAX_TEXT, "at most 20000 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "position", "message"), WRONG)
def test_a_wrong_expression_says_where_and_what_was_expected(text, position, message):
    """RUN-22: errors name the position."""
    with pytest.raises(Invalid, match=message) as caught:
        read_expression(text)
    assert isinstance(caught.value, ExpressionError)
    assert caught.value.position == position


PIECES = ["name", "config.lr", "summary.`a b`", "created", "and", "or", "not", "in", "is", "null", "(", ")", "[", "]",
          ",", "=", "<=", "contains", "matches", "'x'", '"', "`", "1", "-7d", "2026-01-01", "true", "\x00", "\ud800",
          " "]  # fmt: skip


_nearly = st.lists(st.sampled_from(PIECES))


@settings(deadline=None)
@given(st.text() | _nearly.map(" ".join) | _nearly.map("".join))
def test_any_text_is_a_condition_or_an_error_inside_it(text):
    """RUN-22: nothing that is typed breaks the reader."""
    with contextlib.suppress(ExpressionError):
        found = read_expression(text)
        to_q(found)
        json.dumps(tree_of(found))
        return
    with pytest.raises(ExpressionError) as caught:
        read_expression(text)
    assert 0 <= caught.value.position <= len(text)
    assert caught.value.message


_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
_flat = st.builds("{}.{}".format, st.sampled_from(["config", "summary"]), _texts.filter(bool))
_numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def _compares(columns, operators, values):
    return st.builds(Compare, columns, st.sampled_from(operators), values)


_ORDERED = [Operator.LT, Operator.LTE, Operator.GT, Operator.GTE]
_EQUAL = [Operator.EQ, Operator.NE]
_LISTS = [Operator.IN, Operator.NOT_IN]
_times = st.sampled_from(["-7d", "+1.5h", "2026-11-01", "2026-11-01T10:00:00Z", "2026-11-01 10:00"])
_leaves = st.one_of(
    _compares(_flat, _ORDERED, _numbers | _texts),
    _compares(_flat, _EQUAL, st.none() | st.booleans() | _numbers | _texts),
    _compares(_flat, _LISTS, st.lists(st.none() | st.booleans() | _numbers | _texts, max_size=4)),
    _compares(_flat | st.just("display_name"), [Operator.EXISTS], st.booleans()),
    _compares(st.sampled_from(["display_name", "host"]), [*_EQUAL, Operator.CONTAINS], _texts),
    _compares(st.just("created_at"), _ORDERED, _times),
    _compares(st.just("runtime"), _ORDERED, st.sampled_from(["90m", "2h"]) | _numbers),
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: All(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Some(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(conditions)
def test_what_is_written_is_read_as_it_was(condition):
    """RUN-22: builder and text are two views of one filter."""
    assert read_expression(write_expression(condition)) == condition


def test_the_examples_in_the_documentation_are_read():
    text = (Path(__file__).parents[3] / "docs/use/filters.md").read_text()
    examples = [
        line for block in re.findall(r"```\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    assert len(examples) > 5
    for text in examples:
        to_q(read_expression(text))


def test_the_tree_is_what_the_builder_edits():
    """RUN-22: the filter builder and the equivalent typed expression."""
    text = 'state = "running" and (config.lr >= 0.001 or not summary.`a b` is not null)'
    assert tree_of(read_expression(text)) == {
        "all": [
            {"column": "state", "operator": "=", "value": "running"},
            {"any": [
                {"column": "config.lr", "operator": ">=", "value": 0.001},
                {"not": {"column": "summary.`a b`", "operator": "is not null", "value": None}},
            ]},
        ]
    }  # fmt: skip
    assert tree_of(read_expression(" ")) == {"all": []}


_moments = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - zones apart


@pytest.mark.django_db
@settings(deadline=None, max_examples=examples(50))
@example(datetime(2020, 1, 1, 0, 0, 0, 999500, UTC), datetime(2020, 1, 1, 0, 0, 1, tzinfo=UTC), None, 0.0)
@given(began=_moments, ended=st.none() | _moments, since=st.none() | _moments, before=st.floats(0, 1e6))
def test_runtime_and_duration_in_sql_are_those_of_the_model(began, ended, since, before):
    """RUN-3: what is sorted and filtered is what is shown, to the microsecond."""
    if not Run.objects.exists():
        RunFactory()
    Run.objects.update(started_at=began, finished_at=ended, active_since=since, active_before_s=before)
    columns = [column_named(name).expression for name in ("runtime", "duration")]
    runtime, duration = Run.objects.values_list(*columns)[0]
    run, patience = Run.objects.get(), 0 if ended else 60
    assert runtime == pytest.approx(run.runtime_s, abs=1e-6 + patience)
    assert duration == pytest.approx(run.duration_s, abs=1e-6 + patience)


def test_runs_are_ordered_by_runtime(project):
    runs = Run.objects.filter(project=project).order_by(*read_order("-runtime"))
    assert list(runs.values_list("uid", flat=True))[:2] == ["a", "b"]
