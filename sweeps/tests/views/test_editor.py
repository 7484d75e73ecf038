"""Creating and editing a sweep in the browser (RUN-50)."""

import json
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from runs.models import Run
from sweeps.lifecycle.services import change_sweep
from sweeps.models import Sweep, Trial
from tests.factories import RunFactory, UserFactory, actor, make_member

NEW = "/vision/cifar/sweeps/new"
GRID = "method: grid  # all\nparameters:\n  lr: {values: [0.1, 0.01]}\n"
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.fixture
def browser(client: Client, member: Any) -> Client:
    """Return the member's browser."""
    client.force_login(member)
    return client


def asked(browser: Client, text: str, change: Any = None, url: str = NEW) -> dict[str, Any]:
    """Return what the check says of a text."""
    body = {"part": "check", "text": text}
    if change is not None:
        body["change"] = change if isinstance(change, str) else json.dumps(change)
    reply = browser.post(url, body)
    assert reply.status_code == 200
    return dict(reply.json())


def finished(project: Any, uid: str, **config: Any) -> Run:
    """Return a finished run with a configuration."""
    run = RunFactory(project=project, uid=uid, display_name=uid)
    text = json.dumps({key: {"value": value} for key, value in config.items()})
    Run.objects.filter(pk=run.pk).update(state="finished", config_text=text)
    return run


@pytest.mark.parametrize(
    ("start", "method"),
    [("grid", "grid"), ("bayes", "bayes"), ("hyperband", "bayes"), ("", "random"), ("x", "random")],
)
def test_a_new_sweep_begins_from_a_template(browser: Client, project: Any, start: str, method: str):
    reply = browser.get(NEW, {"start": start})
    assert f"method: {method}\n" in reply.context["text"]
    assert reply.context["text"] in reply.content.decode()


def test_the_text_alone_creates_a_sweep_as_it_was_written(browser: Client, project: Any, member: Any):
    """RUN-50: without scripts, too, whose lines end as forms send them."""
    reply = browser.post(NEW, {"text": GRID.replace("\n", "\r\n")})
    sweep = Sweep.objects.get()
    assert (reply.status_code, reply["Location"]) == (302, f"/vision/cifar/sweeps/{sweep.uid}")
    assert (sweep.config_text, sweep.grid_size, sweep.created_by) == (GRID, 2, member)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GRID.replace("grid", "grdi"), "must be one of grid, random, bayes"),
        ("", "The configuration is empty."),
        (BOMB, "aliases (*name) are not supported"),
        ("#" * 256_001, "larger than 256 kB"),
    ],
)
def test_a_faulty_text_is_shown_again_with_what_is_wrong(browser: Client, project: Any, text: str, says: str):
    reply = browser.post(NEW, {"text": text})
    assert reply.status_code == 422
    assert says in reply.content.decode()
    assert reply.context["text"] == text
    assert not Sweep.objects.exists()


def test_what_people_wrote_is_escaped(browser: Client, project: Any):
    evil = "</textarea><script>alert(1)</script>"
    finished(project, "r1", lr=evil)
    Run.objects.update(display_name=evil)
    reply = browser.post(NEW, {"text": f"name: {evil}\nmethod: x\n", "prior": ["r1"]})
    assert reply.status_code == 422
    page = reply.content.decode()
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 3


def test_the_check_tells_lines_counts_points_and_shows_the_form(browser: Client, project: Any):
    told = asked(browser, GRID + "colour: red\n")
    assert (told["errors"], told["points"], told["has_comments"]) == ([], 2, True)
    assert told["summary"] == "2 runs: every combination once"
    assert [(one["path"], one["line"]) for one in told["warnings"]] == [("colour", 4)]
    assert told["form"]["parameters"] == [
        {"name": "lr", "kind": "categorical", "fields": {"values": "0.1, 0.01"}, "says": ""}
    ]
    broken = asked(browser, GRID.replace("[0.1, 0.01]", "[]"))
    assert [(one["path"], one["line"]) for one in broken["errors"]] == [("parameters.lr.values", 3)]
    assert asked(browser, BOMB)["form"] is None
    assert not Sweep.objects.exists()


def test_a_change_of_the_form_keeps_comments(browser: Client, project: Any):
    told = asked(browser, GRID, {"parameter": "lr", "field": "values", "typed": "1, 2"})
    assert told["text"] == "method: grid  # all\nparameters:\n  lr: {values: [1, 2]}\n"
    told = asked(browser, told["text"], {"field": "name", "typed": "<b>wide</b>"})
    assert told["text"].startswith("name: <b>wide</b>\nmethod: grid  # all\n")


@pytest.mark.parametrize(
    "change",
    ["[", "[]", {"field": 1}, {"field": "colour", "typed": "x"}, {"parameter": "gone", "field": "min"}],
)
def test_a_change_that_cannot_be_is_refused_and_leaves_the_text(browser: Client, project: Any, change: Any):
    told = asked(browser, GRID, change)
    assert told["refused"]
    assert told["text"] == GRID


def test_earlier_runs_propose_parameters_and_become_priors(browser: Client, project: Any):
    for number in range(3):
        finished(
            project, f"r{number}", lr=10.0**-number, size=8 * (number + 1), kind=["a", "b"][number % 2],
            same=1, model={"depth": number}, token="hf_" + "aB3d" * 9 + str(number),
        )  # fmt: skip
    chosen = {"part": "runs", "text": GRID, "run": ["r0", "r1", "r2"], "propose": "1"}
    page = browser.post(NEW, chosen)
    text = page.context["text"]
    rows = asked(browser, text)["form"]["parameters"]
    assert [(row["name"], row["kind"], row["fields"]) for row in rows] == [
        ("lr", "log_uniform_values", {"min": "0.01", "max": "1.0"}),
        ("size", "int_uniform", {"min": "8", "max": "24"}),
        ("kind", "categorical", {"values": "a, b"}),
        ("model", "", {}),
    ]
    assert "hf_" not in page.content.decode()
    assert [run.uid for run in page.context["priors"]] == ["r0", "r1", "r2"]
    browser.post(NEW, {"text": text.replace("bayes", "random"), "prior": ["r0", "r2"]})
    priors = Trial.objects.filter(sweep=Sweep.objects.get(), is_prior=True)
    assert sorted(priors.values_list("run_uid", flat=True)) == ["r0", "r2"]


def test_priors_alone_leave_the_text_as_it_is(browser: Client, project: Any):
    finished(project, "r1", lr=0.1)
    page = browser.post(NEW, {"part": "runs", "text": GRID, "run": ["r1"]})
    assert page.context["text"] == GRID
    alike = browser.post(NEW, {"part": "runs", "text": GRID, "run": ["r1"], "propose": "1"})
    assert alike.context["text"] == GRID
    assert "do not differ" in alike.content.decode()


@pytest.mark.parametrize("part", ["runs", ""])
def test_runs_that_are_not_there_or_not_finished_are_no_priors(browser: Client, project: Any, part: str):
    RunFactory(project=project, uid="running")
    elsewhere = finished(RunFactory().project, "far", lr=1)
    for uid in ("running", "gone", elsewhere.uid):
        page = browser.post(NEW, {"part": part, "text": GRID, "run": [uid], "prior": [uid]})
        assert page.status_code == 422
        assert "Choose again" in page.content.decode()
    assert not Sweep.objects.exists()


def edit_of(sweep: Sweep) -> str:
    """Return the path of a sweep's editor."""
    return f"/vision/cifar/sweeps/{sweep.uid}/edit"


def test_an_edit_changes_the_configuration_and_says_what_stays(browser: Client, sweep: Sweep):
    Sweep.objects.update(trial_count=3)
    page = browser.get(edit_of(sweep))
    assert "3 runs have been handed out already. They are not changed" in page.content.decode()
    body = {"text": GRID, "digest": page.context["digest"]}
    assert browser.post(edit_of(sweep), body).status_code == 302
    sweep.refresh_from_db()
    assert (sweep.config_text, sweep.trial_count) == (GRID, 3)


def test_an_edit_over_another_edit_is_refused(browser: Client, sweep: Sweep, member: Any):
    digest = browser.get(edit_of(sweep)).context["digest"]
    change_sweep(actor=actor(member), sweep=sweep, config_text=GRID)
    reply = browser.post(edit_of(sweep), {"text": "method: random\n", "digest": digest})
    assert reply.status_code == 422
    assert "Someone has changed the configuration" in reply.content.decode()
    sweep.refresh_from_db()
    assert sweep.config_text == GRID


def test_an_edit_is_checked_at_its_own_address(browser: Client, sweep: Sweep):
    assert asked(browser, GRID, url=edit_of(sweep))["points"] == 2


@pytest.mark.parametrize(("preset", "new", "edit"), [
    (Preset.VIEW_ONLY, 403, 403), (Preset.MEMBER, 200, 403), (Preset.ADMIN, 200, 200), (None, 404, 404),
])  # fmt: skip
def test_who_may_create_and_edit(client: Client, sweep: Sweep, preset: Any, new: int, edit: int):
    """RUN-50, TEAM-21: members create, and edit their own; admins edit any."""
    client.force_login(make_member(sweep.project.team, preset) if preset else UserFactory())
    for url, status in ((NEW, new), (edit_of(sweep), edit)):
        assert client.get(url).status_code == status
        assert client.post(url, {"part": "check", "text": GRID}).status_code == status


def test_more_runs_cost_no_more_queries(browser: Client, project: Any, django_assert_max_num_queries: Any):
    for number in range(12):
        finished(project, f"r{number}", lr=number)
    with django_assert_max_num_queries(25):
        browser.get(NEW)
