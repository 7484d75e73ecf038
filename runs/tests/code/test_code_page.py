"""The Code tab: what it shows of a run's code, and what it keeps to itself."""

import json

import pytest
from django.urls import reverse

from accounts.models import CodeSaving
from tests.factories import ProjectFactory, RunFactory, TeamFactory, add_run_file, make_member

pytestmark = pytest.mark.django_db

KEY = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
SHA = "0123456789abcdef0123456789abcdef01234567"
PATCH = (
    b"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old = 1\n+<script>alert(1)</script>\n"
)


def make_run(project, **metadata):
    machine = {
        "os": "Linux", "program": "src/train.py", "python": "3.11.9", "host": "node1",
        "git": {"remote": "git@github.com:org/repo.git", "commit": SHA}, **metadata,
    }  # fmt: skip
    return RunFactory(project=project, config_text=json.dumps({"_wandb": {"value": {"e": {"w": machine}}}}))


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def run(project):
    run = make_run(project)
    add_run_file(run, "code/a.py", b"import os\n")
    add_run_file(run, "code/src/train.py", f"TOKEN = '{KEY}'\nprint('<b>')\n".encode())
    add_run_file(run, "diff.patch", PATCH)
    add_run_file(run, "requirements.txt", b"torch==2.10.0\nwandb==0.31.0\n")
    add_run_file(run, "media/images/x.png", b"\x89PNG\x00")
    return run


@pytest.fixture
def show(client, run):
    client.force_login(make_member(run.project.team))

    def ask(is_htmx=False, **params):
        address = reverse("runs:run_code", args=[run.project.team.name, run.project.name, run.uid])
        reply = client.get(address, params, headers={"HX-Request": "true"} if is_htmx else {})
        assert reply.status_code == 200
        return reply.content.decode()

    return ask


def test_the_program_that_ran_is_shown_first_as_text_with_secrets_masked(show):
    page = show()
    assert "print(&#x27;&lt;b&gt;&#x27;)" in page
    assert KEY not in page
    assert "code%2Fa.py" in page
    assert "x.png" not in page


def test_a_patch_is_shown_line_by_line_and_never_as_html(show):
    part = show(is_htmx=True, show="changes")
    assert "<html" not in part
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in part
    assert 'data-kind="removed"' in part


def test_packages_are_listed(show):
    part = show(is_htmx=True, show="packages")
    assert "torch" in part
    assert "2.10.0" in part


def test_a_file_that_is_not_code_is_not_shown(show):
    assert "No code saved" in show(is_htmx=True, file="media/images/x.png")


def test_environments_of_two_runs_are_compared(show, run, project):
    other = make_run(project, python="3.12.1")
    add_run_file(other, "requirements.txt", b"torch==2.9.1\nwandb==0.31.0\n")
    part = show(is_htmx=True, show="environment", **{"with": other.uid})
    assert "3.12.1" in part
    assert "2.9.1" in part
    assert f"git checkout {SHA}" in part
    assert "git apply diff.patch" in part


def test_a_run_that_may_not_be_seen_is_none_to_compare_with(client, show, run):
    stranger = RunFactory()
    address = reverse("runs:run_code", args=[run.project.team.name, run.project.name, run.uid])
    assert client.get(address, {"show": "environment", "with": stranger.uid}).status_code == 404


def test_why_code_is_not_saved_is_said(client, project):
    author = make_member(project.team)
    author.code_saving = CodeSaving.NEVER
    author.save()
    run = RunFactory(project=project, user=author)
    client.force_login(author)
    page = client.get(
        reverse("runs:run_code", args=[project.team.name, project.name, run.uid])
    ).content.decode()
    assert f"{author.username} chose never to save code." in page


def test_more_runs_and_files_cost_no_more_queries(show, run, project, django_assert_max_num_queries):
    for number in range(20):
        make_run(project)
        add_run_file(run, f"code/more/{number}.py", b"x = 1\n")
    show()
    with django_assert_max_num_queries(25):
        show(show="environment")
