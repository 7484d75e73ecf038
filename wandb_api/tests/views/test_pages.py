"""W&B's addresses of pages lead to ours, keep their query, and tell nobody what they may not see."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from accounts.lifecycle.names import RESERVED
from teams.models import Visibility
from tests.factories import OrganizationFactory, ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}


@pytest.fixture
def run():
    return RunFactory(project=ProjectFactory(team=TeamFactory(name="vision"), name="cifar"), uid="k3v9")


@pytest.fixture
def member(client: Client, run):
    user = make_member(run.project.team)
    client.force_login(user)
    return user


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/vision/cifar/workspace", "/vision/cifar"),
        ("/vision/cifar/workspace?nw=nwuserada", "/vision/cifar?nw=nwuserada"),
        ("/vision/cifar/table?a=1&a=%2F", "/vision/cifar/runs?a=1&a=%2F"),
        ("/vision/cifar/runs/k3v9/workspace?jupyter=true", "/vision/cifar/runs/k3v9?jupyter=true"),
        ("/vision/projects", "/vision"),
        ("/home", "/"),
        ("/signup?next=/vision", "/accounts/signup/?next=/vision"),
        ("/login?next=/vision", "/accounts/login/?next=/vision"),
    ],
)
def test_an_address_leads_to_the_page_that_shows_the_same(client, member, address, leads_to):
    reply = client.get(address, headers=HTML)
    assert (reply.status_code, reply["Location"]) == (302, leads_to)


@pytest.mark.parametrize("tab", ["overview", "logs", "files", "system"])
def test_tabs_of_a_run_have_the_names_that_wandb_gives_them(client, member, tab):
    assert client.get(f"/vision/cifar/runs/k3v9/{tab}", headers=HTML).status_code == 200


def test_ones_own_page_and_an_organizations(client, member):
    assert client.get("/profile")["Location"] == f"/{member.username}"
    organization = OrganizationFactory()
    assert client.get(f"/orgs/{organization.name}")["Location"] == f"/organizations/{organization.name}"
    assert client.get("/settings", headers=HTML, follow=True).status_code == 200
    assert client.get("/authorize", headers=HTML).status_code == 200


@pytest.mark.parametrize("tail", ["", "/workspace"])
@pytest.mark.parametrize("group", ["seeds", "runs", 'a "b" \\ c', "lr/0.1"])
def test_a_group_opens_the_workspace_with_its_runs(client, run, member, group, tail):
    RunFactory(project=run.project, uid="inside", display_name="inside-run", group=group)
    RunFactory(project=run.project, uid="outside", display_name="outside-run", group="other")
    quoted = group.replace("/", "%2F").replace('"', "%22").replace(" ", "%20").replace("\\", "%5C")
    reply = client.get(f"/vision/cifar/groups/{quoted}{tail}?nw=x", headers=HTML)
    assert parse_qs(urlsplit(reply["Location"]).query)["nw"] == ["x"]
    page = client.get(reply["Location"], headers=HTML).content.decode()
    assert "inside-run" in page
    assert "outside-run" not in page


def test_a_project_called_projects_is_shown_to_who_may_see_it(client, run, member):
    ProjectFactory(team=run.project.team, name="projects")
    assert client.get("/vision/projects", headers=HTML).context["project"].name == "projects"
    assert Client().get("/vision/projects", headers=HTML)["Location"] == "/vision"


OF_A_PROJECT = [
    "workspace", "table", "groups/seeds", "runs/k3v9/workspace", "runs/k3v9/artifacts", "sweeps", "sweeps/x", "reports",
    "reports/Seeds--Vmlldzox", "artifacts", "artifacts/model/net/v0", "weave",
]  # fmt: skip


@pytest.mark.parametrize("signed_in", [True, False])
def test_addresses_answer_alike_for_what_is_hidden_and_what_is_not_there(client, run, signed_in):
    if signed_in:
        client.force_login(make_member(TeamFactory()))

    def answers(project: str) -> list[tuple[int, str]]:
        replies = [
            client.get(f"/vision/{project}/{address}", headers=HTML, follow=True) for address in OF_A_PROJECT
        ]
        words = [
            re.sub(r'="[^"]{64}"', "", reply.content.decode()) for reply in replies
        ]  # tokens against CSRF
        return [
            (reply.status_code, text.partition("<main")[2].replace(project, "").partition("</main>")[0])
            for reply, text in zip(replies, words, strict=True)
        ]

    assert answers("cifar") == answers("absent")


@pytest.mark.parametrize(
    ("address", "words", "link"),
    [
        ("/vision/cifar/reports/Seeds--Vmlldzox", "Reports are not part", "/vision/cifar/overview"),
        ("/vision/cifar/weave/traces", "Weave is not part", "/vision/cifar"),
    ],
)
@pytest.mark.parametrize("signed_in", [True, False])
def test_what_there_is_not_is_said_with_what_to_do_meanwhile(client, address, words, link, signed_in):
    if signed_in:
        client.force_login(make_member(TeamFactory()))
    reply = client.get(address, headers=HTML)
    assert reply.status_code == 404
    assert words in reply.content.decode()
    assert f'href="{link}"' in reply.content.decode()


def test_a_public_project_opens_for_anybody(client, run):
    run.project.visibility = Visibility.PUBLIC
    run.project.save()
    assert client.get("/vision/cifar/workspace", headers=HTML, follow=True).status_code == 200


def test_quickstart_shows_the_three_lines_at_any_time(client, member):
    page = client.get("/quickstart", headers=HTML)
    assert page.status_code == 200
    assert "WANDB_BASE_URL" in page.content.decode()
    assert Client().get("/quickstart", headers=HTML)["Location"] == "/accounts/login/?next=/quickstart"


def test_nobody_is_called_like_an_address():
    first = "authorize home login orgs profile projects quickstart registry settings signup traces".split()
    assert set(first) <= RESERVED
