"""ALR-5: many runs crash in the same minute: every one is told, none twice, in one digest for each recipient."""

from collections import Counter
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.mail import outbox
from alerts.models import Delivery, Event, Message, MessageState
from alerts.outbox.instrumentation import MESSAGES
from alerts.outbox.routing import route_pending
from alerts.outbox.sending import send_due
from alerts.tests.peers import asks, goes_to, webhook
from runs.lifecycle.services import find_crashed_runs
from runs.models import Pulse, Run, StateChange
from tests.factories import ProjectFactory, TeamFactory, UserFactory
from tests.suite.passes import amount

RUNS = amount("crashes in the same minute", 200, 1000)


def running(project, author):
    """Begin runs that are silent since."""
    silent_since = timezone.now() - timedelta(hours=1)
    runs = Run.objects.bulk_create(
        [
            Run(
                project=project, uid=f"lost{number}", number=number, display_name=f"lost-{number}", user=author,
                state="running", active_since=silent_since, started_at=silent_since,
            )
            for number in range(RUNS)
        ]
    )  # fmt: skip
    Pulse.objects.bulk_create([Pulse(run=run, heartbeat_at=silent_since) for run in runs])


@pytest.mark.django_db(transaction=True)
def test_crashes_at_once_are_one_message_for_each_recipient(settings, smtp, listener):
    """ALR-5."""
    settings.ALERT_GATHER_S = 600  # longer than a slow machine needs to notice them all
    settings.CELERY_TASK_ALWAYS_EAGER = False
    author, admin = UserFactory(email="ada@example.com"), UserFactory(email="boss@example.com")
    project = ProjectFactory(team=TeamFactory(name="vision", admin=admin), name="cifar")
    project.team.memberships.create(user=author, role=project.team.memberships.get().role)
    asks(author, "crashed")
    goes_to(asks(project.team, "crashed"), webhook(project.team, listener.url))
    running(project, author)
    sent = MESSAGES.labels("email", "sent")
    before = sent._value.get()

    assert find_crashed_runs() == RUNS
    assert StateChange.objects.count() == Event.objects.count() == RUNS
    assert route_pending() == RUNS
    told = Counter(Delivery.objects.values_list("event", "recipient"))
    assert len(told) == 3 * RUNS
    assert set(told.values()) == {1}
    assert Message.objects.count() == 3

    with time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
        assert send_due() == 3
        assert send_due() == 0
        outbox.deliver_waiting()
    assert set(Message.objects.values_list("state", flat=True)) == {MessageState.SENT}
    assert listener.titles == [f"{RUNS} runs crashed in vision/cifar"]
    for address in ("ada@example.com", "boss@example.com"):
        (mail,) = smtp.to(address)
        assert mail["Subject"] == f"{RUNS} runs crashed in vision/cifar"
    assert sent._value.get() == before + 2
