"""Pages in frames of other sites: which, for whom, and what is not in them."""

import pytest
from django.test import Client

from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}
SITE = "https://jupyter.example.com"
FRAMES = ["/vision/cifar/runs/k3v9", "/vision/cifar/runs/k3v9/system", "/vision/cifar"]


@pytest.fixture
def run():
    project = ProjectFactory(team=TeamFactory(name="vision"), name="cifar")
    return RunFactory(project=project, uid="k3v9", display_name="first-run")


@pytest.fixture
def member(client: Client, run):
    user = make_member(run.project.team)
    client.force_login(user)
    return user


@pytest.fixture
def framing(settings):
    settings.FRAME_ANCESTORS = [SITE, "http://localhost:*"]


def ancestors(reply) -> tuple[str, str | None]:
    policy = reply.headers["Content-Security-Policy"]
    return policy.partition("frame-ancestors ")[2].partition(";")[0], reply.headers.get("X-Frame-Options")


@pytest.mark.parametrize("path", FRAMES)
def test_without_the_setting_no_site_may_frame_anything(client, member, path):
    assert ancestors(client.get(f"{path}?jupyter=true", headers=HTML)) == ("'none'", "DENY")


def test_sites_of_the_setting_may_frame_pages_for_frames_and_no_others(client, member, framing):
    for path in FRAMES:
        assert ancestors(client.get(f"{path}?jupyter=true", headers=HTML)) == (
            f"{SITE} http://localhost:*",
            None,
        )
        assert ancestors(client.get(path, headers=HTML)) == ("'none'", "DENY")
        assert ancestors(client.get(f"{path}?jupyter=false", headers=HTML)) == ("'none'", "DENY")
    for path in (
        "/",
        "/settings/profile",
        "/vision/cifar/runs",
        "/vision/cifar/runs/k3v9/overview",
        "/accounts/login/",
    ):
        assert ancestors(client.get(f"{path}?jupyter=true", headers=HTML)) == ("'none'", "DENY"), path


def test_a_page_for_a_frame_shows_the_run_and_offers_nothing_that_changes_it(client, member, framing):
    for path in FRAMES:
        text = client.get(f"{path}?jupyter=true", headers=HTML).content.decode()
        assert "first-run" in text
        assert "data-workspace" in text
        assert 'method="post"' not in text
        assert "csrf" not in text
        assert "data-can-save-chart" not in text
        assert 'data-view-url=""' in text
        assert '<nav class="rail"' not in text
        assert 'class="topbar' not in text
        assert '<base target="_blank"' in text


def test_what_is_fetched_anew_offers_nothing_either(client, run, member):
    run.user = member
    run.save()
    head = "/vision/cifar/runs/k3v9/head"
    assert "stop-dialog" in client.get(head, headers=HTML).content.decode()
    assert "stop-dialog" not in client.get(f"{head}?jupyter=true", headers=HTML).content.decode()


@pytest.mark.parametrize("path", FRAMES)
def test_who_is_nobody_in_a_frame_gets_a_link_alike_for_what_is_hidden_and_what_is_not_there(
    run, framing, path
):
    def answer(project: str) -> tuple[int, str]:
        address = path.replace("cifar", project)
        reply = Client().get(f"{address}?jupyter=true&x=1", headers=HTML)
        text = reply.content.decode()
        assert f'href="{address}?x=1"' in text
        assert "<form" not in text
        assert ancestors(reply)[0].startswith(SITE)
        return reply.status_code, text.partition("<main")[2].replace(project, "")

    assert answer("cifar") == answer("absent")
    assert answer("cifar")[0] == 404


def test_a_public_project_is_shown_to_nobody_in_particular(run, framing):
    run.project.visibility = Visibility.PUBLIC
    run.project.save()
    for path in FRAMES:
        assert "data-workspace" in Client().get(f"{path}?jupyter=true", headers=HTML).content.decode()


def test_the_address_that_the_sdk_frames_for_a_project_leads_there(client, member, framing):
    reply = client.get("/vision/cifar/workspace?jupyter=true", headers=HTML)
    assert reply["Location"] == "/vision/cifar?jupyter=true"


def test_frames_of_ours_within_such_pages_may_stand_there(client, framing):
    for path in ("/frames/vega", "/frames/plotly"):
        assert ancestors(client.get(path)) == (f"'self' {SITE} http://localhost:*", None)


def test_frames_of_ours_stand_in_pages_of_ours_alone_without_the_setting(client):
    for path in ("/frames/vega", "/frames/plotly"):
        assert ancestors(client.get(path)) == ("'self'", "SAMEORIGIN")
