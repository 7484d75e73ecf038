"""RUN-50: who is told that a sweep has finished, and what, by a real mail server."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from accounts.mail import outbox
from accounts.models import User
from alerts.events import with_runs
from alerts.lifecycle.sweep_follower import record_sweep_change
from alerts.models import Event, Mute
from alerts.recipients import event_recipients
from alerts.tests.peers import Peer, asks, ends, goes_to, told, webhook
from alerts.tests.sweeps import has_run, make_sweep
from runs.models import Project
from runs.states import RunState
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import change_state
from sweeps.models import Sweep
from sweeps.participants import SweepChange, SweepEvent
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, actor, make_member
from tests.fakes.smtp import MailServer, html_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada", email="ada@example.com")


@pytest.fixture
def project(ada: User) -> Project:
    return ProjectFactory(team=TeamFactory(name="vision", admin=ada), name="cifar")


@pytest.fixture
def sweep(project: Project, ada: User) -> Sweep:
    return make_sweep(project, ada)


def stop(sweep: Sweep, by: User | None = None, state: str = "FINISHED") -> None:
    change_state(actor=actor(by) if by else SYSTEM, sweep=sweep, state=state)


def recipients() -> list[str]:
    return sorted(one.key for one in event_recipients(list(with_runs(Event.objects.order_by("pk")))))


def test_a_mail_names_the_best_value_and_how_the_runs_ended_and_links_to_the_sweep(
    ada: User, sweep: Sweep, smtp: MailServer
) -> None:
    """RUN-50: as text and HTML."""
    asks(ada, "sweeps")
    best = has_run(sweep, loss=0.25)
    has_run(sweep, loss=0.5)
    has_run(sweep, RunState.FAILED)
    RunFactory(project=sweep.project, sweep=sweep.uid)
    stop(sweep)
    told()
    outbox.deliver_waiting()
    (mail,) = smtp.to("ada@example.com")
    assert mail["Subject"] == "[vision/cifar] lr-search was stopped"
    for part in (text_of(mail), html_of(mail)):
        assert "Best loss: 0.25" in part
        assert f"Best run: {best.display_name}" in part
        assert "Runs: 2 runs finished, 1 run failed, 1 unfinished" in part
        assert f"/vision/cifar/sweeps/{sweep.uid}" in part
        assert "Open the sweep" in part
        assert "because you turned on alerts for your sweeps." in part


def test_a_sweep_without_a_metric_and_without_runs_is_told_of(
    ada: User, sweep: Sweep, smtp: MailServer
) -> None:
    asks(ada, "sweeps")
    Sweep.objects.update(metric_name="")
    sweep.refresh_from_db()
    stop(sweep, state="CANCELED")
    told()
    outbox.deliver_waiting()
    (mail,) = smtp.to("ada@example.com")
    assert mail["Subject"] == "[vision/cifar] lr-search was canceled"
    assert "Best" not in text_of(mail)


def test_who_created_it_is_told_that_it_ended_and_nobody_who_did_not_ask(
    ada: User, project: Project, sweep: Sweep
) -> None:
    asks(make_member(project.team), "sweeps")
    asks(ada, "sweeps")
    stop(sweep)
    assert recipients() == [f"user:{ada.pk}"]


@pytest.mark.parametrize("state", ["FINISHED", "CANCELED"])
def test_who_ends_a_sweep_need_not_be_told(ada: User, sweep: Sweep, state: str) -> None:
    asks(ada, "sweeps")
    stop(sweep, ada, state)
    assert recipients() == []


def test_a_team_is_told_but_not_who_muted_it_or_ended_the_sweep(
    ada: User, project: Project, sweep: Sweep
) -> None:
    asks(project.team, "sweeps")
    mia, bob, eve = (make_member(project.team) for _ in range(3))
    Mute.objects.create(user=bob, project=project)
    Mute.objects.create(user=eve, team=project.team)
    stop(sweep, ada)
    assert recipients() == [f"user:{mia.pk}"]


def test_who_may_not_see_the_project_any_more_is_not_told(project: Project) -> None:
    ida = make_member(project.team, Preset.MEMBER)
    asks(ida, "sweeps")
    sweep = make_sweep(project, ida)
    stop(sweep)
    ida.memberships.all().delete()
    assert recipients() == []


def test_a_deleted_sweep_is_not_told_of(ada: User, sweep: Sweep) -> None:
    asks(ada, "sweeps")
    stop(sweep)
    delete_sweep(actor=SYSTEM, sweep=sweep, with_runs=False)
    assert recipients() == []


def test_a_route_with_a_tag_takes_no_sweeps(ada: User, project: Project, sweep: Sweep) -> None:
    settings = asks(ada, "sweeps", by_email=False)
    hook, tagged = (webhook(project.team, "https://example.com/", name) for name in ("hook", "tagged"))
    goes_to(settings, hook)
    goes_to(settings, tagged, tag="baseline")
    stop(sweep)
    assert recipients() == [f"destination:{hook.pk}"]


def test_runs_of_a_sweep_that_finish_or_are_stopped_are_not_told_one_by_one(ada: User, sweep: Sweep) -> None:
    """RUN-50: a sweep of a thousand runs, and those that it stops early, must not flood their author."""
    asks(ada, "sweeps", "finished", "killed", "crashed")
    for state in (RunState.FINISHED, RunState.KILLED):
        has_run(sweep, state, user=ada)
    assert recipients() == []
    has_run(sweep, RunState.FAILED, user=ada)
    ends(RunFactory(project=sweep.project, user=ada))
    assert recipients() == [f"user:{ada.pk}"] * 2


def test_who_does_not_ask_for_sweeps_is_told_of_their_runs_as_of_any(ada: User, sweep: Sweep) -> None:
    asks(ada, "finished")
    has_run(sweep, user=ada)
    assert recipients() == [f"user:{ada.pk}"]


def test_a_webhook_is_sent_the_values_of_the_sweep(
    ada: User, project: Project, sweep: Sweep, listener: Peer
) -> None:
    template = (
        '{"title": "${title}", "id": "${sweep_id}", "best": ${best_value}, '
        '"failed": ${failed_runs}, "run_count": ${run_count}}'
    )
    hook = webhook(project.team, listener.url, template=template)
    goes_to(asks(project.team, "sweeps", by_email=False), hook)
    has_run(sweep, loss=0.25)
    has_run(sweep, RunState.CRASHED)
    stop(sweep)
    told()
    assert listener.posts == [
        {"title": "lr-search was stopped", "id": sweep.uid, "best": 0.25, "failed": 1, "run_count": 0}
    ]


def test_a_digest_names_sweeps_before_runs(ada: User, sweep: Sweep, smtp: MailServer) -> None:
    asks(ada, "sweeps", "crashed")
    for _ in range(3):
        has_run(sweep, RunState.FAILED, user=ada)
    stop(sweep)
    told()
    outbox.deliver_waiting()
    (mail,) = smtp.to("ada@example.com")
    assert mail["Subject"] == "1 sweep ended, 3 runs failed in vision/cifar"
    text = text_of(mail)
    assert text.index("lr-search was stopped") < text.index(" failed\n")


def test_recent_mail_names_the_sweep_to_who_sees_it(ada: User, sweep: Sweep, client: Client) -> None:
    asks(ada, "sweeps")
    stop(sweep)
    told()
    client.force_login(ada)
    page = client.get("/settings/alerts").content.decode()
    assert "lr-search was stopped" in page
    delete_sweep(actor=SYSTEM, sweep=sweep, with_runs=False)
    assert "About a sweep you can no longer see" in client.get("/settings/alerts").content.decode()


@pytest.mark.parametrize("asked", [False, True])
def test_an_event_is_written_only_where_somebody_waits(ada: User, sweep: Sweep, asked: bool) -> None:
    if asked:
        asks(ada, "sweeps")
    stop(sweep)
    assert Event.objects.exists() is asked


def test_where_nobody_waits_the_end_of_a_sweep_costs_two_statements(sweep: Sweep) -> None:
    for event, statements in ((SweepEvent.FINISHED, 2), (SweepEvent.NEW_BEST, 1), (SweepEvent.RUN_ENDED, 1)):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            record_sweep_change(SweepChange(event, sweep))
        assert len(queries) == statements


def test_a_page_and_the_api_offer_the_switch(ada: User, client: Client) -> None:
    client.force_login(ada)
    client.post("/settings/alerts", {"part": "what", "on_sweeps": "on"})
    assert client.get("/api/v1/alert-settings/ada/").json()["on_sweeps"] is True
