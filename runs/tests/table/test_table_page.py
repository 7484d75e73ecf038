"""The runs table's page and its parts: what they show, to whom, at which cost (RUN-21 to RUN-24)."""

import json
import re
from html import unescape

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from runs.lifecycle import services as lifecycle
from runs.models import Run, SavedView
from runs.views import table as table_views
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db

TOKEN = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"


@pytest.fixture(autouse=True)
def _fresh_caches():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def member(client, project):
    user = make_member(project.team)
    client.force_login(user)
    return user


def make(project, uid, *, config=None, summary=None, **fields):
    wrapped = {key: {"value": value} for key, value in (config or {}).items()}
    run = RunFactory(project=project, uid=uid, config_text=json.dumps(wrapped), **fields)
    if summary:
        lifecycle.set_summary(run, json.dumps(summary))
    return run


def url_of(project):
    return reverse("runs:runs", args=[project.team.name, project.name])


def ask(client, project, part="", **given):
    answer = client.get(url_of(project), {**({"part": part} if part else {}), **given})
    assert answer.status_code == 200, answer.content
    return answer


def reply_of(answer):
    """Return what the page's script is told."""
    found = re.search(
        r'<script id="table-reply" type="application/json">(.*?)</script>', answer.content.decode()
    )
    assert found
    return json.loads(unescape(found[1]))


def heads(answer):
    return re.findall(r'<th scope="col"\s+data-column="([^"]+)"', answer.content.decode())


def uids(answer):
    return re.findall(r'data-uid="([^"]+)"', answer.content.decode())


def cells(answer, uid):
    row = re.search(rf'<tr id="run-\d+" data-uid="{uid}".*?</tr>', answer.content.decode(), re.DOTALL)
    assert row
    return [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row[0])]


def test_the_page_shows_runs_without_any_script(client, project, member):
    """RUN-21: newest first; the columns are what runs resulted in, then what tells them apart, counters at last."""
    old, new = ({"loss": loss, "val/acc": 0.5, "epoch": 3} for loss in (0.25, 0.5))
    make(project, "old", config={"lr": 0.1, "seed": 7}, summary=old, display_name="older one")
    make(project, "new", config={"lr": 0.2, "seed": 7}, summary=new, tags=["keep"])
    page = ask(client, project)
    assert uids(page) == ["new", "old"]
    assert heads(page) == [
        "name", "state", "summary.val/acc", "summary.loss", "config.lr", "runtime", "created", "user", "tags",
        "summary.epoch",
    ]  # fmt: skip
    assert "config.seed" not in heads(page), "all runs have the same"
    assert cells(page, "old")[1] == "older one"
    assert cells(page, "old")[3:6] == ["0.5000", "0.2500", "0.1"]
    goals = dict(re.findall(r'data-column="([^"]+)"[^>]*?data-goal="(\w+)"', page.content.decode()))
    assert goals == {"summary.val/acc": "maximize", "summary.loss": "minimize"}


@pytest.mark.parametrize("page", ["runs:runs", "metrics:workspace"])
def test_a_name_that_is_cut_is_whole_for_screen_readers(client, project, member, page):
    """RUN-24: browsers would read the two parts with a space between them."""
    make(project, "one", display_name="lunar <lantern> 179")
    text = client.get(reverse(page, args=[project.team.name, project.name])).content.decode()
    assert 'aria-label="lunar &lt;lantern&gt; 179"' in text


def test_text_of_users_is_text(client, project, member):
    evil = "<script>alert(1)</script>"
    make(project, "evil", config={evil: evil, "a": 1}, display_name=evil, notes=evil, tags=[evil], group=evil)
    make(project, "other", config={"a": 2})
    for given in ({}, {"group": "group"}, {"filter": f'group = "{evil}"', "search": evil}):
        assert evil not in ask(client, project, **given).content.decode()
    assert evil not in ask(client, project, "groups", group="group").content.decode()


def test_the_page_costs_the_same_for_many_runs(client, project, member, django_assert_max_num_queries):
    """RUN-25: no query of its own for any row."""
    for number in range(60):
        make(project, f"r{number}", config={"lr": number}, summary={"loss": number}, tags=["a"])
    with django_assert_max_num_queries(24):
        page = ask(client, project)
    assert len(uids(page)) == 60
    with django_assert_max_num_queries(15):
        assert len(uids(ask(client, project, "rows", columns="config.lr"))) == 60


def test_a_filter_in_the_address_shows_the_same_to_others(client, project, member):
    """RUN-22: one text, which a link carries."""
    for number in range(3):
        make(project, f"r{number}", config={"lr": number})
    page = ask(client, project, filter="config.lr >= 1 and not config.lr = 2")
    assert uids(page) == ["r1"]
    reply = reply_of(page)
    assert (reply["total"], reply["all"]) == (1, 3)
    assert reply["tree"]["all"][0] == {"column": "config.lr", "operator": ">=", "value": 1}
    assert "1 of 3 runs" in " ".join(page.content.decode().split())


def test_a_filter_that_cannot_be_read_says_where(client, project, member):
    """RUN-22: errors name the position, on the page as to the script that asks while somebody types."""
    make(project, "r")
    page = ask(client, project, filter="state = = 1")
    assert reply_of(page)["error"]["position"] == 8
    assert "This filter cannot be read" in page.content.decode()
    assert uids(page) == []
    for text, position in (("state = = 1", 8), ("state =", 7)):
        told = ask(client, project, "filter", text=text).json()
        assert told["tree"] is None
        assert told["error"]["position"] == position
    assert ask(client, project, "filter", text="state = 'a'").json()["error"] is None


def test_further_rows_come_a_hundred_at_a_time(client, project, member):
    user = UserFactory()
    for number in range(105):
        RunFactory(project=project, uid=f"r{number:03}", user=user)
    first = ask(client, project)
    more = ask(client, project, "rows", offset="100", columns=["state"], pinned=["state"])
    assert len(uids(first)) == 100
    assert uids(more) == [f"r{number:03}" for number in reversed(range(5))]
    assert 'data-total="105"' in more.content.decode()
    assert 'aria-rowindex="102"' in more.content.decode()


def test_search_finds_a_part_of_a_name(client, project, member):
    """RUN-24: whatever its case."""
    make(project, "a", display_name="Brisk-sunset-1")
    make(project, "b", display_name="calm-dawn-2")
    assert uids(ask(client, project, search="SUN")) == ["a"]
    page = ask(client, project, search="nothing like it").content.decode()
    assert "No matching runs" in page
    assert "data-clear-filter" in page


def test_groups_say_their_count_states_and_spread(client, project, member):
    """RUN-23: histogram, mean, least and most of numbers; groups open to groups and then to runs."""
    for number in range(4):
        config = {"opt": "adam" if number < 3 else "sgd", "lr": number % 2}
        make(project, f"r{number}", config=config, summary={"loss": number})
    both = {"group": ["config.opt", "config.lr"], "columns": ["state", "summary.loss"]}
    page = ask(client, project, **both)
    text = page.content.decode()
    assert re.findall(r'<tbody class="group" data-path="([^"]+)" data-count="(\d+)"', text) == [
        ("[&quot;\\&quot;adam\\&quot;&quot;]", "3"),
        ("[&quot;\\&quot;sgd\\&quot;&quot;]", "1"),
    ]
    assert "mean 1.0, min 0.0, max 2.0" in text
    assert "<title>Running 3</title>" in text
    assert '<svg class="bars"' in text
    inner = ask(client, project, "groups", path=json.dumps(['"adam"']), **both).content.decode()
    assert re.findall(r'data-count="(\d+)"', inner) == ["2", "1"]
    assert "data-last" in inner
    unnamed = ask(client, project, "groups", group=["group"]).content.decode()
    assert "No group" in unnamed  # the review's D19: runs without a value have a name
    rows = ask(client, project, "rows", path=json.dumps(['"adam"', "0"]), **both)
    assert uids(rows) == ["r2", "r0"]


def test_more_groups_than_a_page_come_one_after_the_other(client, project, member, monkeypatch):
    """RUN-23: none is out of reach; a box selects all runs of its group, over all pages."""
    monkeypatch.setattr(table_views, "MOST_GROUPS", 2)
    for number in range(5):
        make(project, f"r{number}", config={"lr": number // 2})
    page = ask(client, project, group="config.lr").content.decode()
    assert page.count('class="group"') == 2
    assert "Show one more group" in page
    rest = ask(client, project, "groups", group="config.lr", offset=2, path="[]").content.decode()
    assert re.findall(r'data-count="(\d+)"', rest) == ["1"]
    assert "data-more-groups" not in rest
    picked = ask(client, project, "uids", group="config.lr", path=json.dumps(["1"])).json()["uids"]
    assert sorted(picked) == ["r2", "r3"]
    act = reverse("runs:act", args=[project.team.name, project.name, "tag"])
    assert client.post(act, {"uid": ",".join(picked), "value": "chosen"}).json()["done"] == 2


def test_secrets_in_labels_are_masked_in_cells_and_groups(client, project, member):
    """What looks like a secret is not shown, wherever somebody put it; who edits notes gets them as they are."""
    run = make(project, "a", config={"key": TOKEN})
    Run.objects.filter(pk=run.pk).update(notes=f"with {TOKEN}", tags=[TOKEN], group=TOKEN)
    shown = {"columns": ["notes", "tags", "group", "config.key"]}
    page = ask(client, project, "rows", **shown).content.decode()
    assert re.sub(r' data-value="[^"]*"', "", page).count(TOKEN) == 0
    assert page.count(f'data-value="with {TOKEN}"') == 1
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    assert TOKEN not in ask(client, project, "rows", **shown).content.decode()
    for column in ("group", "config.key"):
        grouped = ask(client, project, group=column).content.decode()
        assert TOKEN not in grouped


def test_what_somebody_set_up_comes_back_to_them_alone(client, project, member):
    """RUN-21: saved per user and project; an address says more than the last visit."""
    make(project, "a", config={"lr": 1}, summary={"loss": 1})
    make(project, "b", config={"lr": 2}, summary={"loss": 2})
    columns = {"pinned": ["config.lr"], "hidden": ["user"], "order": ["state"], "widths": {"config.lr": 222}}
    spec = {"order": "+config.lr", "columns": columns, "crop": "start", "filter": "config.lr < 9"}
    SavedView.objects.create(project=project, user=member, name="", spec={"runs": spec})
    page = ask(client, project)
    assert uids(page) == ["a", "b"]
    assert heads(page) == ["name", "config.lr", "state"]
    assert '<col data-column="config.lr" width="222" />' in page.content.decode()
    assert 'aria-sort="ascending"' in page.content.decode()
    assert 'data-crop="start"' in page.content.decode()
    linked = ask(client, project, order="-created", columns="summary.loss")
    assert heads(linked) == ["name", "summary.loss"]
    assert reply_of(linked)["state"]["filter"] == ""
    client.force_login(make_member(project.team))
    assert "summary.loss" in heads(ask(client, project))


def test_a_saved_view_opens_by_its_number(client, project, member):
    make(project, "a")
    view = SavedView.objects.create(project=project, name="Best", spec={"runs": {"search": "a-name"}})
    page = ask(client, project, view=view.pk)
    assert page.context["views"]["state"]["id"] == view.pk
    assert reply_of(page)["state"]["search"] == "a-name"
    assert ">Best</span>" in page.content.decode()


@pytest.mark.parametrize(
    "layout",
    [
        "{",
        "[]",
        "null",
        '{"order": 3, "pinned": "a", "widths": [1]}',
        '{"order": ["no such", "state"], "widths": {"state": "wide"}}',
        '{"widths": {"state": NaN}, "crop": {"a": 1}}',
    ],
)
def test_a_layout_that_makes_no_sense_is_left_out(client, project, member, layout):
    make(project, "a")
    assert uids(ask(client, project, "table", layout=layout)) == ["a"]


def test_hidden_columns_stay_hidden_and_pinned_ones_come_first(client, project, member):
    """RUN-21: pinned columns stand after the name."""
    make(project, "a", summary={"loss": 1, "acc": 2})
    layout = {"order": ["state", "summary.acc", "summary.loss"], "pinned": ["summary.loss"]}
    page = ask(client, project, "table", layout=json.dumps(layout))
    assert heads(page) == ["name", "summary.loss", "state", "summary.acc"]
    hidden = ask(client, project, "table", layout=json.dumps({"hidden": ["summary.acc", "state"]}))
    assert not {"summary.acc", "state"} & set(heads(hidden))


def test_the_panel_and_completion_know_columns_and_values(client, project, member):
    make(project, "a", config={"opt": "adam", "weird key": 1}, tags=["x", "y"])
    make(project, "b", config={"opt": "adam"}, tags=["x"])
    make(project, "c", config={"opt": 'say "hi"'})
    columns = ask(client, project, "columns").json()["columns"]
    named = {column["name"]: (column["part"], column["type"]) for column in columns}
    assert named["config.opt"] == ("config", "text")
    assert named["config.`weird key`"] == ("config", "number")
    assert named["created"] == ("field", "time")
    values = ask(client, project, "values", column="config.opt").json()["values"]
    assert values == ['"adam"', '"say \\"hi\\""']
    assert ask(client, project, "values", column="tags").json()["values"] == ['"x"', '"y"']
    assert ask(client, project, "values", column="no such").json()["values"] == []


def test_extents_are_those_of_all_runs_listed(client, project, member, django_assert_max_num_queries):
    """The best of a column may be on a page that is not drawn; infinite values are no ends of a bar."""
    for number in range(3):
        make(project, f"r{number}", config={"lr": "low"}, summary={"loss": number, "acc": float("inf")})
    make(project, "other", summary={"loss": -1})
    columns = ["summary.loss", "summary.acc", "config.lr", "state"]
    with django_assert_max_num_queries(9):
        answer = ask(client, project, "extents", columns=columns, filter="id != 'other'")
    assert answer.json() == {"extents": {"summary.loss": [0.0, 2.0]}}


def test_running_runs_come_first_where_that_is_chosen(client, project, member):
    for number in range(3):
        run = make(project, f"r{number}")
        if number != 1:
            lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    page = ask(client, project, order="-running,-created")
    assert uids(page) == ["r1", "r2", "r0"]
    assert reply_of(page)["state"]["order"] == "-running,-created"
    assert page.content.decode().count("aria-sort") == 1
    assert uids(ask(client, project, "rows", order="-running,+created")) == ["r1", "r0", "r2"]


def test_only_what_one_may_change_can_be_edited(client, project, member):
    make(project, "a", notes="a note")
    assert "data-editable" in ask(client, project).content.decode()
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    assert "data-editable" not in ask(client, project).content.decode()


def test_a_public_project_is_shown_to_anyone(client, project):
    make(project, "a")
    Run.objects.update(is_protected=True)
    assert client.get(url_of(project), headers={"Accept": "text/html"}).status_code == 302
    project.visibility = Visibility.PUBLIC
    project.save()
    page = ask(client, project)
    assert uids(page) == ["a"]
    for missing in ("data-views-url", 'data-act="delete"', "data-can-share", "Only mine", "data-editable"):
        assert missing not in page.content.decode()
    client.force_login(UserFactory())
    assert "data-can-share" not in ask(client, project).content.decode()


def test_a_project_without_runs_says_what_to_do(client, project, member):
    page = ask(client, project).content.decode()
    assert "No runs in this project yet" in page
    assert f"entity=&quot;{project.team.name}&quot;" in page


def test_runs_have_the_colors_their_viewer_gave_them(client, project, member):
    for uid in "abc":
        make(project, uid)
    spec = {"selector": {"colors": {"a": 13, "b": "red", "c": "#12ab34"}, "colorBy": "config.lr"}}
    SavedView.objects.create(project=project, user=member, name="", spec=spec)
    page = ask(client, project).content.decode()
    assert 'class="run-cell run-color-5 is-dashed" data-color="13"' in page
    assert 'class="run-cell run-color-1">' in page, "no color, hence its own"
    assert 'data-color="#12ab34"' in page
    assert 'data-color-by="config.lr"' in page


@pytest.mark.parametrize(
    "given",
    [
        {"part": "rows", "path": "{"},
        {"part": "rows", "path": "[1]"},
        {"part": "groups"},
        {"part": "rows", "order": "x"},
    ],
)
def test_what_a_script_would_never_ask_is_refused(client, project, member, given):
    make(project, "a")
    assert client.get(url_of(project), given).status_code == 400
    assert client.get(url_of(project), {"part": "none"}).status_code == 404
