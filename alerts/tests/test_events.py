"""ALR-1, ALR-5: an event is written with what happened or not at all, and costs the ingest one statement."""

from datetime import datetime, timedelta

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.actor import SYSTEM
from alerts import events
from alerts.models import Event, EventKind
from alerts.tests.peers import ends
from automations.models import Automation
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import history, post
from runs.lifecycle import participants
from runs.lifecycle import services as lifecycle
from runs.lifecycle.alerts import send_alert
from runs.lifecycle.participants import RunParticipant
from runs.models import Run
from runs.states import RunState
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


def alert(run, title="Low accuracy", level="WARN", wait=timedelta()):
    return send_alert(actor=SYSTEM, run=run, title=title, text="below 0.5", level=level, wait=wait)


@pytest.mark.parametrize("state", ["finished", "failed", "crashed", "killed"])
def test_an_end_is_an_event(state):
    """ALR-1."""
    run = RunFactory()
    ends(run, RunState(state))
    event = Event.objects.get(run=run)
    assert (event.kind, event.data["state"], event.data["before"]) == (EventKind.RUN_STATE, state, "running")
    assert (event.team, event.project) == (run.project.team, run.project)


def test_an_alert_of_code_is_an_event_unless_it_is_held_back():
    """ALR-1: wait_duration."""
    run = RunFactory()
    alert(run)
    alert(run, wait=timedelta(minutes=1))
    assert [event.data["title"] for event in Event.objects.all()] == ["Low accuracy"]


def test_other_changes_are_events_only_where_an_automation_waits_for_them():
    """ALR-6."""
    run = RunFactory()
    assert not Event.objects.exists()
    Automation.objects.create(
        team=run.project.team, project=run.project, name="began", event="RUN_STATE", action="NO_OP"
    )
    RunFactory(project=run.project)
    RunFactory()
    assert [event.data["state"] for event in Event.objects.all()] == ["running"]


def test_what_is_undone_was_no_event():
    """ALR-5."""
    run = RunFactory()
    with transaction.atomic():
        ends(run)
        transaction.set_rollback(True)
    assert not Event.objects.exists()


def test_the_end_of_a_run_costs_the_ingest_one_statement_more():
    """ALR-5: posts of other runs wait in the same transaction."""
    with CaptureQueriesContext(connection) as asked:
        write_group([post(RunFactory(), history=(0, history(0, 2)), complete=0)])
    about = [query["sql"] for query in asked.captured_queries if "alerts_" in query["sql"]]
    assert len([sql for sql in about if sql.startswith("INSERT")]) == 1
    assert len([sql for sql in about if "alerts_event" in sql]) == 1


def test_a_fault_of_alerts_does_not_cost_a_run_its_data(monkeypatch):
    """ALR-5: what is logged is stored in any case."""

    class Fails(RunParticipant):
        def state_changed(self, run: Run, before: str, at: datetime) -> None:
            raise ZeroDivisionError

    monkeypatch.setattr(participants, "_participants", [Fails(), *participants._participants])
    run = RunFactory()
    write_group([post(run, history=(0, history(0, 2)), complete=0)])
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


@pytest.mark.django_db(transaction=True)
def test_a_transaction_asks_the_worker_once_and_a_lost_redis_is_no_error(settings, caplog):
    """ALR-5: the schedule does it anyway."""
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    run = RunFactory()
    ends(run)
    assert Event.objects.get().routed_at is None
    assert "the schedule will" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_an_event_is_routed_right_after_the_commit():
    """ALR-5: the usual delay is only the gathering."""
    ends(RunFactory())
    assert Event.objects.get().routed_at is not None
    assert cache.get("alerts.route-asked") is None


def test_who_stops_a_waiting_run_is_known():
    """ALR-1: the request is noted before the end."""
    run = RunFactory()
    ends(run, RunState.PENDING)
    lifecycle.stop_run(actor=SYSTEM, run=run)
    event = Event.objects.get()
    assert event.data["state"] == RunState.KILLED
    assert event.data["stop_requested_at"] <= timezone.now().isoformat()


class FakeTask:
    """Takes the place of a Celery signature."""

    def __init__(self) -> None:
        self.waits: list[int] = []

    def apply_async(self, *, countdown: int) -> None:
        self.waits.append(countdown)


def test_the_first_of_a_burst_is_routed_at_once_and_the_rest_together(monkeypatch):
    """A look for each of many runs that end would cost more than their ends."""
    task = FakeTask()
    monkeypatch.setattr(events, "signature", lambda _: task)
    cache.delete_many([events.ROUTE_REQUESTED, events._REQUESTED_LATELY])
    events.route_soon()
    events.route_soon()  # the worker has not begun
    assert task.waits == [0]
    cache.delete(events.ROUTE_REQUESTED)  # it begins
    events.route_soon()
    events.route_soon()
    assert task.waits == [0, events.BURST_S]
    cache.delete_many([events.ROUTE_REQUESTED, events._REQUESTED_LATELY])
