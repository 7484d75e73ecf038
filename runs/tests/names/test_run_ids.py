"""Run ids of any shape that the SDK allows: accepted, and the same in every address (RUN-1)."""

import re
from html import unescape
from urllib.parse import unquote

import pytest
from django.urls import URLPattern, get_resolver, resolve, reverse
from hypothesis import example, given, settings

from access.resource_paths import path_of, resolve_path
from common.errors import Invalid
from runs.lifecycle import services as lifecycle
from runs.models import Run
from runs.names.run_ids import check_run_id
from tests.factories import ProjectFactory, RunFactory, actor, add_run_file, make_member
from tests.run_ids import LOGGED, STRANGE, allowed_ids

PAGES = (
    "metrics:run_workspace",
    "runs:run_overview",
    "runs:run_files_zip",
    "runs:run_short",
    "alerts:run_told",
)


@given(allowed_ids)
@settings(deadline=None)
@example(".")
@example("..")
@example("50%2F..")
def test_an_address_names_the_id_that_it_was_made_of(uid):
    assert check_run_id(uid) == uid
    for page in PAGES:
        url = reverse(page, args=["team", "project", uid])
        path = unquote(url)  # as a server does before Django reads it
        assert not {".", ".."} & set(path.split("/"))
        assert re.fullmatch(r"[!-~]+", url)
        if page != "runs:run_short" or uid not in _pages_of_projects():
            assert resolve(path).kwargs == {"entity": "team", "project": "project", "uid": uid}


def _pages_of_projects():
    return {
        str(pattern.pattern).removeprefix("<str:entity>/<str:project>/")
        for included in get_resolver().url_patterns
        for pattern in getattr(included, "url_patterns", [])
        if isinstance(pattern, URLPattern)
    }


@pytest.mark.parametrize("char", [*":;,#?/'", "\n", "\t", "\x00", "\x7f", "\ud800"])
def test_what_no_id_has_is_named(char):
    with pytest.raises(Invalid, match=r"Invalid run ID .*: it must not contain : ; , # \? / ' or control"):
        check_run_id(f"a{char}b")


@pytest.mark.parametrize("uid", [" a", "a ", " ", "\u3000a"])
def test_an_id_neither_begins_nor_ends_with_a_space(uid):
    with pytest.raises(Invalid, match="begin or end with a space"):
        check_run_id(uid)


@pytest.mark.parametrize(("uid", "count"), [("", 0), ("é" * 129, 129)])
def test_the_limit_is_told_in_characters(uid, count):
    with pytest.raises(Invalid, match=rf"1 to 128 characters; .* has {count}\."):
        check_run_id(uid)


@pytest.fixture
def project(db):
    return ProjectFactory()


@pytest.fixture
def member(client, project):
    user = make_member(project.team)
    client.force_login(user)
    return user


def _pages_of_runs():
    """Return the addresses below a run's that need nothing else, and answer to a GET."""
    for included in get_resolver().url_patterns:
        for pattern in getattr(included, "url_patterns", []):
            route = str(getattr(pattern, "pattern", ""))
            if "<run_id:uid>" in route and route.count("<") == 3:
                yield f"{getattr(included, 'namespace', '')}:{pattern.name}"


def test_every_route_of_a_run_reads_its_id_alike():
    routes = [str(getattr(one, "pattern", "")) for included in get_resolver().url_patterns
              for one in getattr(included, "url_patterns", [])]  # fmt: skip
    assert not [route for route in routes if re.search(r"/runs/<(?!run_id:uid>)", route)]
    assert sum("/runs/<run_id:uid>" in route for route in routes) > 30


@pytest.mark.parametrize("uid", [*LOGGED, "..", "a%41", "🚀" * 128])
def test_every_page_of_a_run_opens(client, project, member, uid):
    run = RunFactory(project=project, uid=uid)
    add_run_file(run, "notes.txt")
    for page in _pages_of_runs():
        if page == "runs:run_short" and uid in _pages_of_projects():
            continue
        answer = client.get(reverse(page, args=[project.team.name, project.name, uid]))
        assert answer.status_code in {200, 302, 400, 405}, page
    downloaded = client.get(
        reverse("runs:run_file", args=[project.team.name, project.name, uid, "notes.txt"])
    )
    assert downloaded.status_code == 302


@pytest.mark.parametrize("uid", STRANGE)
def test_links_lead_to_the_run(client, project, member, uid):
    run = RunFactory(project=project, uid=uid, user=member)
    url = reverse("metrics:run_workspace", args=[project.team.name, project.name, uid])
    assert lifecycle.path_of(run) == url
    listed = [reverse("runs:runs", args=[project.team.name, project.name]),
              reverse("metrics:workspace", args=[project.team.name, project.name]), "/"]  # fmt: skip
    for page in listed:
        links = [unescape(link) for link in re.findall(r'href="([^"]*)"', client.get(page).content.decode())]
        paths = {unquote(link.partition("#")[0].partition("?")[0]) for link in links}
        assert unquote(url) in paths, page


@pytest.mark.parametrize("uid", STRANGE)
def test_a_run_is_found_by_its_name_and_by_its_pages_address(project, member, uid):
    run = RunFactory(project=project, uid=uid)
    RunFactory(project=project, uid="aA")  # what "a%41" would be read as
    url = reverse("runs:run_overview", args=[project.team.name, project.name, uid])
    for name in (
        path_of(run),
        f"{project.team.name}/{project.name}/{uid}",
        url,
        f"https://runyard.example.com{url}",
    ):
        assert resolve_path(actor(member), name) == run, name


def test_search_leads_to_a_run_called_as_a_page_of_projects(client, project, member):
    RunFactory(project=project, uid="overview", display_name="findable")
    assert "/runs/overview" in client.get("/search", {"q": "findable"}).content.decode()


def test_a_download_is_called_after_the_run(client, project, member):
    RunFactory(project=project, uid='日 "a"\\%41')
    names = [project.team.name, project.name, '日 "a"\\%41']
    for page, more in [("runs:run_files_zip", []), ("runs:run_log_download", []), ("runs:run_values", ["config"]),
                       ("metrics:run_export", ["history", "csv"])]:  # fmt: skip
        answer = client.get(f"{reverse(page, args=[*names, *more])}?raw")
        _kind, _star, told = answer["Content-Disposition"].partition("filename*=UTF-8''")
        assert unquote(told).startswith('日 "a"\\%41'), page
        assert re.fullmatch(r"[!-~]+", told)


def test_ids_are_told_apart_by_case_and_form(project):
    for uid in ("a", "A", "é", "e\u0301"):
        RunFactory(project=project, uid=uid)
    assert Run.objects.get(project=project, uid="é").uid == "é"
