"""The runs table's columns, rows and groups (RUN-21 to RUN-25), the same on both databases."""

import json
import math
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.http import QueryDict
from django.utils import timezone

from access.actions import Preset
from access.actor import ANONYMOUS, SYSTEM
from common.errors import Invalid
from runs import table
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run
from runs.table import TableQuery, catalogue
from tests.factories import ProjectFactory, RunFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_caches():
    cache.clear()
    yield
    cache.clear()


QUOTED = 'config.`qu"ote\\\\\n😀`'


def make(project, uid, *, summary=None, config=None, **fields):
    wrapped = {key: {"value": value} for key, value in (config or {}).items()}
    run = RunFactory(project=project, uid=uid, config_text=json.dumps(wrapped), **fields)
    lifecycle.set_summary(run, json.dumps(summary or {}))
    return run


@pytest.fixture
def project():
    project = ProjectFactory()
    ann = UserFactory(username="ann")
    make(project, "a", config={"lr": 0.1, "opt": "adam", "net": {"depth": 3}, "größe": 1, 'qu"ote\\\n😀': 2},
         summary={"loss": 0.5, "ok": True, "train/acc": 0.25}, tags=["x", "base"], user=ann, group="g1",
         display_name="First Run")  # fmt: skip
    make(
        project, "b", config={"lr": 1, "opt": "sgd"}, summary={"loss": float("nan"), "ok": False}, tags=["x"]
    )
    make(project, "c", config={"lr": "1", "opt": "adam"}, summary={"loss": float("inf")}, group="g1")
    make(project, "d", config={"lr": True, "big": 1e308}, summary={"loss": -2}, host="gpu-7")
    make(project, "e", config={"lr": 1.0}, summary={"loss": "high", "seed": 2**63 + 1})
    return project


def rows(project, *, offset=0, limit=100, path=(), **query):
    return table.rows_of(SYSTEM, project, TableQuery(**query), offset=offset, limit=limit, path=path)


def uids(page):
    return "".join(row.run.uid for row in page.rows)


def cells(project, uid, *columns):
    [row] = rows(project, filter=f"id = '{uid}'", columns=columns).rows
    return [row.cells[name] for name in columns]


def test_the_catalogue_has_the_fields_and_every_key_with_its_type(project):
    """RUN-21: every config key and summary key is a column."""
    found = {column.name: column for column in table.catalogue_of(project)}
    assert list(found)[:6] == ["name", "state", "notes", "user", "tags", "created"]
    types = {name: column.type for name, column in found.items() if column.part != "field"}
    assert types == {
        "config.big": "number", "config.größe": "number", "config.lr": "mixed", "config.net.depth": "number",
        "config.opt": "text", QUOTED: "number", "summary.loss": "mixed", "summary.ok": "boolean",
        "summary.seed": "number", "summary.train/acc": "number",
    }  # fmt: skip
    assert found["config.lr"].label == "lr"
    assert (found["runtime"].type, found["runtime"].unit) == ("number", "s")


def test_the_catalogue_follows_what_changes(
    project, django_assert_num_queries, django_assert_max_num_queries, time_machine
):
    """RUN-21: a key is a column once it is logged, and read again is only what changed."""
    time_machine.move_to(timezone.now(), tick=False)
    table.catalogue_of(project)
    run = RunFactory(project=project)
    with django_assert_num_queries(0):
        table.catalogue_of(project)
    time_machine.shift(timedelta(seconds=4))
    lifecycle.update_run(actor=SYSTEM, run=run, fields=RunFields(summary_text='{"zoo": 1, "_step": 3}'))
    with django_assert_max_num_queries(7):
        names = [column.name for column in table.catalogue_of(project)]
    assert names[-2:] == ["summary.zoo", "summary._step"]
    time_machine.shift(timedelta(seconds=4))
    deletion.delete_run(actor=SYSTEM, run=run)
    assert "summary.zoo" not in [column.name for column in table.catalogue_of(project)]


def test_the_catalogue_is_found_anew_when_the_database_is_older_than_the_cache(project, time_machine):
    """As after a backup was restored."""
    time_machine.move_to(timezone.now(), tick=False)
    table.catalogue_of(project)
    remembered = cache.get(catalogue.cache_key(project.pk))
    cache.set(catalogue.cache_key(project.pk), replace(remembered, mark=remembered.mark + 1000))
    make(project, "f", config={"fresh": 1})
    time_machine.shift(timedelta(seconds=4))
    assert "config.fresh" in [column.name for column in table.catalogue_of(project)]


def test_the_catalogue_has_the_goals_that_the_newest_runs_defined(project):
    """RUN-21: also of what the summary has besides the last value."""
    for number, goal in enumerate([2, 1]):
        run = make(project, f"goal{number}", summary={"zoo": {"min": 1}, "zebra": 2})
        told = {"_wandb": {"value": {"m": [{"1": "zoo", "8": goal}]}}}
        Run.objects.filter(pk=run.pk).update(config_text=json.dumps(told))
    goals = {column.name: column.goal for column in table.catalogue_of(project)}
    assert (goals["summary.zoo.min"], goals["summary.zebra"], goals["name"]) == ("minimize", "", "")


def test_what_a_logged_picture_consists_of_is_no_column(project):
    make(project, "f", summary={"sample": {"_type": "image-file", "path": "a.png"}, "sampled": 1})
    names = [column.name for column in table.catalogue_of(project) if column.part == "summary"]
    assert "summary.sampled" in names
    assert not [name for name in names if name.startswith("summary.sample.")]


def test_a_page_has_the_wanted_cells_only(project):
    """RUN-25: values come as they were logged, from config, summary and fields."""
    assert [(cell.value, cell.text, cell.type) for cell in cells(
        project, "a", "name", "user", "tags", "config.lr", "config.größe", QUOTED, "config.net.depth",
        "summary.ok", "summary.train/acc", "summary.none", "host", "sweep",
    )] == [
        ("First Run", "First Run", "text"), ("ann", "ann", "text"), (["x", "base"], "x, base", "tags"),
        (0.1, "0.1", "number"), (1, "1", "number"), (2, "2", "number"), (3, "3", "number"), (True, "true", "boolean"),
        (0.25, "0.25", "number"), (None, "", ""), (None, "", ""), (None, "", ""),
    ]  # fmt: skip
    [nan] = cells(project, "b", "summary.loss")
    assert math.isnan(nan.value)
    assert (nan.text, nan.type) == ("NaN", "number")
    assert cells(project, "c", "summary.loss")[0].value == math.inf
    assert repr(cells(project, "d", "config.big")[0].value) == "1e+308"
    assert cells(project, "e", "summary.seed")[0].value == 2**63 + 1


def test_many_columns_at_once(project):
    many = [f"config.k{number}" for number in range(150)]
    make(project, "f", config={f"k{number}": number for number in range(150)})
    assert [cell.value for cell in cells(project, "f", *many)] == list(range(150))


def test_rows_are_filtered_searched_sorted_and_counted(project, django_assert_max_num_queries):
    """RUN-22, RUN-24: part of a name in any case; missing values last both ways; a fixed number of queries."""
    with django_assert_max_num_queries(5):
        page = rows(
            project, filter="config.lr >= 1 or tags = 'x'", order="-summary.loss", columns=("config.lr",)
        )
    assert (uids(page), page.total, page.all_count) == ("aeb", 3, 5)
    assert uids(rows(project, search="RST r")) == "a"
    assert uids(rows(project, search=".*")) == ""
    assert uids(rows(project, order="summary.loss")) == "daceb"
    assert uids(rows(project, order="-summary.loss")) == "cadeb"
    assert uids(rows(project, order="group,-id")) == "edbca"
    assert uids(rows(project, order="-created", offset=1, limit=2)) == "dc"


def test_pages_of_equal_values_do_not_overlap(project):
    """RUN-25: the order is total, whatever it is by."""
    seen = "".join(uids(rows(project, order="host", offset=at, limit=1)) for at in range(5))
    assert sorted(seen) == list("abcde")


def test_a_query_string_says_it_all():
    query = TableQuery.of(QueryDict("filter=state%3D'running'&search=a&order=-summary.loss,%2Bcreated&group=config.opt"
                                    "&group=tags&columns=config.`a,b`,summary.x&columns=name,name"))  # fmt: skip
    assert query == TableQuery("state='running'", "a", "-summary.loss,+created", ("config.opt", "tags"),
                               ("config.`a,b`", "summary.x", "name"))  # fmt: skip


@pytest.mark.parametrize(
    "given",
    ["filter=x", "order=x", "columns=x", "group=x", "search=" + "x" * 201, "columns=" + ",".join(["name"] * 201),
     "group=" + ",".join(f"config.k{n}" for n in range(11)), "order=" + ",".join(["name"] * 11)],
)  # fmt: skip
def test_a_query_string_that_cannot_be_read_is_refused(given):
    with pytest.raises(Invalid):
        TableQuery.of(QueryDict(given))


def groups(project, *, path=(), **query):
    return table.groups_of(SYSTEM, project, TableQuery(**query), path=path)


def test_groups_have_counts_states_and_spreads(project, django_assert_num_queries):
    """RUN-23: grouped by a column; numeric columns show their mean, min and max and a histogram."""
    Run.objects.filter(uid="c").update(state="failed")
    with django_assert_num_queries(3):
        page = groups(project, group=("config.opt",), columns=("summary.loss", "summary.train/acc", "name"))
    assert [(group.text, group.count) for group in page.groups] == [("adam", 2), ("sgd", 1), ("", 2)]
    assert (page.total, page.run_count) == (3, 5)
    adam, sgd, none = page.groups
    assert adam.states == {"running": 1, "failed": 1}
    assert adam.path == ('"adam"',)
    assert set(adam.numbers) == {"summary.loss", "summary.train/acc"}
    assert adam.numbers["summary.loss"].count == 1  # infinity has no place in a histogram
    assert sgd.numbers == {}
    assert none.numbers["summary.loss"].bins == [(-2.0, -2.0, 1)]


def test_numbers_of_one_value_are_one_group_and_other_types_are_not(project):
    """RUN-23: 1 and 1.0 are one value; "1" and true are others, and groups are sorted by type, then value."""
    page = groups(project, group=("config.lr",))
    assert [(group.value, group.count) for group in page.groups] == [(0.1, 1), (1, 2), ("1", 1), (True, 1)]
    assert [group.value for group in groups(project, group=("config.lr",), order="-config.lr").groups] == [
        True, "1", 1, 0.1,
    ]  # fmt: skip


@pytest.mark.parametrize("column", ["config.lr", "config.opt", "summary.loss", "tags", "group", "user", "created",
                                    "state", "number", "exit_code", "sweep", "name"])  # fmt: skip
def test_every_group_expands_to_its_runs(project, column):
    """RUN-23: a path leads to exactly the runs that were counted."""
    page = groups(project, group=(column,))
    found = [uids(rows(project, group=(column,), path=group.path)) for group in page.groups]
    assert [len(one) for one in found] == [group.count for group in page.groups]
    assert sorted("".join(found)) == list("abcde")


def test_a_path_with_what_no_database_stores_finds_nothing(project):
    for step in ('"\\u0000"', '"\\ud800"'):
        assert uids(rows(project, group=("config.opt",), path=(step,))) == ""


def test_groups_lie_in_groups(project):
    """RUN-23: by one or more columns."""
    by = ("config.opt", "group")
    adam = groups(project, group=by).groups[0]
    [inner] = groups(project, group=by, path=adam.path).groups
    assert (inner.column, inner.value, inner.count, inner.path) == ("group", "g1", 2, ('"adam"', '"g1"'))
    assert uids(rows(project, group=by, path=inner.path, order="id")) == "ac"
    with pytest.raises(Invalid, match="runs, not groups"):
        groups(project, group=by, path=inner.path)


def test_groups_are_sorted_by_the_mean_of_what_the_table_is_sorted_by(project):
    page = groups(project, group=("config.opt",), columns=("summary.loss",), order="summary.loss")
    assert [group.text for group in page.groups] == ["", "adam", "sgd"]


def test_a_histogram_has_as_many_bins_as_the_root_of_the_count(project):
    """RUN-23, semantics 4: min(30, ceil(sqrt n)) bins of equal width."""
    for number in range(10):
        make(project, f"n{number}", summary={"x": number}, group="numbers")
    page = groups(project, filter="group = 'numbers'", group=("group",), columns=("summary.x",))
    numbers = page.groups[0].numbers["summary.x"]
    assert (numbers.count, numbers.mean, numbers.min, numbers.max) == (10, 4.5, 0, 9)
    assert numbers.std == pytest.approx(3.0276504)
    assert numbers.bins == [(0, 2.25, 3), (2.25, 4.5, 2), (4.5, 6.75, 2), (6.75, 9, 3)]


@pytest.mark.parametrize(("by", "path", "message"), [
    ("runtime", (), "cannot be grouped"), ("config.opt", ("adam",), "JSON value of config.opt"),
    ("created", ("1",), "valid day"), ("config.lr", ("1", "2"), "longer than"),
    ("exit_code", ('"x"',), "is a number"), ("config.lr", ("[" * 50_000,), "JSON value of config.lr"),
    ("config.lr", ('{"a": 1}',), "needs a number or a string"),
])  # fmt: skip
def test_a_wrong_path_is_refused(project, by, path, message):
    with pytest.raises(Invalid, match=message):
        rows(project, group=(by,), path=path) if path else groups(project, group=(by,))


def test_only_visible_runs_count(project):
    """TEAM-25: a table shows what its reader may see, and counts nothing else."""
    query = TableQuery(group=("state",))
    for who, count in [
        (ANONYMOUS, 0),
        (actor(UserFactory()), 0),
        (actor(make_member(project.team, Preset.VIEW_ONLY)), 5),
    ]:
        page = table.rows_of(who, project, query)
        assert (page.total, page.all_count, len(page.rows)) == (count, count, count)
        assert table.groups_of(who, project, query).run_count == count


def test_deleted_runs_are_left_out(project):
    Run.objects.filter(uid="a").update(deleted_at=timezone.now())
    assert rows(project).all_count == 4
