"""ACC-6, TEAM-7: the Alerts sections of people and teams, and the mute button of a project."""

from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from accounts.models import User
from alerts.models import AlertSettings, Delivery, Event, EventKind, Message, MessageState, Mute, Route
from alerts.preferences.services import change_settings, mute, settings_of
from alerts.tests.places import a_place, personal
from runs.models import Run
from runs.projects import services as projects
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def ada(team: Team) -> User:
    return make_member(team, username="ada", email="ada@example.com")


@pytest.fixture
def page(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def told(user: User, *runs: Run, state: str = "crashed", **more: Any) -> Message:
    """Return a message that told somebody of runs."""
    message = Message.objects.create(
        recipient=f"user:{user.pk}", user=user, state=MessageState.SENT, is_open=False, send_at="2026-01-01T00:00Z",
        **more,
    )  # fmt: skip
    for run in runs:
        event = Event.objects.create(
            kind=EventKind.RUN_STATE,
            team=run.project.team,
            project=run.project,
            run=run,
            data={"state": state},
        )
        Delivery.objects.create(event=event, message=message, recipient=message.recipient)
    return message


def test_a_form_without_scripts_saves_all_switches(page: Client, ada: User):
    """ACC-6: what is not ticked is off."""
    change_settings(actor=actor(ada), user=ada, on_finished=True)
    sent = {"part": "what", "on_crashed": "on", "on_scripted": "on", "least_level": "WARN"}
    reply = page.post("/settings/alerts", sent, headers=HTML, follow=True)
    assert "Saved." in reply.content.decode()
    chosen = settings_of(user=ada)
    assert (chosen.on_finished, chosen.on_crashed, chosen.on_scripted) == (False, True, True)
    assert (chosen.least_level, chosen.by_email) == ("WARN", True)


def test_a_script_hears_that_it_is_saved(page: Client, ada: User):
    """ACC-6: a switch saves at once."""
    reply = page.post("/settings/alerts", {"part": "mail"}, headers=JSON)
    assert reply.json() == {"message": "Saved."}
    assert not settings_of(user=ada).by_email


def test_the_page_says_where_mail_goes(page: Client):
    """ACC-6."""
    shown = page.get("/settings/alerts").content.decode()
    assert "ada@example.com" in shown
    assert "Runs finished" in shown
    assert "run.alert(" in shown
    assert "No emails yet" in shown


def test_a_way_is_added_for_a_project_and_a_tag_and_ends(page: Client, ada: User, team: Team):
    """ACC-6, wish 79."""
    place, project = a_place(personal(ada)), ProjectFactory(team=team, name="cifar")
    sent = {"destination": place.pk, "project": "vision/cifar", "tag": "nightly"}
    assert page.post("/settings/alerts", sent).status_code == 302
    route = Route.objects.get()
    assert (route.project, route.tag) == (project, "nightly")
    assert "vision/cifar" in page.get("/settings/alerts").content.decode()
    page.post(f"/settings/alerts/routes/{route.pk}/end", headers=HTML)
    assert not Route.objects.exists()


@pytest.mark.parametrize(
    ("project", "message"),
    [("vision/none", "This project doesn’t exist here"), ("vision/cifar", "already go to #runs")],
)
def test_what_is_wrong_with_a_way_is_said_in_its_form(
    page: Client, ada: User, team: Team, project: str, message: str
):
    place = a_place(personal(ada))
    ProjectFactory(team=team, name="cifar")
    sent = {"destination": place.pk, "project": "vision/cifar"}
    page.post("/settings/alerts", sent)
    reply = page.post("/settings/alerts", {**sent, "project": project})
    assert reply.status_code == 422
    assert message in reply.content.decode()


def test_admins_of_a_team_choose_for_all_its_runs(client: Client, team: Team):
    """TEAM-7."""
    client.force_login(make_member(team, Preset.ADMIN))
    a_place(team, "#vision")
    shown = client.get("/teams/vision/alerts").content.decode()
    assert "Email to every member" in shown
    assert "2 people get it" in shown
    client.post("/teams/vision/alerts", {"part": "what", "on_finished": "on"})
    assert settings_of(team=team).on_finished


def test_members_see_nothing_of_a_teams_alerts(page: Client, team: Team):
    """TEAM-7."""
    assert page.get("/teams/vision/alerts").status_code == 403
    assert "/teams/vision/alerts" not in page.get("/teams/vision").content.decode()


def test_a_way_that_is_not_there_cannot_end(page: Client):
    assert page.post("/settings/alerts/routes/99/end").status_code == 404


def test_a_project_is_muted_on_its_page_and_unmuted_in_settings(page: Client, ada: User, team: Team):
    """Semantics 6: mute per project."""
    project = ProjectFactory(team=team, name="noisy")
    assert "Mute" in page.get("/vision/noisy/settings").content.decode()
    sent = {"project": project.pk, "on": "1", "from": "project"}
    reply = page.post("/settings/alerts/mute", sent, headers=HTML, follow=True)
    assert "Emails about noisy turned off." in reply.content.decode()
    assert "Unmute" in reply.content.decode()
    assert "vision/noisy" in page.get("/settings/alerts").content.decode()
    page.post("/settings/alerts/mute", {"project": project.pk, "on": "0"})
    assert not Mute.objects.exists()


def test_what_one_no_longer_sees_is_unmuted_but_not_muted(page: Client, ada: User, team: Team):
    project = ProjectFactory(team=team)
    mute(actor=actor(ada), project=project)
    projects.change_visibility(
        actor=actor(make_member(team, Preset.ADMIN)), project=project, visibility="restricted"
    )
    page.post("/settings/alerts/mute", {"project": project.pk, "on": "0"})
    assert not Mute.objects.exists()
    assert page.post("/settings/alerts/mute", {"project": project.pk, "on": "1"}).status_code == 404


def test_a_member_mutes_a_team_that_mails_them(page: Client, ada: User, team: Team):
    """ALR-2."""
    AlertSettings.objects.create(team=team, on_crashed=True)
    assert "Emails its members" in page.get("/settings/alerts").content.decode()
    page.post("/settings/alerts/mute", {"team": team.pk, "on": "1"})
    assert Mute.objects.get().team == team
    assert "Muted: you get no email alerts" in page.get("/settings/alerts").content.decode()


def test_recent_mail_says_what_became_of_it_and_hides_what_is_no_longer_seen(
    page: Client, ada: User, team: Team
):
    """ALR-5: with its last error."""
    seen = RunFactory(project=ProjectFactory(team=team), user=ada, display_name="lively")
    hidden = RunFactory(project=ProjectFactory(), user=ada, display_name="secret")
    told(ada, seen, error="")
    told(ada, hidden)
    told(ada, seen, hidden)
    told(ada, hidden, seen)
    failed = told(ada, seen, state="failed")
    Message.objects.filter(pk=failed.pk).update(state=MessageState.FAILED, error="mailbox full")
    shown = page.get("/settings/alerts").content.decode()
    for words in (
        "lively: Crashed",
        "About a run you can no longer see",
        "and 1 more event",
        "2 events",
        "mailbox full",
    ):
        assert words in shown
    assert "secret" not in shown


def test_the_page_takes_as_many_queries_for_many_mails_as_for_one(
    page: Client, ada: User, team: Team, django_assert_max_num_queries
):
    project = ProjectFactory(team=team)
    for _number in range(6):
        told(ada, RunFactory(project=project, user=ada))
        mute(actor=actor(ada), project=ProjectFactory(team=team))
    page.get("/settings/alerts")
    with django_assert_max_num_queries(24):
        page.get("/settings/alerts")


def test_only_the_author_of_a_run_hears_whether_they_were_told(
    page: Client, client: Client, ada: User, team: Team
):
    """ALR-5: what others were told is nobody's to know."""
    bob = make_member(team)
    run = RunFactory(project=ProjectFactory(team=team, name="p"), uid="r", user=ada)
    told(ada, run)
    told(bob, run, state="finished")
    shown = page.get("/vision/p/runs/r/told").content.decode()
    assert "Crashed" in shown
    assert "by email" in shown
    assert "Finished" not in shown
    assert "/vision/p/runs/r/told" in page.get("/vision/p/runs/r/overview").content.decode()
    client.force_login(bob)
    assert client.get("/vision/p/runs/r/told").content.strip() == b""
    assert "/told" not in client.get("/vision/p/runs/r/overview").content.decode()


def test_who_chose_nothing_is_told_once_how_to_hear_of_crashes(page: Client, ada: User, team: Team):
    """Wish 81."""
    RunFactory(project=ProjectFactory(team=team, name="p"), uid="r", user=ada)
    assert "Turn on" in page.get("/vision/p/runs/r/told").content.decode()
    change_settings(actor=actor(ada), user=ada, on_crashed=False)
    assert page.get("/vision/p/runs/r/told").content.strip() == b""


def test_who_is_told_by_their_team_gets_no_hint(page: Client, ada: User, team: Team):
    """Wish 81."""
    AlertSettings.objects.create(team=team, on_crashed=True)
    RunFactory(project=ProjectFactory(team=team, name="p"), uid="r", user=ada)
    assert page.get("/vision/p/runs/r/told").content.strip() == b""
