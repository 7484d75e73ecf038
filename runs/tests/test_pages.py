"""Home, project and run pages: what they show, to whom, at which cost."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import OutboxMail, User
from common.errors import Invalid
from runs.lifecycle.fields import RunFields
from runs.lifecycle.services import log_run
from runs.models import Run, SavedView
from runs.projects.members import add_project_member
from teams.members.services import remove_member
from teams.models import Organization, Visibility
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    actor,
    add_run_file,
    make_member,
)

pytestmark = pytest.mark.django_db

TABS = ["metrics:run_workspace", "metrics:run_system", "runs:run_overview", "runs:run_logs", "runs:run_files"]


def names(run):
    return [run.project.team.name, run.project.name, run.uid]


@pytest.fixture
def run():
    team = TeamFactory()
    machine = {"os": "Linux", "args": ["--x"], "program": "train.py"}
    sdk = {"cli_version": "0.31.0", "e": {"w": machine}}
    config = json.dumps({"lr": {"value": 0.1}, "_wandb": {"value": sdk}})
    return RunFactory(
        project=ProjectFactory(team=team), user=make_member(team), config_text=config, tags=["base"]
    )


@pytest.fixture
def member(client, run):
    user = make_member(run.project.team)
    client.force_login(user)
    return user


def test_a_new_user_gets_a_key_and_a_script_and_only_once(client):
    client.force_login(UserFactory())
    page = client.get("/").content.decode()
    assert "WANDB_BASE_URL" in page  # UI-2
    assert "WANDB_API_KEY=ry-" in page
    assert "WANDB_API_KEY=ry-" not in client.get("/").content.decode()


@pytest.mark.parametrize(("age", "mails"), [(timedelta(minutes=5), 0), (timedelta(days=30), 1)])
def test_the_key_of_the_first_page_is_mailed_to_nobody_who_has_just_signed_up(client, age, mails):
    """Their first mail would warn of what the page has just shown; an old account's owner is warned."""
    user = UserFactory()
    User.objects.filter(pk=user.pk).update(created_at=timezone.now() - age)
    client.force_login(user)
    assert "WANDB_API_KEY=ry-" in client.get("/").content.decode()
    assert OutboxMail.objects.filter(subject__icontains="key").count() == mails


def test_the_first_page_says_why_there_is_no_key_where_an_organization_forbids_them(client):
    client.force_login(make_member(TeamFactory()))
    Organization.objects.update(api_keys_allowed=False)
    page = client.get("/").content.decode()
    assert "does not allow its members to create API keys" in page
    assert "Create API key" not in page


def test_home_shows_my_runs(client):
    user = UserFactory()
    team = user.memberships.get().team
    project = ProjectFactory(team=team, name="mine")
    mine, _ = log_run(
        actor=actor(user), project=project, uid="r1", fields=RunFields(display_name="my own run")
    )
    client.force_login(user)
    assert mine.display_name in client.get("/").content.decode()


def test_the_project_last_active_comes_first(client):
    user = UserFactory()
    team = user.memberships.get().team
    projects = [ProjectFactory(team=team, name=name) for name in ("first", "second")]
    for project in reversed(projects):
        log_run(actor=actor(user), project=project, uid="r", fields=RunFields())
    client.force_login(user)
    for url in ["/", f"/{team.name}"]:
        page = client.get(url).content.decode()
        assert page.index(f'href="/{team.name}/first"') < page.index(f'href="/{team.name}/second"')


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_a_run_opens_for_members(client, run, member, tab):
    answer = client.get(reverse(tab, args=names(run)))
    assert answer.status_code == 200
    assert run.display_name in answer.content.decode()


@pytest.mark.parametrize("tab", TABS)
def test_a_stranger_sees_nothing_of_a_run(client, run, tab):
    client.force_login(UserFactory())
    assert client.get(reverse(tab, args=names(run))).status_code == 404


def test_a_public_run_is_for_anyone(client, run):
    run.project.visibility = Visibility.PUBLIC
    run.project.save()
    assert client.get(reverse("runs:run_overview", args=names(run))).status_code == 200


def test_the_overview_says_where_it_ran(client, run, member):
    page = client.get(reverse("runs:run_overview", args=names(run))).content.decode()
    for text in ["0.31.0", "Linux", "python train.py --x", "/".join(names(run)), "base"]:  # RUN-40
        assert text in page


def test_the_short_address_leads_to_the_run(client, run, member):
    answer = client.get("/" + "/".join(names(run)))
    assert answer.url == reverse("metrics:run_workspace", args=names(run))


@pytest.mark.parametrize(
    ("picked", "shown"),
    [
        ({"other": "#12ab34"}, 'run-color-0" data-run-color="0"'),
        ({"run": 13}, 'run-color-5 is-dashed" data-run-color="13"'),
        ({"run": "#12ab34"}, 'data-run-color="#12ab34"'),
    ],
)
def test_a_run_page_has_the_color_that_its_viewer_picked_in_the_workspace(client, run, member, picked, shown):
    Run.objects.filter(pk=run.pk).update(number=1)
    colors = {run.uid if name == "run" else name: color for name, color in picked.items()}
    SavedView.objects.create(project=run.project, user=member, name="", spec={"selector": {"colors": colors}})
    for page in ("metrics:run_workspace", "runs:run_overview"):
        assert shown in client.get(reverse(page, args=names(run))).content.decode()


def test_a_projects_page_costs_the_same_for_many_runs(client, run, member, django_assert_max_num_queries):
    url = reverse("metrics:workspace", args=names(run)[:2])
    for number in range(30):
        RunFactory(project=run.project, uid=f"many{number}", user=run.user)
    with django_assert_max_num_queries(18):
        page = client.get(url).content.decode()
    assert page.count("data-uid=") == 31


def test_a_deleted_run_is_nowhere(client, run, member):
    Run.objects.filter(pk=run.pk).update(deleted_at=run.created_at)
    assert client.get(reverse("runs:run_overview", args=names(run))).status_code == 404
    assert (
        run.display_name not in client.get(reverse("metrics:workspace", args=names(run)[:2])).content.decode()
    )


def test_files_are_listed_previewed_and_lead_to_a_signed_link(client, run, member):
    add_run_file(run, "code/train.py", b"print('hello')\n")
    url = reverse("runs:run_files", args=names(run))
    assert "train.py" in client.get(url).content.decode()
    assert "print(&#x27;hello&#x27;)" in client.get(url, {"preview": "code/train.py"}).content.decode()
    answer = client.get(reverse("runs:run_file", args=[*names(run), "code/train.py"]))
    assert answer.url.startswith("/storage/get/")


def test_a_file_that_is_not_there_is_404(client, run, member):
    assert client.get(reverse("runs:run_file", args=[*names(run), "none.txt"])).status_code == 404


def test_a_member_may_not_stop_anothers_run_and_an_admin_may(client, run, member):
    url = reverse("runs:run_stop", args=names(run))
    answer = client.post(url, headers={"Accept": "text/html"})
    assert answer.status_code == 403
    assert "run.stop" in answer.content.decode()
    client.force_login(make_member(run.project.team, Preset.ADMIN))
    assert client.post(url).status_code == 302
    assert Run.objects.get(pk=run.pk).stop_requested_at is not None


@pytest.mark.parametrize(
    ("given", "tab"),
    [
        ("runs:run_overview", "runs:run_overview"),
        ("", "metrics:run_workspace"),
        ("https://evil.example/", "metrics:run_workspace"),
    ],
)
def test_who_stops_a_run_stays_on_the_tab(client, run, given, tab):
    """RUN-4."""
    client.force_login(make_member(run.project.team, Preset.ADMIN))
    page = reverse(given, args=names(run)) if given.startswith("runs:") else given
    if page.startswith("/"):
        assert f'name="next" value="{page}"' in client.get(page).content.decode()
    answer = client.post(reverse("runs:run_stop", args=names(run)), {"next": page})
    assert answer.url == reverse(tab, args=names(run))


def test_rest_lists_and_stops_runs(client, run):
    client.force_login(make_member(run.project.team, Preset.ADMIN))
    found = client.get("/api/v1/runs/", {"project": run.project.name}).json()["results"]
    assert [row["uid"] for row in found] == [run.uid]
    assert client.post(f"/api/v1/runs/{run.pk}/stop/").json()["state"] == "running"
    assert client.put(f"/api/v1/runs/{run.pk}/").status_code == 405
    assert client.get("/api/v1/projects/").json()["results"][0]["entity"] == run.project.team.name


def test_rest_errors_have_one_shape(client, run):
    client.force_login(UserFactory())
    answer = client.get(f"/api/v1/runs/{run.pk}/")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_a_nul_in_an_address_is_just_not_found(client, run, member):
    for url in ["/a%00b", "/a/b%00", f"/{'/'.join(names(run)[:2])}/runs/x%00", "/api/v1/runs/?entity=a%00"]:
        assert client.get(url).status_code == 404


def test_who_leaves_the_team_loses_its_restricted_projects(client, run, member):
    run.project.visibility = Visibility.RESTRICTED
    run.project.save()
    role = built_in(Preset.MEMBER)
    add_project_member(actor=SYSTEM, project=run.project, user=member, role=role)
    url = reverse("runs:run_overview", args=names(run))
    assert client.get(url).status_code == 200  # TEAM-24
    remove_member(actor=SYSTEM, membership=member.memberships.get(team=run.project.team))
    assert client.get(url).status_code == 404
    with pytest.raises(Invalid, match="not a member"):
        add_project_member(actor=SYSTEM, project=run.project, user=member, role=role)
