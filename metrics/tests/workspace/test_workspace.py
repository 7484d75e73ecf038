"""The workspace: its page, its run selector, and the lines of many runs (RUN-26, RUN-28)."""

import csv
import gzip
import json

import numpy as np
import pytest
from django.urls import reverse

from access.web.requests import actor_of_user
from metrics.models import Stream
from metrics.series import charts
from metrics.series.smoothing import Smoothing, smoothed
from metrics.store import compaction
from metrics.tests.ingest.test_ingest import history, post, send
from runs.models import Run
from runs.saved_views.services import merge_working_view
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member
from tests.streams import body_of


@pytest.fixture
def project(db):
    return ProjectFactory()


@pytest.fixture
def owner(client, project):
    user = project.team.memberships.first().user
    client.force_login(user)
    return user


@pytest.fixture
def two_runs(project):
    """Two runs of 100 and 200 rows; the first one packed."""
    runs = [RunFactory(project=project) for _ in range(2)]
    for run, count in zip(runs, (100, 200), strict=True):
        send(post(run, history=(0, history(0, count))))
    for stream in Stream.objects.filter(run=runs[0]):
        compaction.pack_stream(stream.pk)
    return runs


def ask(client, project, name, **query):
    url = reverse(f"metrics:{name}", args=[project.team.name, project.name])
    return client.get(url, query, headers={"Accept-Encoding": ""})


def series(client, project, runs, **query):
    uids = [run.uid for run in runs]
    answer = ask(client, project, "project_series", run=uids, **{"keys": ["loss"], **query})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_lines_of_many_runs_come_in_one_answer(client, owner, project, two_runs):
    body = series(client, project, two_runs)
    first, second = two_runs
    assert body["next"] == {first.uid: 100, second.uid: 200}
    line = body["series"][second.uid]["loss"]
    assert body["x"][line["x"]] == list(range(200))
    assert len(line["last"]) == 200
    assert "min" not in line  # each point is shown


def test_buckets_have_last_smallest_and_largest(client, owner, project, two_runs):
    line = series(client, project, two_runs, buckets=10)["series"][two_runs[1].uid]["loss"]
    exact = series(client, project, two_runs, precise=1)["series"][two_runs[1].uid]["loss"]["last"]
    assert len(line["last"]) == 10
    assert line["last"][-1] == pytest.approx(exact[-1], rel=1e-6)
    assert (min(line["min"]), max(line["max"])) == pytest.approx((min(exact), max(exact)), rel=1e-6)


def test_smoothing_is_over_all_points_in_a_zoom_too(client, owner, project, two_runs, monkeypatch):
    """RUN-27, semantics 5: over the full history, not over what is drawn; beyond a bound as before."""
    run = two_runs[1]
    exact = series(client, project, [run], precise=1)
    values = np.array(exact["series"][run.uid]["loss"]["last"])
    whole = smoothed(np.arange(200.0), values, Smoothing("ema", 0.9))
    drawn = series(client, project, [run], precise=1, buckets=10, smooth="ema:0.9")
    line = drawn["series"][run.uid]["loss"]
    assert line["smooth"] == pytest.approx([whole[int(x)] for x in drawn["x"][line["x"]]])
    zoomed = series(client, project, [run], precise=1, smooth="ema:0.9", **{"from": 150, "to": 160})
    line = zoomed["series"][run.uid]["loss"]
    assert line["smooth"] == pytest.approx([whole[int(x)] for x in zoomed["x"][line["x"]]])
    assert "smooth" in series(client, project, two_runs, smooth="ema:0.9")["series"][two_runs[0].uid]["loss"]
    monkeypatch.setattr(charts, "MAX_POINTS", 50)
    answered = series(client, project, two_runs, smooth="ema:0.9")["series"]
    assert "smooth" not in answered[two_runs[0].uid]["loss"]
    assert (
        ask(client, project, "project_series", run=[run.uid], keys=["loss"], smooth="ema:x").status_code
        == 400
    )


def test_the_csv_of_a_chart_has_every_point(client, owner, project, two_runs):
    """RUN-43: a row for each place on x, a column for each line, all digits."""
    uids = [run.uid for run in two_runs]
    answer = ask(client, project, "project_series_csv", run=uids, keys=["loss"], buckets=1)
    rows = list(csv.reader(body_of(answer).decode().splitlines()))
    assert rows[0] == ["_step", *(f"{uid}/loss" for uid in uids)]
    assert [row[0] for row in rows[1:]] == [str(step) for step in range(200)]
    exact = series(client, project, two_runs, precise=1)["series"]
    assert [float(row[2]) for row in rows[1:]] == exact[uids[1]]["loss"]["last"]
    assert [row[1] for row in rows[101:]] == [""] * 100


def test_a_zoom_has_the_range_and_the_points_beside_it(client, owner, project, two_runs):
    """RUN-26: zoom re-queries at the finer resolution."""
    body = series(client, project, two_runs, buckets=40, **{"from": 60, "to": 120})
    places = {uid: body["x"][found["loss"]["x"]] for uid, found in body["series"].items()}
    assert places[two_runs[0].uid] == list(range(59, 100))
    wide = places[two_runs[1].uid]
    assert (wide[0], wide[-1]) == (59, 121)
    assert len(wide) <= 42


def test_a_zoom_beyond_all_points_is_empty(client, owner, project, two_runs):
    body = series(client, project, two_runs, **{"from": 1000, "to": 1200})
    assert body["series"] == {run.uid: {} for run in two_runs}


def test_live_points_come_from_a_row_of_each_run(client, owner, project, two_runs):
    """RUN-28: only what came since; as many statements for many runs as for one."""
    body = series(client, project, two_runs, since=[97, 199])
    places = {uid: body["x"][found["loss"]["x"]] for uid, found in body["series"].items()}
    assert places == {two_runs[0].uid: [97, 98, 99], two_runs[1].uid: [199]}
    assert series(client, project, two_runs, since=[100, 200])["series"] == {run.uid: {} for run in two_runs}


def test_many_runs_cost_no_more_statements(client, owner, project, two_runs, django_assert_max_num_queries):
    more = [RunFactory(project=project) for _ in range(6)]
    for run in more:
        send(post(run, history=(0, history(0, 5))))
    with django_assert_max_num_queries(12):
        series(client, project, two_runs + more)


def test_values_that_are_no_numbers_travel_by_name(client, owner, project):
    run = RunFactory(project=project)
    rows = history(0, 3)
    for row, value in zip(rows, (float("nan"), float("inf"), 2.5), strict=True):
        row["loss"] = value
    send(post(run, history=(0, rows)))
    assert series(client, project, [run])["series"][run.uid]["loss"]["last"] == ["NaN", "Infinity", 2.5]


def test_large_numbers_keep_their_digits(client, owner, project):
    run = RunFactory(project=project)
    rows = history(0, 2)
    for row in rows:
        row["loss"] = 123_456_789.0 + row["_step"]
    send(post(run, history=(0, rows)))
    assert series(client, project, [run])["series"][run.uid]["loss"]["last"] == [123_456_789.0, 123_456_790.0]


def test_x_may_be_time_or_any_key(client, owner, project, two_runs):
    by_time = series(client, project, two_runs, x="_runtime")
    line = by_time["series"][two_runs[0].uid]["loss"]
    assert by_time["x"][line["x"]] == sorted(by_time["x"][line["x"]])
    by_loss = series(client, project, two_runs, x="loss")
    line = by_loss["series"][two_runs[0].uid]["loss"]
    assert np.allclose(by_loss["x"][line["x"]], line["last"], rtol=1e-6)


@pytest.mark.parametrize(
    "query",
    [
        {"from": "soon"},
        {"to": "inf"},
        {"since": ["1"]},
        {"since": ["1", "x"]},
        {"kind": "logs"},
        {"buckets": "99999999"},
        {"run": [f"r{n}" for n in range(501)]},
        {"keys": [f"k{n}" for n in range(501)]},
    ],
)
def test_what_cannot_be_read_is_refused(client, owner, project, two_runs, query):
    given = {"run": [run.uid for run in two_runs], "keys": ["loss"], **query}
    assert ask(client, project, "project_series", **given).status_code == 400


def test_runs_of_other_projects_are_left_out(client, owner, project, two_runs):
    other = RunFactory()
    send(post(other, history=(0, history(0, 5))))
    assert series(client, project, [*two_runs, other])["series"].keys() == {run.uid for run in two_runs}


@pytest.mark.parametrize(
    "name", ["workspace", "selector", "project_series", "project_keys", "project_values"]
)
def test_strangers_find_nothing(client, project, two_runs, name):
    client.force_login(UserFactory())
    assert ask(client, project, name, run=[two_runs[0].uid]).status_code == 404


def test_long_answers_are_compressed(client, owner, project, two_runs):
    url = reverse("metrics:project_series", args=[project.team.name, project.name])
    query = {"run": [run.uid for run in two_runs], "keys": ["loss"]}
    answer = client.get(url, query, headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert json.loads(gzip.decompress(answer.content))["next"][two_runs[0].uid] == 100


def test_keys_of_many_runs_are_listed_once(client, owner, project, two_runs):
    extra = {**history(200, 1)[0], "only_here": 1.0, "words": "hello"}
    send(post(two_runs[1], history=(200, [extra])))
    body = ask(client, project, "project_keys", run=[run.uid for run in two_runs]).json()
    found = {key["key"]: key for key in body["keys"]}
    assert (found["loss"]["runs"], found["only_here"]["runs"]) == (2, 1)
    assert found["words"]["numbers"] is False
    assert body["next"][two_runs[1].uid] == 201


def logged(visualize, viz=None):
    """Return a config in which the SDK announces charts."""
    return json.dumps({"_wandb": {"value": {"visualize": visualize, "viz": viz or {}}}})


def plotted(table):
    """Return what `wandb.plot` says of a chart whose rows are in this table."""
    argument = {"name": "tableKey", "value": table}
    query = {"queryFields": [{"name": "runSets", "fields": [{"name": "summaryTable", "args": [argument]}]}]}
    return {"panel_type": "Vega2", "panel_config": {"panelDefId": "wandb/line/v0", "userQuery": query}}


@pytest.mark.parametrize("table", ["roc_table", "eval/roc_table", "Custom Chart Tables/eval.roc_table"])
def test_charts_that_were_logged_say_where_their_rows_are(client, owner, project, two_runs, table):
    """RUN-26: `wandb.plot` names the table in the chart's query, also a split one."""
    key, chart = table.removeprefix("Custom Chart Tables/").removesuffix("_table"), plotted(table)
    Run.objects.filter(pk=two_runs[0].pk).update(config_text=logged({key: chart}))
    found = ask(client, project, "project_keys", run=[two_runs[0].uid]).json()["charts"]
    source = {"kind": "table", "key": table}
    assert found == {key: chart | {"panel_config": chart["panel_config"] | {"source": source}}}


@pytest.mark.parametrize("key", ["elbow_curve", "eval/elbow_curve", "eval.elbow_curve"])
def test_charts_of_scikit_learn_are_on_the_table_of_their_own_key(client, owner, project, two_runs, key):
    """RUN-26: `wandb.visualize` announces charts apart, by the name of their specification alone."""
    announced = {"id": "wandb/elbow/v1", "historyFieldSettings": {"x-axis": "_step", "key": key}}
    Run.objects.filter(pk=two_runs[0].pk).update(config_text=logged({}, {key: announced}))
    found = ask(client, project, "project_keys", run=[two_runs[0].uid]).json()["charts"][key]["panel_config"]
    assert (found["panelDefId"], found["source"]) == ("wandb/elbow/v1", {"kind": "table", "key": key})


def test_the_confusion_matrix_of_scikit_learn_counts_under_its_own_name(client, owner, project, two_runs):
    text = logged({}, {"confusion_matrix": {"id": "wandb/confusion_matrix/v1"}})
    Run.objects.filter(pk=two_runs[0].pk).update(config_text=text)
    charts = ask(client, project, "project_keys", run=[two_runs[0].uid]).json()["charts"]
    assert charts["confusion_matrix"]["panel_config"]["fieldSettings"] == {"nPredictions": "Count"}


def test_what_is_no_chart_is_left_out(client, owner, project, two_runs):
    Run.objects.filter(pk=two_runs[0].pk).update(config_text=logged({"one": 1}, ["two"]))
    assert ask(client, project, "project_keys", run=[two_runs[0].uid]).json()["charts"] == {}


def define(run, *records):
    Run.objects.filter(pk=run.pk).update(config_text=json.dumps({"_wandb": {"value": {"m": records}}}))


def test_keys_say_what_most_of_the_runs_that_have_them_defined(
    client, owner, project, two_runs, django_assert_max_num_queries
):
    """RUN-26: axis, goal, and no panel by itself; of as many runs the newest decides; in one statement."""
    older, newer = two_runs
    define(older, {"1": "loss", "4": "epoch", "8": 1})
    define(newer, {"2": "*", "4": "batch", "6": [2]})
    with django_assert_max_num_queries(18):
        body = ask(client, project, "project_keys", run=[older.uid, newer.uid]).json()
    found = {key["key"]: key for key in body["keys"]}
    assert (found["loss"]["x"], found["loss"]["hidden"]) == ("batch", True)
    alone = ask(client, project, "project_keys", run=[older.uid]).json()["keys"]
    loss = next(key for key in alone if key["key"] == "loss")
    assert (loss["x"], loss["goal"], "hidden" in loss) == ("epoch", "minimize", False)
    third = RunFactory(project=project)
    send(post(third, history=(0, history(0, 3))))
    body = ask(client, project, "project_keys", run=[older.uid, newer.uid, third.uid]).json()
    assert "x" not in next(
        key for key in body["keys"] if key["key"] == "loss"
    )  # three say three things: the newest


def test_rows_without_the_key_that_is_x_are_left_out(client, owner, project):
    """A run that never logged it has no line; its row numbers are no epochs."""
    with_epochs, without = RunFactory(project=project), RunFactory(project=project)
    rows = history(0, 20)
    for row in rows[9::10]:
        row["epoch"] = row["_step"] // 10
    send(post(with_epochs, history=(0, rows)))
    send(post(without, history=(0, history(0, 20))))
    body = series(client, project, [with_epochs, without], x="epoch")
    line = body["series"][with_epochs.uid]["loss"]
    assert body["x"][line["x"]] == [0, 1]
    assert body["series"][without.uid] == {}
    later = series(client, project, [with_epochs], x="epoch", since=[15])
    assert later["x"] == [[1]]
    assert series(client, project, [with_epochs], x="epoch", since=[11], keys=["loss"])["next"]
    smooth = series(client, project, [with_epochs], x="epoch", smooth="ema:0.5")
    assert len(smooth["series"][with_epochs.uid]["loss"]["smooth"]) == 2


def test_values_are_of_the_columns_wanted(client, owner, project, two_runs):
    Run.objects.filter(pk=two_runs[0].pk).update(config_flat={"lr": 0.1, "depth": 3})
    uid = two_runs[0].uid
    body = ask(client, project, "project_values", run=[uid], columns=["config.lr", "summary.loss"]).json()
    assert body["runs"][uid]["config"] == {"lr": 0.1}
    assert ask(client, project, "project_values", run=[uid]).json()["runs"][uid]["config"]["depth"] == 3


def test_the_selector_lists_what_the_query_leaves(client, owner, project):
    for name in ("wise-owl", "old-fox", "wise-cat"):
        RunFactory(project=project, display_name=name)
    page = ask(client, project, "selector", search="WISE").content.decode()
    assert page.count("data-uid=") == 2
    assert page.index("wise-cat") < page.index("wise-owl")  # newest first
    assert 'data-total="2"' in page
    by_name = ask(client, project, "selector", filter='name = "old-fox"').content.decode()
    assert by_name.count("data-uid=") == 1


def test_the_selector_follows_the_table(client, owner, project, two_runs):
    """RUN-26: the same filters as the table, which keeps its own in the working state."""
    parts = {"runs": {"filter": f'id = "{two_runs[0].uid}"'}}
    merge_working_view(actor=actor_of_user(owner), project=project, parts=parts)
    assert ask(client, project, "selector").content.decode().count("data-uid=") == 1
    assert ask(client, project, "selector", filter="").content.decode().count("data-uid=") == 2


def test_pages_without_a_view_keep_nothing(client, owner, project, two_runs):
    """Broken panels of the project's default, or of one's own state, are neither shown nor replaced there."""
    broken = {"panels": {"added-x": {"keysPattern": "^(a+)+$"}}}
    for part in ("panels", "run-history"):
        merge_working_view(actor=actor_of_user(owner), project=project, parts={part: broken}, shared=True)
    names = [project.team.name, project.name]
    run_page = reverse("metrics:run_workspace", args=[*names, two_runs[0].uid])
    for url in (reverse("metrics:workspace", args=names), run_page):
        assert "added-x" in client.get(url).content.decode()
        bare = client.get(url, {"view": "none"}).content.decode()
        assert "added-x" not in bare
        assert 'data-view-url=""' in bare
        assert 'data-store=""' in bare
        assert "shown without a saved view" in bare
    table = client.get(reverse("runs:runs", args=names), {"view": "none"}).content.decode()
    assert "data-view-url" not in table


def test_the_list_of_runs_cuts_long_names_as_the_table_does(client, owner, project):
    """RUN-24: one setting, which either of them offers; both write a name in the two parts that are cut."""
    RunFactory(project=project, display_name="sweep-with-a-rather-long-name-17")
    merge_working_view(actor=actor_of_user(owner), project=project, parts={"runs": {"crop": "start"}})
    table = client.get(reverse("runs:runs", args=[project.team.name, project.name]))
    for page in (ask(client, project, "workspace"), table):
        text = page.content.decode()
        assert 'data-crop="start"' in text
        assert "<span>sweep-with-a-rather-lo</span><span>ng-name-17</span>" in text
        assert text.count('name="crop"') == 3


def test_a_filter_that_cannot_be_read_is_explained(client, owner, project, two_runs):
    page = ask(client, project, "workspace", filter="lr >")
    assert page.status_code == 200
    assert 'role="alert"' in page.content.decode()


def test_a_project_without_runs_shows_how_to_begin(client, owner, project):
    assert "wandb.init" in ask(client, project, "workspace").content.decode()


def test_names_of_runs_are_escaped(client, owner, project):
    RunFactory(project=project, display_name="<script>alert(1)</script>")
    assert "<script>alert" not in ask(client, project, "workspace").content.decode()


@pytest.mark.django_db
def test_a_workspace_without_runs_opens_itself_when_the_first_has_come(client):
    """UI-2: the page asks by htmx whenever the project's socket speaks."""
    team = TeamFactory()
    member = make_member(team)
    project = ProjectFactory(team=team)
    client.force_login(member)
    url = reverse("metrics:workspace", args=[team.name, project.name])
    assert "HX-Refresh" not in client.get(url, headers={"HX-Request": "true"}).headers
    RunFactory(project=project)
    assert client.get(url, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert "HX-Refresh" not in client.get(url).headers
