"""Runs side by side (RUN-29)."""

import json
import re

import pytest
from django.urls import reverse

from runs.models import SavedView
from tests.factories import ProjectFactory, RunFactory, add_run_file, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client):
    project = ProjectFactory()
    client.force_login(make_member(project.team, username="reader"))
    return project


def make(project, *, config=None, summary=None, **fields):
    wrapped = {key: {"value": value} for key, value in (config or {}).items()}
    return RunFactory(
        project=project, config_text=json.dumps(wrapped), summary_text=json.dumps(summary or {}), **fields
    )


def page(client, project, runs, **query):
    url = reverse("runs:compare", args=[project.team.name, project.name])
    return client.get(url, {"runs": [getattr(run, "uid", run) for run in runs], **query}).content.decode()


def lines(text):
    """Return the lines by key: their attributes, and the texts of their cells."""
    found = {}
    for about, inner in re.findall(r'<tr data-key="([^>]*)>(.*?)</tr>', text, re.DOTALL):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", inner, re.DOTALL)
        texts = [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]
        found[about.partition('"')[0]] = (about, texts[:-1])
    return found


def test_results_come_first_and_what_is_equal_is_marked(client, project):
    runs = [
        make(project, config={"lr": lr, "same": 7}, summary={"epoch": 3, "val/loss": lr, "acc": 1 - lr})
        for lr in (0.125, 0.25)
    ]
    text = page(client, project, runs)
    found = lines(text)
    assert list(found)[:5] == ["val/loss", "acc", "epoch", "lr", "same"]
    assert found["lr"][1] == ["0.125", "0.25"]
    assert ["data-equal" in found[key][0] for key in ("lr", "same", "epoch")] == [False, True, True]
    assert re.findall(r'is-best" data-n="([^"]+)"', text) == ["0.125", "0.875"]
    assert "only-differences" in text
    assert "only-differences" not in page(client, project, runs, all="1").replace("data-only-differences", "")


def test_runs_are_added_removed_and_missed(client, project):
    one, two = make(project), make(project)
    text = page(client, project, [one, two, "ghost"])
    assert "ghost" in text
    assert f'href="?runs={two.uid}"' in text, "removes the first one"
    assert "data-add-run" in text
    assert "No runs selected" in page(client, project, [])


def test_colors_are_those_of_the_workspace(client, project):
    run = make(project, uid="a")
    member = project.team.memberships.get(user__username="reader").user
    spec = {"selector": {"colors": {"a": "#12ab34", "b": "javascript:"}}}
    SavedView.objects.create(project=project, user=member, name="", spec=spec)
    text = page(client, project, [run])
    found = re.search(r'<script id="compare-start" type="application/json">(.*?)</script>', text)
    assert found
    assert json.loads(found[1])["colors"] == {"a": "#12ab34"}


def test_media_are_no_results(client, project):
    picture = {"_type": "image-file", "path": "a.png", "sha256": "0"}
    run = make(project, summary={"sample": picture, "loss": 1})
    assert "sha256" not in page(client, project, [run])


def test_environments_have_machines_commits_and_packages(client, project):
    """Packages come from the SDK's list; an address in it may hold a secret."""
    machine = {"os": "Linux", "python": "3.11.4", "gpu": "A100"}
    configs = [
        json.dumps({"_wandb": {"value": {"e": {"w": machine | {"python": version}}}}})
        for version in ("3.11.4", "3.12.1")
    ]
    one, two = (RunFactory(project=project, config_text=config) for config in configs)
    add_run_file(one, "requirements.txt", b"torch==2.1.0\nnumpy==1.26\n# made\n")
    add_run_file(two, "requirements.txt", b"Torch==2.2.0\nnumpy==1.26\nflash @ https://x\n")
    add_run_file(two, "diff.patch", b"+a")
    found = lines(page(client, project, [one, two], part="environment"))
    assert found["Python"][1] == ["3.11.4", "3.12.1"]
    assert found["torch"][1] == ["2.1.0", "2.2.0"]
    assert found["flash @ https://x"][1] == ["", "✓"]
    assert found["Uncommitted changes"][1] == ["", "Yes"]
    assert ["data-equal" in found[key][0] for key in ("numpy", "GPU", "torch")] == [True, True, False]


def test_more_runs_cost_no_more_queries(client, project, django_assert_max_num_queries):
    runs = [make(project, config={"lr": n}, summary={"loss": n}) for n in range(12)]
    with django_assert_max_num_queries(14):
        assert page(client, project, runs).count("data-is-baseline") == 12
    with django_assert_max_num_queries(10):
        page(client, project, runs, part="environment")
