"""Automations that mail people: who gets it, what it says, and who is left out (ALR-6)."""

import pytest
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import OutboxMail, User
from alerts.models import Message, MessageState, Mute
from alerts.preferences.unsubscribe_links import read_token
from alerts.tests.peers import ends, told
from automations.models import ActionKind, Automation
from automations.services import AutomationFields, change_automation, copy_automation
from common.errors import Invalid
from runs.projects.services import change_visibility
from runs.states import RunState
from teams.models import Membership, Visibility
from tests.automations import make_automation, states
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return UserFactory(username="ada")


@pytest.fixture
def project(ada):
    return ProjectFactory(team=TeamFactory(name="vision", admin=ada), name="cifar")


@pytest.fixture
def bob(project):
    return make_member(project.team)


@pytest.fixture
def run(project, bob):
    return RunFactory(project=project, user=bob, display_name="nan-loss")


def mailing(project, **fields) -> Automation:
    return make_automation(project, "RUN_STATE", states("FAILED"), action="EMAIL", name="Failures", **fields)


def mailed() -> dict[str, OutboxMail]:
    """Return the mails of automations by their address."""
    OutboxMail.objects.all().delete()
    told()
    return {mail.to: mail for mail in OutboxMail.objects.filter(subject__contains="cifar")}


def fails(run):
    ends(run, RunState.FAILED)


def test_members_and_the_author_are_mailed_once_with_the_words_of_the_automation(project, run, ada, bob):
    mailing(
        project,
        mail_to=[ada, bob],
        mail_author=True,
        title="${run_name} is down",
        message="Look at ${run_url}",
    )
    fails(run)
    mails = mailed()
    assert mails.keys() == {ada.email, bob.email}
    mail = mails[ada.email]
    assert mail.subject == "[vision/cifar] nan-loss is down"
    assert f"/vision/cifar/runs/{run.uid}" in mail.text
    assert "email from the automation Failures of vision" in mail.text
    message = Message.objects.get(automation__name="Failures")
    assert message.state == MessageState.SENT
    assert set(message.request.split()) == {ada.email, bob.email}
    assert mailed() == {}


def test_a_storm_is_one_mail(project, bob, ada):
    mailing(project, mail_to=[ada])
    for _ in range(5):
        fails(RunFactory(project=project, user=bob))
    assert list(mailed()) == [ada.email]


def test_one_click_unsubscribes_from_the_mails_of_the_team(project, run, ada):
    mailing(project, mail_to=[ada])
    fails(run)
    link = mailed()[ada.email].headers["List-Unsubscribe"]
    token = link.strip("<>").rpartition("/")[2]
    assert read_token(token).team_ids == (project.team_id,)


@pytest.mark.parametrize("why", ["left", "muted team", "muted project", "inactive", "restricted"])
def test_who_may_not_see_the_run_or_wants_no_mail_gets_none(project, run, ada, why):
    carla = make_member(project.team, Preset.VIEW_ONLY)
    mailing(project, mail_to=[carla, ada])
    if why == "left":
        Membership.objects.filter(user=carla).delete()
    elif why == "inactive":
        User.objects.filter(pk=carla.pk).update(is_active=False)
    elif why == "restricted":
        change_visibility(actor=SYSTEM, project=project, visibility=Visibility.RESTRICTED)
        Mute.objects.create(user=ada, team=project.team)
    else:
        place = {"team": project.team} if why == "muted team" else {"project": project}
        Mute.objects.create(user=carla, **place)
    fails(run)
    assert carla.email not in mailed()


def test_nobody_left_to_mail_is_said(project, run, ada):
    mailing(project, mail_to=[ada])
    Mute.objects.create(user=ada, project=project)
    fails(run)
    assert mailed() == {}
    assert Message.objects.get(automation__name="Failures").state == MessageState.DROPPED


def test_recipients_are_members_and_there_is_one(project, ada):
    with pytest.raises(Invalid, match="the recipients of the email"):
        mailing(project)
    with pytest.raises(Invalid, match="not a member"):
        mailing(project, mail_to=[UserFactory()])
    made = mailing(project, mail_to=[ada])
    with pytest.raises(Invalid, match="the recipients of the email"):
        change_automation(actor=SYSTEM, automation=made, fields=AutomationFields(mail_to=[]))
    change_automation(actor=SYSTEM, automation=made, fields=AutomationFields(name="Other"))
    copy = copy_automation(actor=SYSTEM, automation=made, name="Copy")
    assert list(copy.mail_to.all()) == list(made.mail_to.all()) == [ada]
    change_automation(actor=SYSTEM, automation=made, fields=AutomationFields(action="NO_OP"))
    assert not made.mail_to.exists()


def test_the_editor_offers_members_and_keeps_who_was_chosen(client, project, ada, bob):
    client.force_login(ada)
    page = reverse("automations:automation_new", args=["vision", "cifar"])
    assert f'value="{bob.pk}"' in client.get(page).content.decode()
    form = {
        "event": "RUN_STATE", "states": ["FAILED"], "scope": "cifar", "action": "EMAIL", "mail_to": [bob.pk],
        "name": "Failures", "once_in_s": "86400", "is_on": "on",
    }  # fmt: skip
    refused = client.post(page, {**form, "mail_to": []})
    assert refused.status_code == 422
    assert "Choose the recipients of the email." in refused.content.decode()
    assert client.post(page, form).status_code == 302
    made = Automation.objects.get(name="Failures")
    assert (made.action, list(made.mail_to.all()), made.mail_author) == (ActionKind.EMAIL, [bob], False)
    shown = client.get(reverse("automations:automation", args=["vision", "cifar", made.pk])).content.decode()
    assert bob.username in shown


def test_rest_names_people_by_username(client, project, ada, bob):
    client.force_login(ada)
    body = {
        "entity": "vision", "project": "cifar", "name": "Failures", "event": "RUN_STATE",
        "filter": states("FAILED"), "action": "EMAIL", "mail_to": [bob.username],
    }  # fmt: skip
    made = client.post("/api/v1/automations/", body, content_type="application/json")
    assert (made.status_code, made.json()["mail_to"]) == (201, [bob.username])
    wrong = client.post(
        "/api/v1/automations/", {**body, "name": "b", "mail_to": ["nobody"]}, content_type="application/json"
    )
    assert wrong.status_code == 400
    assert "nobody" in wrong.json()["error"]["message"]
