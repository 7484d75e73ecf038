"""ALR-6: pages of automations: their list, the editor with its preview, what they did."""

from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from alerts.models import Message, MessageState
from alerts.tests.peers import ends
from automations.models import Automation
from automations.tests.test_automation_editor import METRIC, STATE
from common.search import search
from runs.models import Project
from runs.projects.members import add_project_member
from runs.states import RunState
from teams.models import Team, Visibility
from teams.roles.builtin import built_in
from tests.automations import acted, make_automation, states
from tests.factories import (
    DestinationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    actor,
    make_member,
)
from tests.plans import lacking

pytestmark = pytest.mark.django_db
PAGE = "/vision/cifar/automations"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def project(team: Team) -> Project:
    return ProjectFactory(team=team, name="cifar")


@pytest.fixture
def member(client: Client, team: Team) -> User:
    user = make_member(team, Preset.MEMBER, username="mia")
    client.force_login(user)
    return user


def _fails(project: Project, **fields: Any) -> Automation:
    return make_automation(project, "RUN_STATE", states("FAILED"), **fields)


def _text(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status
    return answer.content.decode()


def test_the_empty_page_proposes_what_most_teams_want(client: Client, project: Project, member: User):
    page = _text(client, PAGE)
    assert "No automations yet" in page
    assert "?event=RUN_STATE&amp;states=FAILED" in page
    proposed = _text(client, f"{PAGE}/new?event=RUN_STATE&states=FAILED&name=A+run+failed")
    assert 'value="A run failed"' in proposed
    assert 'value="RUN_STATE" checked' in proposed


def test_making_one_leads_to_its_page(client: Client, project: Project, member: User):
    made = client.post(f"{PAGE}/new", METRIC | {"scope": "cifar"}, follow=True)
    automation = Automation.objects.get()
    assert made.redirect_chain[-1][0] == f"{PAGE}/{automation.pk}"
    assert (automation.project, automation.created_by, automation.event) == (project, member, "RUN_METRIC")
    page = made.content.decode()
    assert "loss &lt; 0.1 (mean of 5)" in page
    assert "Not triggered yet" in page


def test_one_of_all_projects_is_listed_in_each_and_lives_with_the_team(
    client: Client, project: Project, member: User
):
    client.post(f"{PAGE}/new", STATE | {"scope": "*", "name": "everywhere"})
    automation = Automation.objects.get()
    assert automation.project is None
    for page in (PAGE, "/teams/vision/automations"):
        assert f'href="/teams/vision/automations/{automation.pk}"' in _text(client, page)
    _text(client, f"{PAGE}/{automation.pk}", 404)


def test_what_is_wrong_keeps_what_was_typed(client: Client, project: Project, member: User):
    answer = client.post(f"{PAGE}/new", METRIC | {"scope": "cifar", "threshold": "low", "metric": "val/loss"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="val/loss"' in page
    assert "Enter a number" in page
    assert not Automation.objects.exists()


def test_a_name_that_is_taken_is_said_beside_it(client: Client, project: Project, member: User):
    _fails(project, name="good")
    answer = client.post(f"{PAGE}/new", METRIC | {"scope": "cifar"})
    assert answer.status_code == 422
    assert "An automation named “good” already exists." in answer.content.decode()


def test_the_preview_names_runs_and_says_how_many_it_looked_at(
    client: Client, project: Project, member: User
):
    run = ends(RunFactory(project=project, display_name="broken-one"), RunState.FAILED)
    posted = STATE | {"part": "preview", "scope": "cifar", "name": ""}
    part = client.post(f"{PAGE}/new", posted, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert run.display_name in part
    assert "1 run checked" in part
    whole = client.post(f"{PAGE}/new", posted)  # without a script
    assert whole.status_code == 200
    assert run.display_name in whole.content.decode()
    assert not Automation.objects.exists()


def test_the_preview_waits_until_the_event_is_whole(client: Client, project: Project, member: User):
    posted = METRIC | {"part": "preview", "scope": "cifar", "metric": ""}
    part = client.post(f"{PAGE}/new", posted, headers={"HX-Request": "true"})
    assert (part.status_code, "Fill in the event" in part.content.decode()) == (200, True)


def test_the_editor_proposes_metrics_authors_and_destinations(client: Client, project: Project, member: User):
    RunFactory(project=project, user=member)
    DestinationFactory(team=project.team, name="deploy")
    DestinationFactory(name="of others")
    page = _text(client, f"{PAGE}/new")
    assert '<option value="mia">' in page
    assert "deploy" in page
    assert "of others" not in page
    assert "${run_url}" in page


def test_who_made_one_switches_changes_copies_and_deletes_it(client: Client, project: Project, member: User):
    automation = _fails(project, by=member, name="mine")
    other = ProjectFactory(team=project.team, name="other")
    one = f"{PAGE}/{automation.pk}"
    client.post(f"{one}/act", {"act": "off"})
    automation.refresh_from_db()
    assert not automation.is_on
    client.post(f"{one}/edit", STATE | {"name": "renamed"})
    automation.refresh_from_db()
    assert automation.name == "renamed"
    client.post(f"{one}/act", {"act": "copy", "name": "copied", "project": "other"})
    assert Automation.objects.get(name="copied").project == other
    gone = client.post(f"{one}/act", {"act": "delete"}, headers={"Accept": "text/html"})
    assert gone.headers["Location"] == PAGE
    assert not Automation.objects.filter(pk=automation.pk).exists()


def test_the_switch_of_a_list_answers_with_its_row(client: Client, project: Project, member: User):
    automation = _fails(project, by=member)
    answer = client.post(f"{PAGE}/{automation.pk}/act", {"act": "off"}, headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert page.strip().startswith("<tr")
    assert 'aria-checked="false"' in page


@pytest.mark.parametrize("act", ["off", "copy", "delete", "retry"])
def test_who_may_only_look_is_refused(client: Client, project: Project, act: str):
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    automation = _fails(project)
    message = acted(automation, RunFactory(project=project), MessageState.FAILED)
    posted = {"act": act, "name": "x", "message": str(message.pk)}
    answer = client.post(f"{PAGE}/{automation.pk}/act", posted, headers={"Accept": "text/html"})
    assert answer.status_code == 403
    page = _text(client, f"{PAGE}/{automation.pk}")
    assert "Edit" not in page


def test_the_history_shows_why_what_was_sent_and_what_came_back(
    client: Client, project: Project, member: User
):
    automation = _fails(project, by=member)
    run = RunFactory(project=project, display_name="broken-one")
    acted(
        automation,
        run,
        MessageState.FAILED,
        request="POST it",
        response="<b>busy</b>" * 500,
        status=502,
        error="HTTP 502",
    )
    page = _text(client, f"{PAGE}/{automation.pk}")
    for words in (
        "broken-one",
        "became Failed",
        "POST it",
        "&lt;b&gt;busy&lt;/b&gt;" * 500,
        "HTTP 502",
        "Retry",
    ):
        assert words in page
    assert "No entries with this outcome" in _text(client, f"{PAGE}/{automation.pk}?state=sent")


def test_what_failed_is_tried_again_by_who_made_the_automation(
    client: Client, project: Project, member: User
):
    automation = _fails(project, by=member)
    message = acted(automation, RunFactory(project=project), MessageState.FAILED, attempt_count=6)
    client.post(f"{PAGE}/{automation.pk}/act", {"act": "retry", "message": str(message.pk)})
    message.refresh_from_db()
    assert (message.state, message.attempt_count) == (MessageState.WAITING, 0)


def test_of_a_run_that_one_may_not_see_nothing_is_told(client: Client, team: Team, member: User):
    hidden = ProjectFactory(team=team, name="hidden", visibility=Visibility.RESTRICTED)
    run = RunFactory(project=hidden, display_name="secret-run")
    automation = make_automation(hidden, "RUN_STATE", states("FAILED"), is_of_team=True)
    acted(automation, run, request="about secret-run", response="secret-run", error="secret-run")
    page = f"/teams/vision/automations/{automation.pk}"
    assert "secret-run" not in _text(client, page)
    add_project_member(actor=SYSTEM, project=hidden, user=member, role=built_in(Preset.MEMBER))
    assert "about secret-run" in _text(client, page)


def test_the_history_is_cut_into_pages(client: Client, project: Project, member: User):
    automation, run = _fails(project), RunFactory(project=project)
    for _ in range(26):
        acted(automation, run)
    assert "1–25 of 26" in _text(client, f"{PAGE}/{automation.pk}")
    assert "26–26 of 26" in _text(client, f"{PAGE}/{automation.pk}?page=2")


def test_a_list_and_a_history_cost_the_same_for_many(
    client: Client, project: Project, member: User, django_assert_max_num_queries: Any
):
    run = RunFactory(project=project)
    for _ in range(12):
        acted(_fails(project), run)
    with django_assert_max_num_queries(20):
        client.get(PAGE)
    for _ in range(12):
        acted(Automation.objects.earliest("pk"), run)
    with django_assert_max_num_queries(22):
        client.get(f"{PAGE}/{Automation.objects.earliest('pk').pk}")


def test_a_plan_without_automations_is_said_and_nothing_is_made(
    client: Client, project: Project, member: User
):
    with lacking("automations"):
        assert "does not include automations" in _text(client, PAGE)
        answer = client.post(f"{PAGE}/new", METRIC | {"scope": "cifar"}, headers={"Accept": "text/html"})
        assert answer.status_code == 403


def test_one_finds_ones_own_of_personal_projects_in_settings(client: Client):
    ada = UserFactory(username="ada")
    client.force_login(ada)
    project = ProjectFactory(team=ada.claim.team, name="toys")
    automation = _fails(project, name="toy alarm")
    assert f"/ada/toys/automations/{automation.pk}" in _text(client, "/settings/automations")
    assert _text(client, "/teams/ada/automations/new")


def test_strangers_to_a_public_project_see_none(client: Client, team: Team):
    project = ProjectFactory(team=team, name="open", visibility=Visibility.PUBLIC)
    _fails(project)
    client.force_login(UserFactory())
    assert "/automations" not in _text(client, "/vision/open/overview")
    assert client.get("/vision/open/automations", headers={"Accept": "text/html"}).status_code == 403


def test_the_search_finds_them_by_name_and_only_what_one_sees(project: Project):
    _fails(project, name="loss alarm")
    member = make_member(project.team)
    found = {str(part.kind.label): part.hits for part in search(actor(member), "alarm")}
    assert [hit.title for hit in found["Automations"]] == ["loss alarm"]
    assert "Automations" not in {str(part.kind.label) for part in search(actor(UserFactory()), "alarm")}
    assert Message.objects.count() == 0
