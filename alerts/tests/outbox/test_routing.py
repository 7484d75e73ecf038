"""ALR-5: events become deliveries in messages that gather, exactly once, whoever routes and whenever."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from alerts import recipients
from alerts.models import Delivery, Event, Message, MessageState
from alerts.outbox import routing
from alerts.outbox.routing import route_pending
from alerts.tests.peers import asks, ends, goes_to, webhook
from automations.models import Automation
from runs.states import RunState
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db

NOW = timezone.now().replace(microsecond=0)


@pytest.fixture
def author():
    return UserFactory()


@pytest.fixture
def project(author):
    return ProjectFactory(team=TeamFactory(admin=author))


@pytest.fixture
def run(project, author):
    asks(author, "finished", "crashed")
    return RunFactory(project=project, user=author)


def at(seconds):
    return time_machine.travel(NOW + timedelta(seconds=seconds), tick=False)


def another(run):
    return ends(RunFactory(project=run.project, user=run.user))


def test_an_event_is_delivered_once_however_often_it_is_routed(run, author):
    """ALR-5."""
    ends(run)
    assert route_pending() == 1
    assert route_pending() == 0
    Event.objects.update(routed_at=None)
    route_pending()
    assert [row.recipient for row in Delivery.objects.all()] == [f"user:{author.pk}"]
    assert Event.objects.get().routed_at is not None


def test_events_gather_in_one_message_until_nothing_more_comes(run, settings):
    """ALR-5: ten seconds after the last, at most a minute after the first."""
    settings.ALERT_GATHER_S = 10
    turns = []
    ends(run)
    for second in (0, 9, 18, 27, 36, 45, 54, 59):
        with at(second):
            if second:
                another(run)
            route_pending()
            turns.append((Message.objects.get().send_at - NOW).total_seconds())
    assert turns == [10, 19, 28, 37, 46, 55, 60, 60]
    assert Delivery.objects.count() == 8


def test_a_message_that_is_being_sent_takes_nothing_more(run):
    """ALR-5."""
    ends(run)
    route_pending()
    Message.objects.update(is_open=False)
    another(run)
    route_pending()
    assert [message.deliveries.count() for message in Message.objects.order_by("pk")] == [1, 1]


def test_after_five_messages_in_ten_minutes_the_next_waits_until_they_are_over(run, author, settings):
    """Semantics 6: more are a digest."""
    settings.ALERT_GATHER_S = 10
    for minute in range(5):
        Message.objects.create(
            recipient=f"user:{author.pk}", user=author, state=MessageState.SENT, is_open=False, send_at=NOW,
            ended_at=NOW + timedelta(minutes=minute),
        )  # fmt: skip
    with at(5 * 60):
        ends(run)
        route_pending()
        assert Message.objects.get(is_open=True).send_at == NOW + timedelta(minutes=10)
    with at(10 * 60 - 5):
        another(run)
        route_pending()
        assert Message.objects.get(is_open=True).send_at == NOW + timedelta(minutes=10)
    with at(10 * 60 + 5):
        another(run)
        route_pending()
        assert Message.objects.get(is_open=True).send_at <= timezone.now()


def test_a_clock_that_jumped_back_keeps_no_message_from_gathering(run, settings):
    """ALR-5."""
    settings.ALERT_GATHER_S = 10
    with at(3600):
        ends(run)
        route_pending()
    with at(0):
        another(run)
        route_pending()
        assert Message.objects.get().send_at == NOW + timedelta(seconds=10)


def test_a_hundred_events_cost_as_many_statements_as_one(run, author):
    """ALR-5: for each batch, not for each event."""
    goes_to(asks(run.project.team, "finished"), webhook(run.project.team, "http://127.0.0.1/"))
    make_member(run.project.team)

    def cost(count):
        for _ in range(count):
            another(run)
        Message.objects.update(is_open=False)
        with CaptureQueriesContext(connection) as asked:
            assert route_pending() == count
        return len(asked)

    one, hundred = cost(1), cost(routing.BATCH)
    assert hundred == one <= 24
    assert Delivery.objects.count() == (1 + routing.BATCH) * 3


def test_an_event_that_nothing_can_be_made_of_stops_no_other(run, author, monkeypatch, caplog):
    """ALR-5."""
    ends(run)
    broken = another(run)
    last = another(run)
    asks_for = recipients.is_subscribed

    def fails(settings, event):
        if event.run_id == broken.pk:
            raise ZeroDivisionError
        return asks_for(settings, event)

    monkeypatch.setattr(recipients, "is_subscribed", fails)
    assert route_pending() == 3
    assert set(Delivery.objects.values_list("event__run", flat=True)) == {run.pk, last.pk}
    assert "nobody is told of it" in caplog.text
    assert not Event.objects.filter(routed_at=None).exists()


def test_a_webhook_of_an_automation_is_called_for_each_event_and_slack_gathers(run):
    """ALR-6."""
    team, state = run.project.team, {"state": ["CRASHED", "FAILED", "FINISHED", "KILLED"]}
    hook = webhook(team, "http://127.0.0.1/")
    for name, action in (("calls", "GENERIC_WEBHOOK"), ("posts", "NOTIFICATION"), ("notes", "NO_OP")):
        Automation.objects.create(
            team=team, project=run.project, name=name, event="RUN_METRIC", filter=state, action=action,
            destination=None if action == "NO_OP" else hook,
        )  # fmt: skip
    for automation in Automation.objects.all():
        for _ in range(2):
            Event.objects.create(
                kind="run_metric", team=team, project=run.project, run=run, automation=automation,
                data={"metric": "loss", "measured": 1.0, "threshold": 0.5},
            )  # fmt: skip
    route_pending()
    counted = {
        name: Message.objects.filter(automation__name=name).count() for name in ("calls", "posts", "notes")
    }
    assert counted == {"calls": 2, "posts": 1, "notes": 2}
    assert set(Message.objects.values_list("team", flat=True)) == {team.pk}


@pytest.mark.django_db(transaction=True)
def test_several_workers_that_route_at_once_deliver_each_event_once(settings):
    """ALR-5: on both databases."""
    settings.ALERT_GATHER_S = 10
    settings.CELERY_TASK_ALWAYS_EAGER = False
    author = UserFactory()
    project = ProjectFactory(team=TeamFactory(admin=author))
    asks(author, "crashed")
    hook = webhook(project.team, "http://127.0.0.1/")
    goes_to(asks(project.team, "crashed"), hook)
    runs = [RunFactory(project=project, user=author) for _ in range(30)]
    Event.objects.bulk_create(
        [
            Event(
                kind="run_state",
                team=project.team,
                project=project,
                run=run,
                data={"state": RunState.CRASHED, "before": "running"},
            )
            for run in runs
        ]
    )

    def work(_number):
        try:
            return route_pending()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(routing, "BATCH", 7)
        assert sum(pool.map(work, range(4))) == 30
    assert Delivery.objects.count() == 60
    assert sorted(Message.objects.values_list("recipient", flat=True)) == [
        f"destination:{hook.pk}", f"user:{author.pk}"
    ]  # fmt: skip
