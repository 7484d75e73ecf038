"""ALR-3, ALR-5, wish 80: what mails and messages say, by a real mail server."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from access.actor import SYSTEM
from accounts.mail import outbox
from accounts.models import OutboxMail
from alerts.models import Event, Message
from alerts.outbox.instrumentation import waiting
from alerts.preferences.unsubscribe_links import read_token
from alerts.tests.peers import asks, ends, goes_to, told, webhook
from automations.models import Automation
from runs.lifecycle.alerts import send_alert
from runs.models import Pulse
from runs.states import RunState
from tests.automations import met, threshold
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory
from tests.fakes.smtp import html_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def author():
    return UserFactory(username="ada", email="ada@example.com")


@pytest.fixture
def project(author):
    return ProjectFactory(team=TeamFactory(name="vision", admin=author), name="cifar")


@pytest.fixture
def run(project, author):
    asks(author, "finished", "crashed", "scripted")
    return RunFactory(project=project, user=author, display_name="nan-loss", uid="k2x9")


def alert(run, title="Loss is NaN", text="at step 7", level="ERROR"):
    send_alert(actor=SYSTEM, run=run, title=title, text=text, level=level, wait=timedelta())


def mails(smtp):
    told()
    outbox.deliver_waiting()
    return smtp.to("ada@example.com")


def test_a_mail_names_project_and_run_and_links_to_it(run, smtp):
    """ALR-3: HTML and text."""
    Pulse.objects.update(summary_flat={"loss": 0.25, "_step": 7, "acc": 0.5, "name": "x", "steps": 1000})
    ends(run, RunState.CRASHED)
    (mail,) = mails(smtp)
    assert mail["Subject"] == "[vision/cifar] nan-loss crashed"
    for part in (text_of(mail), html_of(mail)):
        assert "http://localhost:8000/vision/cifar/runs/k2x9" in part
        assert "loss: 0.25" in part
        assert "steps: 1,000" in part
        assert "_step" not in part
        assert "http://localhost:8000/settings/alerts" in part
        assert "http://localhost:8000/unsubscribe/" in part
        assert "you turned on alerts for your runs" in part


def test_a_mail_can_be_unsubscribed_by_one_click(run, author, smtp):
    """ALR-3, RFC 8058: the token says whose and why."""
    asks(run.project.team, "finished")
    ends(run)
    (mail,) = mails(smtp)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    url = mail["List-Unsubscribe"].strip(" <>")
    token = url.removeprefix("http://localhost:8000/unsubscribe/")
    subscription = read_token(token)
    assert (subscription.user_id, subscription.is_own) == (author.pk, True)
    assert subscription.team_ids == (run.project.team.pk,)
    assert "because of the alerts of: vision" in text_of(mail)


def test_a_mail_keeps_its_message_id_in_every_attempt(run, smtp):
    """ALR-5: mail programs know a repeat by it."""
    ends(run)
    smtp.refuses = "451 try later"
    mails(smtp)
    with time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
        row = Message.objects.get().mail
        assert row is not None
        smtp.refuses = ""
        outbox.deliver_waiting()
    (mail,) = smtp.mails
    assert mail["Message-ID"] == row.headers["Message-ID"]
    assert mail["Message-ID"].endswith("@localhost>")


def test_an_alert_is_told_with_its_text_as_it_was_written(run, smtp):
    """ALR-1: nothing in it becomes a part of the page."""
    alert(run, title="Loss\nis NaN", text="<b>step</b> 7\n\n-- \nSee:\nhttps://evil.example.com")
    (mail,) = mails(smtp)
    assert mail["Subject"] == "[vision/cifar] nan-loss: Loss is NaN"
    assert "&lt;b&gt;step&lt;/b&gt; 7" in html_of(mail)
    assert 'href="https://evil.example.com"' not in html_of(mail)


def test_an_alert_and_the_end_of_its_run_are_one_mail(run, smtp):
    """Wish 80."""
    alert(run)
    ends(run, RunState.FAILED)
    (mail,) = mails(smtp)
    assert mail["Subject"] == "[vision/cifar] nan-loss failed: Loss is NaN"
    assert "at step 7" in text_of(mail)


def test_several_alerts_of_a_run_are_told_together(run, smtp):
    """Wish 80."""
    alert(run)
    alert(run, title="Disk is full", text="/data")
    (mail,) = mails(smtp)
    assert mail["Subject"] == "[vision/cifar] nan-loss: Loss is NaN and 1 more alert"
    assert "Disk is full\n/data" in text_of(mail)


def test_many_runs_are_a_digest_with_the_worst_first(run, author, smtp):
    """ALR-5: counts, up to twenty lines with links, and how many more."""
    ends(run)
    for number in range(24):
        one = RunFactory(project=run.project, user=author, uid=f"run{number}x", display_name=f"lost-{number}")
        ends(one, RunState.CRASHED)
        if number == 0:
            alert(one, title="Lost", level="INFO")
    (mail,) = mails(smtp)
    assert mail["Subject"] == "1 run finished, 24 runs crashed, 1 run sent alerts in vision/cifar"
    text = text_of(mail)
    assert text.count("/vision/cifar/runs/run") == 20
    assert "and 5 more runs" in text
    assert "nan-loss" not in text
    assert "Open Runyard:\nhttp://localhost:8000/vision/cifar\n" in text


def test_a_digest_of_several_projects_says_how_many(run, author, smtp):
    """ALR-5."""
    ends(run)
    ends(RunFactory(project=ProjectFactory(team=run.project.team), user=author))
    (mail,) = mails(smtp)
    assert mail["Subject"] == "2 runs finished in 2 projects"


def test_it_is_written_in_the_language_of_whoever_gets_it(run, author, smtp):
    """UI-9."""
    author.language = "ja"
    author.save()
    ends(run)
    (mail,) = mails(smtp)
    assert "nan-loss" in mail["Subject"]
    assert 'lang="ja"' in html_of(mail)


def test_without_a_mail_server_operators_read_it(run, settings):
    """ALR-3: the outbox keeps what would have been sent."""
    settings.EMAIL_BACKEND = "accounts.mail.outbox.OutboxBackend"
    ends(run)
    told()
    outbox.deliver_waiting()
    kept = OutboxMail.objects.get(to="ada@example.com")
    assert (kept.subject, kept.kept_at is not None) == ("[vision/cifar] nan-loss finished", True)
    assert "List-Unsubscribe" in kept.headers


def test_webhooks_are_told_the_same_with_variables(run, listener):
    """ALR-4, ALR-7."""
    goes_to(asks(run.project.team, "finished", by_email=False), webhook(run.project.team, listener.url))
    ends(run)
    told()
    (said,) = listener.posts
    assert (said["title"], said["event"], said["level"]) == ("nan-loss finished", "RUN_STATE", "INFO")
    assert said["run"]["id"] == "k2x9"
    assert said["values"]["Project"] == "vision/cifar"


def test_several_events_of_an_automation_are_told_under_its_name(run, listener):
    """ALR-6."""
    automation = Automation.objects.create(
        team=run.project.team, project=run.project, name="watch", event="RUN_METRIC", action="NOTIFICATION",
        filter=threshold(limit=0.5, agg="AVERAGE", window=3), destination=webhook(run.project.team, listener.url),
    )  # fmt: skip
    for one in (run, RunFactory(project=run.project, uid="other")):
        Event.objects.create(
            kind="run_metric", team=run.project.team, project=run.project, run=one, automation=automation,
            data=met(automation, 1.0),
        )  # fmt: skip
    told()
    assert listener.titles == ["watch: 2 runs in vision/cifar"]
    assert [one["text"] for one in listener.posts[0]["runs"]] == [
        "The mean of the last 3 values of loss was 1, above 0.5."
    ] * 2


def test_metrics_tell_what_waits_and_what_became_of_messages(run, listener):
    """OPS: nothing names a person."""
    with time_machine.travel(timezone.now() - timedelta(seconds=90)):
        ends(run)
    families = {family.name: family.samples[0].value for family in waiting()}
    assert families["runyard_alert_events_waiting"] == 1
    assert families["runyard_alert_oldest_waiting_seconds"] >= 89
    told()
    families = {family.name: family.samples[0].value for family in waiting()}
    assert set(families.values()) == {0.0}


def test_operators_see_what_failed_and_send_it_again(run, listener):
    """TEAM-21, ALR-5: destinations without their addresses."""
    hook = webhook(run.project.team, listener.url)
    goes_to(asks(run.project.team, "finished", by_email=False), hook)
    listener.status = 400
    ends(run)
    told()
    client = Client()
    client.force_login(UserFactory(username="boss", is_operator=True))
    failed = Message.objects.get(state="failed")
    page = client.get(f"/admin/alerts/message/{failed.pk}/change/")
    assert "400" in page.text
    assert hook.sealed_url not in client.get(f"/admin/alerts/destination/{hook.pk}/change/").text
    assert client.post(f"/admin/alerts/message/{failed.pk}/do/retry/").status_code == 302
    listener.status = 200
    told()
    failed.refresh_from_db()
    assert failed.state == "sent"
