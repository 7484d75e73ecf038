"""Search over the logs of a project's runs: what is found, in which order, by whom, and how it goes on (wish 35)."""

import pytest
from django.urls import reverse

from access.actions import Preset
from common.errors import Invalid
from runs.logs import project_search
from runs.logs.blocks import LINES_PER_BLOCK
from runs.logs.project_search import SearchCursor, search_logs
from runs.logs.search import Needle
from runs.table.query import TableQuery
from runs.tests.logs.test_logs import write
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db

KEY = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory(), name="cifar")


@pytest.fixture
def member(client, project):
    user = make_member(project.team)
    client.force_login(user)
    return user


def printed(project, *lines, **fields):
    run = RunFactory(project=project, user=make_member(project.team), **fields)
    write(run, 0, lines)
    return run


def found(member, project, text, after=None, **query):
    return search_logs(actor(member), project, Needle(text), TableQuery(**query), after)


def test_the_newest_runs_come_first_with_their_first_lines(project, member):
    old = printed(project, "loading", "CUDA out of memory", "bye")
    printed(project, "all well")
    new = printed(project, *["cuda OUT of memory"] * 9)
    RunFactory(project=project)  # printed nothing
    page = found(member, project, "out of memory")
    assert [hits.run for hits in page.runs] == [new, old]
    first, second = page.runs
    assert [line.number for line in first.lines] == [0, 1, 2, 3, 4]
    assert (first.has_more, second.has_more) == (True, False)
    assert [(line.number, line.text) for line in second.lines] == [(1, "CUDA out of memory")]
    assert (page.searched, page.after) == (3, None)


def test_a_filter_keeps_runs_out(project, member):
    printed(project, "boom", display_name="a")
    kept = printed(project, "boom", display_name="b")
    page = found(member, project, "boom", filter="name = 'b'")
    assert [hits.run for hits in page.runs] == [kept]


def test_each_step_goes_on_where_the_last_one_ended(project, member, monkeypatch):
    """Also within a long log, and however little time a step has."""
    monkeypatch.setattr(project_search, "MOST_RUNS", 2)
    monkeypatch.setattr(project_search, "_RUNS_AT_ONCE", 2)
    runs = [printed(project, "boom") for _ in range(5)]
    lines = ["epoch"] * (25 * LINES_PER_BLOCK)
    lines[-1] = "boom"
    long = printed(project, *lines)
    seen, after, steps = [], None, 0
    monkeypatch.setattr(project_search, "STEP_S", 0.0)
    while True:
        page = found(member, project, "boom", after=after)
        seen += [hits.run for hits in page.runs]
        steps += 1
        if page.after is None:
            break
        after = SearchCursor.of(str(page.after))
    assert seen == [long, *reversed(runs)]
    assert steps > 3


def test_secrets_are_neither_shown_nor_found(project, member):
    run = printed(project, f"token={KEY}", "token used")
    assert found(member, project, KEY[5:20]).runs == []
    [hits] = found(member, project, "token").runs
    assert hits.run == run
    assert KEY not in "".join(line.text for line in hits.lines)


def test_the_page_links_lines_and_says_what_is_wrong(client, project, member):
    run = printed(project, "fine", "boom <b>")
    address = reverse("runs:project_logs", args=[project.team.name, project.name])
    assert "Search run logs" in client.get(address).content.decode()
    page = client.get(address, {"text": "boom"}).content.decode()
    assert f"{reverse('runs:run_logs', args=[project.team.name, project.name, run.uid])}#L2" in page
    assert "boom &lt;b&gt;" in page
    assert "No matches" in client.get(address, {"text": "absent"}).content.decode()
    for wrong in ({"regex": "1", "text": "("}, {"text": "a", "filter": "= ="}):
        reply = client.get(address, wrong)
        assert reply.status_code == 422
        assert "banner-danger" in reply.content.decode()


def test_it_can_be_asked_over_rest(client, project, member):
    run = printed(project, "boom")
    address = f"/api/v1/projects/{project.pk}/logs/"
    reply = client.get(address, {"text": "boom"}).json()
    assert reply == {
        "results": [
            {"run": run.uid, "name": run.display_name, "state": "running", "lines": [{"n": 0, "text": "boom"}],
             "has_more": False}
        ],
        "searched": 1, "next": None,
    }  # fmt: skip
    assert client.get(address, {"text": "boom", "after": "x"}).status_code == 400


def test_strangers_find_nothing(client, project):
    printed(project, "boom")
    client.force_login(make_member(TeamFactory(), Preset.ADMIN))
    address = reverse("runs:project_logs", args=[project.team.name, project.name])
    assert client.get(address, {"text": "boom"}).status_code == 404


@pytest.mark.parametrize("text", ["1", "a-1", "1-b", "²-1", "9" * 30 + "-1"])
def test_a_cursor_that_is_none_is_refused(text):
    with pytest.raises(Invalid):
        SearchCursor.of(text)
