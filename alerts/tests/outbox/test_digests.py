"""ALR-5 and the review's D3: a digest tells of every run of it, whatever the way it goes."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from access.actor import SYSTEM
from accounts.mail import outbox
from alerts.destinations.services import create_slack_webhook
from alerts.models import Destination
from alerts.notices.notice import Notice, NoticeLine
from alerts.payloads.presets import PRESETS
from alerts.payloads.templating import fill
from alerts.payloads.values import values_of_notice
from alerts.tests.peers import Peer, asks, ends, goes_to, told, webhook
from runs.lifecycle.alerts import send_alert
from runs.models import Project, Run
from runs.states import RunState
from tests.factories import ProjectFactory, RunFactory, SecretFactory, TeamFactory, UserFactory
from tests.fakes.slack import Slack
from tests.fakes.smtp import MailServer, html_of, text_of

pytestmark = pytest.mark.django_db
NAMES = ("finishing", "failing", "alerting")
SAYS = "at step 7, learning rate 0.1"


@pytest.fixture
def project() -> Project:
    ada = UserFactory(username="ada", email="ada@example.com")
    return ProjectFactory(team=TeamFactory(name="vision", admin=ada), name="cifar")


def happens(project: Project) -> list[Run]:
    """One run finishes, one fails, and of one code sends an alert, all at once."""
    runs: list[Run] = [RunFactory(project=project, uid=f"{name}1", display_name=name) for name in NAMES]
    ends(runs[0])
    ends(runs[1], RunState.FAILED)
    send_alert(
        actor=SYSTEM, run=runs[2], title="Loss is NaN", text="at step 7,\nlearning rate 0.1", level="WARN",
        wait=timedelta(),
    )  # fmt: skip
    return runs


def sent(project: Project, destination: Destination) -> None:
    goes_to(asks(project.team, "finished", "crashed", "scripted", by_email=False), destination)
    happens(project)
    told()


def strings(value: Any) -> Iterator[str]:
    """Yield every string of a payload: what its reader can come to see."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(part)


@pytest.mark.parametrize("preset", PRESETS)
def test_each_service_is_told_of_each_run(project: Project, listener: Peer, preset: str):
    """Name, link and what happened to each, and what the alert says."""
    SecretFactory(team=project.team, name="PAGERDUTY_ROUTING_KEY")
    sent(project, webhook(project.team, listener.url, preset=preset))
    [post] = listener.posts
    seen = " ".join(strings(post))
    for words in ("finishing finished", "failing failed", "alerting: Loss is NaN", "learning rate 0.1"):
        assert words in seen
    for name in NAMES:
        assert f"/vision/cifar/runs/{name}1" in seen


def test_programs_get_the_runs_as_json_and_no_kind_of_event_is_claimed(project: Project, listener: Peer):
    sent(project, webhook(project.team, listener.url))
    [post] = listener.posts
    assert (post["event"], post["run"]["id"], post["run_count"]) == ("SEVERAL", "", 3)
    assert (post["entity"], post["project"]) == ("vision", "cifar")
    told_of = {
        run["id"]: (run["event"], run["state"], run["level"], run["title"], run["text"])
        for run in post["runs"]
    }
    assert told_of == {
        "failing1": ("RUN_STATE", "failed", "ERROR", "failing failed", ""),
        "alerting1": (
            "RUN_ALERT",
            "running",
            "WARN",
            "alerting: Loss is NaN",
            "at step 7,\nlearning rate 0.1",
        ),
        "finishing1": ("RUN_STATE", "finished", "INFO", "finishing finished", ""),
    }
    assert post["runs"][0]["url"].endswith("/vision/cifar/runs/failing1")


def test_of_one_run_that_sent_an_alert_and_ended_neither_is_left_out(project: Project, listener: Peer):
    goes_to(asks(project.team, "finished", "scripted", by_email=False), webhook(project.team, listener.url))
    run = RunFactory(project=project, uid="k2x9", display_name="swift")
    send_alert(actor=SYSTEM, run=run, title="Done", text=SAYS, level="INFO", wait=timedelta())
    ends(run)
    told()
    [post] = listener.posts
    assert (post["event"], post["run"]["id"], post["text"]) == ("SEVERAL", "k2x9", SAYS)
    assert [(one["id"], one["text"]) for one in post["runs"]] == [("k2x9", SAYS)]


def test_a_mail_says_what_alerts_say(project: Project, smtp: MailServer):
    asks(project.team, "finished", "crashed", "scripted")
    happens(project)
    told()
    outbox.deliver_waiting()
    (mail,) = smtp.to("ada@example.com")
    for part in (text_of(mail), html_of(mail)):
        assert SAYS in part
        for name in NAMES:
            assert f"/vision/cifar/runs/{name}1" in part


def test_slack_says_what_alerts_say(project: Project, workspace: Slack):
    url = workspace.hook_url
    sent(project, create_slack_webhook(actor=SYSTEM, team=project.team, name="#training", url=url))
    [message] = workspace.messages
    seen = json.dumps(message, ensure_ascii=False)
    assert SAYS in seen
    for name in NAMES:
        assert f"/vision/cifar/runs/{name}1" in seen


@pytest.mark.parametrize("sign", ["x", "\u6f22", "\U0001f3c3"])
def test_the_limits_of_each_service_are_kept(sign: str):
    """Each refuses the whole message otherwise, so that nobody hears of any run."""
    lines = tuple(
        NoticeLine(words=f"{sign * 120} {number}", url=f"https://x/{number}", text=sign * 900)
        for number in range(300)
    )
    one = Notice(
        uid="u", title=sign * 900, text=sign * 9000, fields=tuple((sign * 200, sign * 900) for _ in range(60))
    )
    for notice in (one, Notice(uid="u", title=sign * 900, text="", lines=lines)):
        values = values_of_notice(notice) | {"topic": "t", "PAGERDUTY_ROUTING_KEY": "k"}
        sizes = {}
        for name, preset in PRESETS.items():
            payload = fill(preset.template, values)
            sizes[name] = len(payload.encode())
            if name == "discord":
                [embed] = json.loads(payload)["embeds"]
                fields = [(len(field["name"]), len(field["value"])) for field in embed["fields"]]
                assert len(embed["title"]) <= 256
                assert len(embed["description"]) <= 4096
                assert len(fields) <= 25
                assert all(label <= 256 and value <= 1024 for label, value in fields)
                assert len(embed["title"]) + len(embed["description"]) + sum(map(sum, fields)) <= 6000
            if name == "ntfy":
                assert len(json.loads(payload)["message"].encode()) <= 4096
        assert sizes["teams"] < 21_000  # what testers found; its documentation says 28 KB
        assert sizes["feishu"] < 20_000
        assert max(sizes.values()) < 64 * 1024


def test_of_more_runs_than_fit_it_is_said_how_many_there_are():
    nothing = values_of_notice(Notice(uid="u", title="resnet:v3", text="", variables={"alias": "best"}))
    assert (nothing["runs"], nothing["run_count"]) == ([], 0)
    lines = tuple(
        NoticeLine(words=f"run {number} failed", url=f"https://x/{number}") for number in range(300)
    )
    values = values_of_notice(Notice(uid="u", title="300 runs failed", text="", lines=lines))
    assert "run 19 failed https://x/19\nand 280 more runs" in values["text"]
    assert (values["run_count"], values["card_items"][-1]["text"]) == (300, "and 280 more runs")
    long = tuple(NoticeLine(words="x" * 400, url=f"https://x/{number}") for number in range(300))
    text = values_of_notice(Notice(uid="u", title="300 runs failed", text="", lines=long))["text"]
    assert text.endswith(f"and {300 - text.count('https')} more runs")
