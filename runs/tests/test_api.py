"""REST: runs in any order and with any columns (RUN-22, RUN-43), the columns of a project, filters."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache

from runs.lifecycle import services as lifecycle
from runs.models import Run
from tests.factories import ProjectFactory, RunFactory, basic, make_key, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_caches():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def project():
    project = ProjectFactory()
    for number in range(5):
        config = {"lr": {"value": number / 10}, "net": {"value": {"depth": number % 2}}}
        run = RunFactory(project=project, uid="abcde"[number], config_text=json.dumps(config))
        lifecycle.set_summary(run, json.dumps({"loss": [0.5, float("nan"), 0.25, 0.25, 1][number]}))
    return project


@pytest.fixture
def get(client, project):
    header = {"Authorization": basic(make_key(make_member(project.team)))}

    def ask(path, **params):
        if path.count("/") == 1:  # a list
            params = {"entity": project.team.name, "project": project.name} | params
        return client.get(f"/api/v1/{path}", params, headers=header)

    return ask


def cursor_in(url):
    [cursor] = parse_qs(urlsplit(url).query)["cursor"]
    return cursor


def uids(reply):
    return "".join(row["uid"] for row in reply.json()["results"])


def test_runs_are_filtered_sorted_and_have_the_columns_asked_for(get, django_assert_max_num_queries):
    """RUN-22, RUN-43: the table's query string means the same in the API."""
    with django_assert_max_num_queries(10):
        reply = get(
            "runs/", filter="config.lr < 0.4", order="-summary.loss,id", columns="config.lr,summary.loss"
        )
    assert uids(reply) == "acdb"
    assert reply.json()["results"][0]["columns"] == {"config.lr": 0.0, "summary.loss": 0.5}
    assert reply.json()["results"][3]["columns"] == {"config.lr": 0.1, "summary.loss": "NaN"}
    assert uids(get("runs/", filter="state = 'failed'")) == ""


def test_pages_in_an_order_neither_repeat_nor_skip(get, project):
    """RUN-43: stable pagination under any order, also while runs come and go."""
    first = get("runs/", order="summary.loss", per_page=2)
    assert uids(first) == "cd"
    RunFactory(project=project, uid="f")
    new = RunFactory(project=project, uid="g")
    lifecycle.set_summary(new, '{"loss": 0.1}')  # before all others
    second = get("runs/", order="summary.loss", per_page=2, cursor=cursor_in(first.json()["next"]))
    assert uids(second) == "ae"
    Run.objects.filter(uid="e").delete()
    third = get("runs/", order="summary.loss", per_page=2, cursor="5-999999999")
    assert uids(third) == "f"
    assert third.json()["next"] is None
    back = get("runs/", order="summary.loss", per_page=2, cursor=cursor_in(second.json()["previous"]))
    assert uids(back) == "cd"


@pytest.mark.parametrize(
    "params",
    [{"order": "nope"}, {"filter": "nope"}, {"columns": "nope"}, {"order": "id", "cursor": "x"},
     {"order": "id", "project": ""}],
)  # fmt: skip
def test_wrong_questions_are_refused(get, params):
    assert get("runs/", **params).status_code == 400


def test_a_run_is_given_with_config_and_summary(get, project):
    """RUN-43: everything in a page is in the API; JSON has no NaN, so it is text."""
    run = Run.objects.get(uid="b")
    body = get(f"runs/{run.pk}/").json()
    assert (body["config"], body["summary"]) == ({"lr": 0.1, "net": {"depth": 1}}, {"loss": "NaN"})


def test_the_columns_of_a_project(get, project):
    """RUN-21: names for filters and orders, with labels and types."""
    columns = get(f"projects/{project.pk}/columns/").json()["columns"]
    assert columns[0] == {
        "name": "name",
        "label": "Name",
        "part": "field",
        "type": "text",
        "unit": "",
        "goal": "",
    }
    assert columns[-3:] == [
        {"name": f"{part}.{key}", "label": key, "part": part, "type": "number", "unit": "", "goal": ""}
        for part, key in (("config", "lr"), ("config", "net.depth"), ("summary", "loss"))
    ]


def test_a_filter_is_answered_as_a_tree_or_with_the_position_of_its_error(client):
    """RUN-22: same grammar in the REST API; errors name the position."""
    reply = client.get("/api/v1/filter/", {"text": "config.lr>=1 AND not state='failed'"})
    assert reply.json() == {
        "tree": {"all": [
            {"column": "config.lr", "operator": ">=", "value": 1},
            {"not": {"column": "state", "operator": "=", "value": "failed"}},
        ]},
        "text": 'config.lr >= 1 and not state = "failed"',
    }  # fmt: skip
    reply = client.get("/api/v1/filter", {"text": "state ="})
    assert reply.status_code == 400
    error = reply.json()["error"]
    assert error["message"] == "Expected a value at character 8, found the end."
    assert error["detail"] == {"position": 7, "expected": "value"}


@pytest.mark.parametrize("name", ["null", "-1", "1.5", "9" * 30])
def test_what_is_no_id_is_no_run(get, name):
    assert get(f"runs/{name}/").status_code == 404
