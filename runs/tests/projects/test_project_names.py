"""New projects, their default visibility, and projects that were renamed."""

import pytest
from django.urls import reverse

from access.actions import Preset
from common.errors import Conflict, Forbidden, NotFound
from ingest.authorization.checks import loggable_run, loggable_run_ids
from ingest.services import log_run
from runs import selectors
from runs.lifecycle.fields import RunFields
from runs.models import FormerProjectName, Project
from runs.projects.deletion import delete_project, restore_project
from runs.projects.services import create_project, ensure_project, rename_project
from teams.models import Team, Visibility
from teams.teams.services import change_team
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory(name="vision")


@pytest.fixture
def member(team):
    return make_member(team)


@pytest.fixture
def project(team, member):
    """A project that was called digits."""
    project = ProjectFactory(team=team, name="digits")
    return rename_project(actor=actor(member), project=project, name="numerals")


def test_a_member_makes_a_project_and_chooses_who_sees_it(client, team, member):
    """TEAM-24."""
    client.force_login(member)
    assert "/projects/vision/new" in client.get("/vision").content.decode()
    given = {"name": "digits", "visibility": "public", "description": "Aim"}
    reply = client.post(reverse("runs:new_project", args=["vision"]), given)
    assert reply.url == "/vision/digits"
    project = Project.objects.get(name="digits")
    assert (project.visibility, project.description) == ("public", "Aim")


def test_a_person_makes_a_project_of_their_own(client, member):
    client.force_login(member)
    url = reverse("runs:new_project", args=[member.username])
    assert "Restricted" not in client.get(url).content.decode()
    client.post(url, {"name": "digits", "visibility": "team"})
    assert Project.objects.get(name="digits").team.name == member.username


def test_a_restricted_project_opens_the_page_where_others_are_invited(client, team, member):
    client.force_login(member)
    given = {"name": "digits", "visibility": "restricted"}
    reply = client.post(reverse("runs:new_project", args=["vision"]), given, follow=True)
    assert reply.status_code == 200
    assert reply.request["PATH_INFO"] == "/vision/digits/members"


@pytest.mark.parametrize(("name", "says"), [("a/b", "must not contain"), ("taken", "already")])
def test_a_name_that_cannot_be_is_told_beside_the_field(client, team, member, name, says):
    ProjectFactory(team=team, name="taken")
    client.force_login(member)
    given = {"name": name, "visibility": "team"}
    reply = client.post(reverse("runs:new_project", args=["vision"]), given)
    assert reply.status_code == 422
    assert says in reply.content.decode()


def test_viewers_have_no_button_and_are_refused(client, team):
    client.force_login(make_member(team, Preset.VIEW_ONLY))
    assert "/projects/vision/new" not in client.get("/vision").content.decode()
    assert client.get(reverse("runs:new_project", args=["vision"])).status_code == 403


def test_new_projects_are_seen_as_the_team_chose(client, team, member):
    admin = make_member(team, Preset.ADMIN)
    client.force_login(admin)
    given = {"display_name": "", "kind": "work", "project_visibility": "public"}
    client.post(reverse("teams:settings", args=["vision"]), given)
    team = Team.objects.get(pk=team.pk)
    by_script = ensure_project(actor=actor(member), team=team, name="digits")
    chosen = create_project(actor=actor(member), team=team, name="letters", visibility="team")
    assert (by_script.visibility, chosen.visibility) == ("public", "team")


def test_a_script_that_makes_a_restricted_project_may_log_to_it(team, member):
    Team.objects.filter(pk=team.pk).update(project_visibility=Visibility.RESTRICTED)
    team.refresh_from_db()
    run, _inserted = log_run(
        actor=actor(member), team=team, project_name="digits", uid="r1", fields=RunFields()
    )
    assert run.project.visibility == Visibility.RESTRICTED


def test_a_default_is_no_wider_than_the_organization_allows(team):
    admin = actor(make_member(team, Preset.ADMIN))
    change_team(actor=admin, team=team, display_name="", kind="work", project_visibility="open")
    Team.objects.filter(pk=team.pk).update(public_projects_allowed=False)
    team.refresh_from_db()
    assert create_project(actor=admin, team=team, name="digits").visibility == Visibility.TEAM
    with pytest.raises(Conflict):
        change_team(actor=admin, team=team, display_name="", kind="work", project_visibility="public")


def test_only_who_may_edit_the_project_renames_it(team):
    project = ProjectFactory(team=team, name="digits")
    with pytest.raises(Forbidden):
        rename_project(actor=actor(make_member(team, Preset.VIEW_ONLY)), project=project, name="x")


def test_pages_of_the_former_name_lead_to_the_present_one(client, project, member):
    client.force_login(member)
    run = RunFactory(project=project, uid="r1")
    shown = client.get("/vision/digits/runs?order=-created")
    assert (shown.status_code, shown.url) == (307, "/vision/numerals/runs?order=-created")
    assert client.get(f"/vision/digits/runs/{run.uid}/overview", follow=True).status_code == 200
    posted = client.post("/vision/digits/overview/update", {"description": "Aim"})
    assert posted.url == "/vision/numerals/overview/update"


def test_who_may_not_see_the_project_is_not_told_its_new_name(client, project):
    client.force_login(make_member(TeamFactory()))
    reply = client.get("/vision/digits/overview")
    assert reply.status_code == 404
    assert "numerals" not in reply.content.decode()
    with pytest.raises(NotFound, match="vision/digits"):
        selectors.get_project_by_any_name(actor(make_member(TeamFactory())), "vision", "digits")


def test_the_settings_have_the_form(client, project, member):
    client.force_login(member)
    assert "rename-dialog" in client.get("/vision/numerals/settings").content.decode()
    client.post("/vision/numerals/overview/rename", {"name": "figures"})
    assert selectors.get_project_by_any_name(actor(member), "vision", "digits").name == "figures"


def test_scripts_and_posts_with_the_former_name_go_on(team, project, member):
    who = actor(member)
    run, _inserted = log_run(actor=who, team=team, project_name="digits", uid="r1", fields=RunFields())
    assert run.project == project
    path = ("vision", "digits", "r1")
    assert loggable_run_ids(who, [path, ("vision", "numerals", "r1")]) == {
        path: run.pk,
        ("vision", "numerals", "r1"): run.pk,
    }
    assert loggable_run(who, path) == run
    assert selectors.get_run_by_any_name(who, *path) == run


def test_another_project_takes_the_former_name(team, project, member):
    taker = create_project(actor=actor(member), team=team, name="digits")
    assert not FormerProjectName.objects.exists()
    assert ensure_project(actor=actor(member), team=team, name="digits") == taker
    rename_project(actor=actor(member), project=taker, name="letters")
    with pytest.raises(Conflict):
        rename_project(actor=actor(member), project=taker, name="numerals")


def test_a_project_gets_its_own_name_back(project, member):
    rename_project(actor=actor(member), project=project, name="digits")
    assert [row.name for row in FormerProjectName.objects.all()] == ["numerals"]


def test_a_former_name_of_a_deleted_project_is_free(team, project, member):
    admin = actor(make_member(team, Preset.ADMIN))
    delete_project(actor=admin, project=project)
    other = ensure_project(actor=actor(member), team=team, name="digits")
    assert other != project
    restore_project(actor=admin, project=project)
    assert ensure_project(actor=actor(member), team=team, name="digits") == other
