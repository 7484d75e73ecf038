"""The review's M1, ALR-7: who may not manage the secrets of a team comes by none of them through what is sent."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM, Actor
from alerts.access import AlertAction
from alerts.destinations.services import change_destination, create_webhook
from alerts.models import Destination
from alerts.secrets.services import SecretsWithheld
from automations.models import Automation
from automations.services import AutomationFields, change_automation, copy_automation
from automations.tests.test_automation_editor import STATE
from runs.models import Project
from teams.models import Organization
from teams.roles.custom import RoleFields, create_role
from tests.automations import make_automation
from tests.factories import ProjectFactory, SecretFactory, TeamFactory, actor, basic, make_key, make_member

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.com/a"
SECRETIVE = '{"text": "${HIDDEN_1}"}'
PAGE = "/vision/cifar/automations"


@pytest.fixture
def project() -> Project:
    team = TeamFactory(name="vision")
    SecretFactory(team=team, name="HIDDEN_1")
    SecretFactory(team=team, name="HIDDEN_2")
    return ProjectFactory(team=team, name="cifar")


@pytest.fixture
def hook(project: Project) -> Destination:
    return create_webhook(actor=SYSTEM, team=project.team, name="hook", url=URL)


@pytest.fixture
def other(project: Project) -> Destination:
    return create_webhook(actor=SYSTEM, team=project.team, name="other", url="https://relay.example.com/b")


@pytest.fixture
def member(project: Project) -> Actor:
    """May make automations, and change their own."""
    return actor(make_member(project.team, Preset.MEMBER))


@pytest.fixture
def keeper(project: Project) -> Actor:
    """May manage destinations, but not secrets."""
    fields = RoleFields("Keeper", Preset.MEMBER, frozenset({str(AlertAction.MANAGE)}))
    organization = Organization.objects.get(teams=project.team)
    role = create_role(actor=SYSTEM, organization=organization, fields=fields)
    return actor(make_member(project.team, role))


def made_by(who: Actor, project: Project, hook: Destination, payload: str = SECRETIVE) -> Automation:
    """Return an automation of somebody, into which who manages secrets has put one."""
    automation = make_automation(project, action="GENERIC_WEBHOOK", destination=hook, payload=payload)
    automation.created_by_id = who.user_id
    automation.save()
    return automation


def refused(act: Callable[[], Any]) -> str:
    with pytest.raises(SecretsWithheld) as told:
        act()
    assert told.value.action == AlertAction.MANAGE_SECRETS
    assert "HIDDEN" not in told.value.message
    return told.value.message


def test_naming_one_is_refused_in_the_same_words_whether_it_is_there(
    project: Project, hook: Destination, member: Actor
):
    automation = made_by(member, project, hook, "")

    def name(payload: str) -> str:
        fields = AutomationFields(payload=payload)
        return refused(lambda: change_automation(actor=member, automation=automation, fields=fields))

    there = name(SECRETIVE)
    assert name('{"text": "${NOT_THERE}"}') == there
    assert name('{"text": "${ACCESS_TOKEN}"}') == there
    assert "run_name" in there


@pytest.mark.parametrize("payload", ['{"seen": "${HIDDEN_1}"}', '{"text": "${HIDDEN_1} ${run_name}"}'])
def test_what_is_sent_with_one_is_not_changed(
    project: Project, hook: Destination, member: Actor, payload: str
):
    """Another key of the JSON may be what a chat shows."""
    automation, fields = made_by(member, project, hook), AutomationFields(payload=payload)
    refused(lambda: change_automation(actor=member, automation=automation, fields=fields))


def test_what_holds_one_is_not_sent_elsewhere(
    project: Project, hook: Destination, other: Destination, member: Actor
):
    automation = made_by(member, project, hook)
    fields = AutomationFields(destination=other)
    refused(lambda: change_automation(actor=member, automation=automation, fields=fields))
    silent = AutomationFields(action="NO_OP")
    refused(lambda: change_automation(actor=member, automation=automation, fields=silent))


def test_all_else_of_an_automation_with_one_is_changed_and_the_secret_taken_out(
    project: Project, hook: Destination, other: Destination, member: Actor
):
    automation = made_by(member, project, hook)
    fields = AutomationFields(name="renamed", is_on=False, payload=SECRETIVE, destination=hook)
    assert change_automation(actor=member, automation=automation, fields=fields).name == "renamed"
    copy = copy_automation(actor=member, automation=automation, name="copy")
    assert (copy.payload, copy.destination) == (SECRETIVE, hook)
    fields = AutomationFields(payload='{"text": "${run_name}"}', destination=other)
    assert change_automation(actor=member, automation=automation, fields=fields).destination == other


def test_a_destination_that_uses_one_is_not_moved_or_changed(project: Project, keeper: Actor):
    hook = create_webhook(
        actor=SYSTEM, team=project.team, name="hook", url=URL, access_token_name="HIDDEN_1", template="{}"
    )
    changes: list[dict[str, str]] = [
        {"url": "https://evil.example.com/"},
        {"template": '{"text": "${ACCESS_TOKEN}"}'},
        {"template": '{"text": "${HIDDEN_2}"}'},
        {"signing_secret_name": "HIDDEN_2"},
        {"access_token_name": "HIDDEN_2"},
    ]
    for change in changes:
        refused(partial(change_destination, actor=keeper, destination=hook, **change))
    changed = change_destination(actor=keeper, destination=hook, name="renamed", is_on=False)
    assert (changed.name, changed.is_on) == ("renamed", False)
    free = change_destination(
        actor=keeper, destination=hook, access_token_name="", url="https://x.example.com/"
    )
    assert (free.access_token_name, free.place) == ("", "x.example.com")


def test_a_destination_to_which_automations_send_one_is_not_moved(
    project: Project, hook: Destination, keeper: Actor
):
    made_by(keeper, project, hook)
    move = {"url": "https://evil.example.com/"}
    refused(lambda: change_destination(actor=keeper, destination=hook, **move))
    Automation.objects.update(payload="")
    assert change_destination(actor=keeper, destination=hook, **move).place == "evil.example.com"


@pytest.mark.parametrize(
    "given", [{"access_token_name": "HIDDEN_1"}, {"signing_secret_name": "NO"}, {"preset": "pagerduty"}]
)
def test_a_new_destination_uses_none(project: Project, keeper: Actor, given: dict[str, str]):
    new: dict[str, Any] = {"team": project.team, "name": "new", "url": URL}
    refused(partial(create_webhook, actor=keeper, **new | given))
    assert create_webhook(actor=keeper, **new).place == "hooks.example.com"


def test_over_rest_it_is_403_and_nothing_is_made(project: Project, hook: Destination, member: Actor):
    key = {"Authorization": basic(make_key(project.team.memberships.get(user=member.user_id).user))}
    body = {
        "entity": "vision", "project": "cifar", "name": "a", "event": "RUN_STATE",
        "filter": {"run_state_filter": {"states": ["FAILED"]}}, "action": "GENERIC_WEBHOOK",
        "destination": hook.pk, "payload": SECRETIVE,
    }  # fmt: skip
    answer = Client().post("/api/v1/automations/", body, content_type="application/json", headers=key)
    assert (answer.status_code, "HIDDEN" in answer.content.decode()) == (403, False)
    assert not Automation.objects.exists()


def test_the_editor_says_so_beside_the_payload_and_keeps_what_was_typed(
    client: Client, project: Project, hook: Destination, member: Actor
):
    client.force_login(project.team.memberships.get(user=member.user_id).user)
    posted = STATE | {
        "scope": "cifar", "name": "a", "action": "GENERIC_WEBHOOK", "webhook": hook.pk,
        "payload": '{"text": "${SOME_SECRET}"}',
    }  # fmt: skip
    answer = client.post(f"{PAGE}/new", posted)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Only people who can manage the secrets of vision" in page
    assert "${SOME_SECRET}" in page
    assert "HIDDEN" not in page


def test_the_page_of_a_destination_lists_no_names_and_says_so(
    client: Client, project: Project, hook: Destination, keeper: Actor
):
    client.force_login(project.team.memberships.get(user=keeper.user_id).user)
    path = f"/teams/vision/destinations/{hook.pk}"
    assert "HIDDEN" not in client.get(path).content.decode()
    answer = client.post(path, {"name": "hook", "url": "", "preset": "", "template": SECRETIVE})
    assert answer.status_code == 422
    assert "Only people who can manage the secrets of vision" in answer.content.decode()
    assert "HIDDEN_2" not in answer.content.decode()
    ask = client.post(
        "/teams/vision/destinations/payload", {"template": json.dumps({"text": "${HIDDEN_1} ${NOT_THERE}"})}
    )
    assert "HIDDEN_2" not in ask.content.decode()
