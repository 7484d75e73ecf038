"""Groups in the workspace: headings of the run list, what is drawn, the script's statistics (RUN-23, RUN-26)."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from django.urls import reverse

from metrics.tests.typescript import run_typescript
from metrics.workspace import run_groups
from runs.models import Run
from runs.secrets.masking import MASK
from tests.factories import ProjectFactory, RunFactory, UserFactory

SECRET = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5q" * 4


@pytest.fixture
def project(db):
    return ProjectFactory()


@pytest.fixture
def client(client, project):
    """Give a browser in which the project's owner is signed in."""
    client.force_login(project.team.memberships.first().user)
    return client


@pytest.fixture
def seeds(project):
    """Three seeds of two learning rates in two groups, and a run that is in none."""
    made = []
    for group, lr in (("base", 0.1), ("base", 1), ("wide", 0.1)):
        for seed in range(3):
            config = {"lr": {"value": float(lr) if seed else lr}, "seed": {"value": seed}}
            text = json.dumps(config)
            made.append(RunFactory(project=project, group=group, tags=["a", "b"], config_text=text))
    return [*made, RunFactory(project=project, group="")]


def ask(client, project, name, **query):
    return client.get(reverse(f"metrics:{name}", args=[project.team.name, project.name]), query)


def drawn(client, project, *by, **query):
    answer = ask(client, project, "grouped_runs", group=list(by), **query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def sizes(body):
    return [(group["name"], group["count"]) for group in body["groups"]]


def path(*values):
    return json.dumps([json.dumps(value) for value in values])


def test_runs_are_grouped_by_several_columns_at_once(client, project, seeds):
    """RUN-26: in the order of their values; 1 and 1.0 are one; a run without a value has a name for it."""
    body = drawn(client, project, "group", "config.lr")
    assert sizes(body) == [
        ("Group: base · lr: 0.1", 3), ("Group: base · lr: 1", 3), ("Group: wide · lr: 0.1", 3), ("Group: – · lr: –", 1),
    ]  # fmt: skip
    assert [run["group"] for run in body["runs"]] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
    assert (body["groupCount"], body["shownCount"], body["runCount"]) == (4, 4, 10)


@pytest.mark.parametrize(("column", "names"), [
    ("tags", ["Tags: a, b", "Tags: –"]), ("group", ["Group: base", "Group: wide", "Group: –"]),
    ("config.seed", ["seed: 0", "seed: 1", "seed: 2", "seed: –"]), ("state", ["State: running"]),
    ("summary.loss", ["loss: –"]), ("job_type", ["Job type: –"]),
])  # fmt: skip
def test_every_kind_of_column_makes_groups(client, project, seeds, column, names):
    """RUN-26: the columns of the runs table; several tags are one group a set."""
    assert [name for name, _count in sizes(drawn(client, project, column))] == names


def test_the_longest_rule_says_what_is_drawn(client, project, seeds):
    by = ("group", "config.lr")
    body = drawn(client, project, *by, hide=[path("base")], show=[path("base", 1)])
    assert [name for name, _ in sizes(body)] == [
        "Group: base · lr: 1", "Group: wide · lr: 0.1", "Group: – · lr: –",
    ]  # fmt: skip
    assert [group["place"] for group in body["groups"]] == [1, 2, 3]  # colours stay
    assert sizes(drawn(client, project, *by, hide=["[]"])) == []
    assert ask(client, project, "grouped_runs", group=by, hide=["no path"]).status_code == 400
    many = [path(str(number)) for number in range(101)]
    assert "At most 100 groups" in ask(client, project, "grouped_runs", group=by, hide=many).content.decode()


def test_room_is_shared_out_and_what_is_cut_is_told(client, project, seeds, monkeypatch):
    """RUN-26: no group is without a run because another one has many; who is shown by name comes first."""
    monkeypatch.setattr(run_groups, "MAX_RUNS", 4)
    monkeypatch.setattr(run_groups, "MAX_GROUPS", 3)
    body = drawn(client, project, "group", "config.lr", show=[path(None, None)])
    assert [group["place"] for group in body["groups"]] == [0, 1, 3]
    assert (body["groupCount"], body["shownCount"], body["runCount"]) == (4, 4, 10)
    assert [run["group"] for run in body["runs"]] == [0, 0, 1, 2]


def test_groups_of_some_runs_are_told_for_a_panel_of_its_own(client, project, seeds):
    uids = [seeds[0].uid, seeds[-1].uid]
    assert sizes(drawn(client, project, "group", run=uids)) == [("Group: base", 1), ("Group: –", 1)]


def test_the_list_opens_level_by_level_to_runs(
    client, project, seeds, monkeypatch, django_assert_max_num_queries
):
    """RUN-23: headings with counts over the whole filter, then runs by pages; queries do not grow with groups."""
    by = {"group": ["group", "config.lr"]}
    with django_assert_max_num_queries(10):
        top = ask(client, project, "run_groups", **by).content.decode()
    assert top.count("data-open-group") == 3
    assert "Group: base, 6 runs" in top
    assert "Group: –, 1 run" in top
    inner = ask(client, project, "run_groups", path=path("base"), **by).content.decode()
    assert inner.count("data-last") == inner.count("data-open-group") == 2
    monkeypatch.setattr(run_groups, "PAGE", 2)
    first = ask(client, project, "run_groups", path=path("base", 1), **by).content.decode()
    assert first.count("data-uid") == 2
    assert 'data-more="2"' in first
    rest = ask(client, project, "run_groups", path=path("base", 1), offset=2, **by).content.decode()
    assert rest.count("data-uid") == 1
    assert "data-more" not in rest
    assert (
        ask(client, project, "run_groups", filter='group = "wide"', **by).content.count(b"data-open-group")
        == 1
    )


def test_what_cannot_be_grouped_by_is_refused(client, project):
    answer = ask(client, project, "run_groups", group="runtime")
    assert answer.status_code == 400
    assert "cannot be grouped" in answer.content.decode()


def test_secrets_stay_masked_and_hidden_runs_uncounted(client, project):
    """A group's name may hold a key; it is in neither headings nor paths."""
    RunFactory(project=project, group=SECRET, tags=[SECRET])
    for by in ("group", "tags"):
        for name in ("run_groups", "grouped_runs"):
            text = ask(client, project, name, group=by).content.decode()
            assert SECRET not in text
            assert MASK in text or json.dumps(MASK)[1:-1] in text
    Run.objects.update(project=ProjectFactory())
    client.force_login(UserFactory())
    assert ask(client, project, "grouped_runs", group="group").status_code == 404


SCRIPT = """
import { averaged, shownOf } from "./assets/ts/panels/statistics.ts";
const { values, lines, line, band } = JSON.parse(process.argv[1]);
const read = (column) => Float64Array.from(column.map((value) => value ?? NaN));
const shown = values ? shownOf(values, line, band)
  : averaged(lines.map(({ x, y }) => ({ x: read(x), y: read(y) })), line, band);
console.log(JSON.stringify(shown, (_, value) => ArrayBuffer.isView(value) ? [...value] : value));
"""

VALUES = [0.3, 0.1, 0.5, 0.25]
LINES: dict[str, Callable[..., float]] = {"mean": np.mean, "median": np.median, "min": np.min, "max": np.max}
STD = np.std(VALUES, ddof=1)
OFFS = {"std": STD, "stderr": STD / math.sqrt(len(VALUES))}


@pytest.mark.parametrize("band", ["std", "stderr", "range", "none"])
def test_lines_and_bands_are_numpys(band):
    """RUN-26: deviations of a sample, around the line."""
    for line, wanted in LINES.items():
        shown = run_typescript(SCRIPT, {"values": VALUES, "line": line, "band": band})
        value = wanted(VALUES)
        assert shown["value"] == pytest.approx(value)
        if band == "range":
            assert (shown["low"], shown["high"]) == (0.1, 0.5)
        elif band == "none":
            assert shown["low"] is None
        else:
            assert (shown["low"], shown["high"]) == pytest.approx((value - OFFS[band], value + OFFS[band]))


def test_members_that_end_or_break_are_left_out_where_they_have_no_value():
    """RUN-26: at each place the statistics are of the runs that reach it; of one alone there is no deviation."""
    lines = [{"x": [0, 1, 2, 3], "y": [1, 2, 3, 4]}, {"x": [0, 1, 2], "y": [3, None, 7]}]
    shown = run_typescript(SCRIPT, {"lines": lines, "line": "mean", "band": "std"})
    assert shown["y"] == [2, 2, 5, 4]
    assert shown["counts"] == [2, 1, 2, 1]
    assert shown["low"] == pytest.approx([2 - math.sqrt(2), None, 5 - math.sqrt(8), None])


KEPT = """
import { readPanels } from "./assets/ts/panels/spec.ts";
import { toggled } from "./assets/ts/workspace/group-rules.ts";
const { kept, clicks } = JSON.parse(process.argv[1]);
const rules = clicks.map(([rules, path, isDrawn]) => toggled(rules, path, isDrawn));
console.log(JSON.stringify({ panels: readPanels(kept), rules }));
"""


def test_what_was_kept_with_one_column_is_read_and_an_eye_takes_all_inside_along():
    kept = {
        "view": {"groupBy": "config.lr", "spread": "std", "x": "_step"},
        "panels": {
            "a": {"groupBy": ""},
            "b": {"groupBy": ["group"], "groupBand": "none"},
            "c": {"title": "c"},
        },
    }
    outer, inner, other = path("base"), path("base", 1), path("wide")
    clicks = [
        ({inner: True, other: False}, outer, True),  # hides the group and what was shown inside
        ({outer: False}, outer, False),  # back to no rule
        ({"[]": False}, inner, False),  # one of those that all are hidden
        ({}, inner, False),  # one for which there was no room
    ]
    found = run_typescript(KEPT, {"kept": kept, "clicks": clicks})
    assert found["panels"] == {
        "view": {"groupBy": ["config.lr"], "groupBand": "std", "x": "_step"},
        "panels": {
            "a": {"groupBy": []},
            "b": {"groupBy": ["group"], "groupBand": "none"},
            "c": {"title": "c"},
        },
    }
    assert found["rules"] == [{other: False, outer: False}, {}, {"[]": False, inner: True}, {inner: True}]


@pytest.mark.parametrize("part", ["run_groups", "grouped_runs"])
def test_without_a_column_groups_are_those_that_scripts_gave(client, project, part):
    assert ask(client, project, part).content == ask(client, project, part, group="group").content
