"""RUN-3: runs that are recorded out of reach and sent later have the times of their own clock."""

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from access.actor import SYSTEM
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.lifecycle.timeline import timeline_of
from runs.models import Run
from runs.run_page.overview import about_facts
from runs.selectors import totals_of
from runs.states import RunState
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db

FRIDAY = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
HOUR = 3600.0
OFFLINE, LIVE = [4, 14], [14]


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(FRIDAY, tick=False) as traveller:
        yield traveller


@pytest.fixture
def project():
    return ProjectFactory()


def moment(hours_ago):
    return FRIDAY - timedelta(hours=hours_ago)


def config(*begins, features=OFFLINE):
    """Return the configuration of a run whose processes began some hours before Friday noon."""
    told = {f"w{at}": {"startedAt": moment(at).isoformat()} for at in begins}
    return json.dumps({"lr": {"value": 0.1}, "_wandb": {"value": {"e": told, "t": {"3": features}}}})


def summary(at, clock_s):
    """Return the summary of a line so many hours before Friday noon, at the end, after so many seconds of the clock."""
    line = {"_timestamp": moment(at).timestamp(), "_runtime": clock_s}
    return json.dumps({"loss": 1, **line, "_wandb": {"runtime": int(clock_s)}})


def begin(project, text, uid="away"):
    return lifecycle.log_run(actor=SYSTEM, project=project, uid=uid, fields=RunFields(config_text=text))[0]


def send(project, clock, *begins, ended, clock_s, exit_code=0, features=OFFLINE):
    """Sync a run as the SDK does: begun, told when, and ended within seconds."""
    run = begin(project, "{}")
    begin(project, config(*begins, features=features))
    clock.shift(2)
    write_group([post(run, summary=summary(ended, clock_s), complete=exit_code)])
    return Run.objects.select_related("pulse", "project__team", "user").get(pk=run.pk)


def hours(run):
    """Return when a run began and ended, in hours before Friday noon, and its hours of runtime and duration."""
    times = ((FRIDAY - at).total_seconds() / HOUR for at in (run.created_at, run.finished_at))
    return tuple(round(each, 2) for each in (*times, run.runtime_s / HOUR, run.duration_s / HOUR))


def test_a_synced_run_has_the_times_of_its_own(project, clock):
    run = send(project, clock, 100, ended=28, clock_s=72 * HOUR)
    assert hours(run) == (100, 28, 72, 72)
    assert (run.started_at, run.synced_at, run.arrived_at) == (run.created_at, FRIDAY, FRIDAY)
    assert run.pulse.heartbeat_at == FRIDAY + timedelta(seconds=2)
    assert totals_of(project)["seconds"] == 72 * HOUR
    changes = [
        (change.state, (FRIDAY - change.at).total_seconds() / HOUR) for change in run.state_changes.all()
    ]
    assert changes == [("running", 100), ("finished", 28)]


def test_a_synced_run_says_when_it_was_synced(project, clock):
    run = send(project, clock, 100, ended=28, clock_s=72 * HOUR)
    told = {fact.label: fact for fact in about_facts(run)}
    assert (told["Synced"].value, told["Synced"].detail) == (FRIDAY, "1d 04h 00m after the end")
    shown = timeline_of(run)
    assert [(event.label, event.noticed_late_s) for event in shown.events] == [
        ("Running", 0), ("Finished", 0), ("Synced", 0),
    ]  # fmt: skip
    assert next((stretch.state, stretch.seconds) for stretch in shown.stretches) == ("running", 72 * HOUR)


def test_a_run_may_go_on_after_its_last_line(project, clock):
    assert hours(send(project, clock, 100, ended=30, clock_s=72 * HOUR)) == (100, 28, 72, 72)


def test_syncing_again_changes_nothing(project, clock):
    first = send(project, clock, 100, ended=28, clock_s=72 * HOUR)
    clock.shift(3600)
    run = send(project, clock, 100, ended=28, clock_s=72 * HOUR)
    assert hours(run) == hours(first)
    assert (run.synced_at, run.state_changes.count()) == (FRIDAY, 4)
    assert [event.label for event in timeline_of(run).events] == ["Running", "Finished", "Synced"]


def test_a_run_that_is_synced_while_it_goes_on_grows(project, clock):
    send(project, clock, 10, ended=8, clock_s=2 * HOUR)
    clock.shift(7200)
    run = send(project, clock, 10, ended=-1, clock_s=11 * HOUR)
    assert hours(run) == (10, -1, 11, 11)


@pytest.mark.parametrize("parts", [[(100, 98), (50, 47)], [(50, 47), (100, 98)]])
def test_parts_are_put_together_in_any_order_without_the_pause(project, clock, parts):
    """As of a run that was resumed offline."""
    runs = [
        send(project, clock, begun, ended=ended, clock_s=(begun - ended) * HOUR) for begun, ended in parts
    ]
    assert hours(runs[-1]) == (100, 47, 53, 5)


def test_of_several_writers_the_earliest_begin_counts(project, clock):
    assert hours(send(project, clock, 20, 30, ended=10, clock_s=20 * HOUR)) == (30, 10, 20, 20)


def test_what_was_heard_live_stays_when_the_rest_is_synced(project, clock):
    """A client that was killed while it was away: its clock, an hour slow, moves nothing that the server knows."""
    run = begin(project, config(1, features=LIVE))
    clock.shift(1800)
    write_group([post(run)])
    clock.shift(3600)
    lifecycle.find_crashed_runs()
    clock.shift(86_400)
    run = send(project, clock, 1, ended=-0.75, clock_s=1.75 * HOUR, exit_code=1, features=[76])
    assert hours(run) == (0, -0.75, 0.75, 0.75)
    assert (run.synced_at, run.state) == (None, RunState.FAILED)


def test_a_live_run_has_the_servers_times_however_slow_its_clock_is(project, clock):
    run = begin(project, config(100, features=LIVE))
    clock.shift(3600)
    write_group([post(run, summary=summary(99, HOUR), complete=0)])
    run.refresh_from_db()
    assert hours(run) == (0, -1, 1, 1)
    assert run.synced_at is None


def test_a_synced_run_that_is_resumed_live_goes_on_by_the_servers_clock(project, clock):
    send(project, clock, 100, ended=28, clock_s=72 * HOUR)
    run = begin(project, config(100, 50, features=LIVE))
    clock.shift(3598)
    write_group([post(run, summary=summary(49, 73 * HOUR), complete=0)])
    run.refresh_from_db()
    assert hours(run) == (100, -1, 101, 73)


@pytest.mark.parametrize("begun", [-1, -1e5, 24 * 365 * 17])
def test_a_begin_that_cannot_be_is_ignored(project, clock, begun):
    """In the future, and before 2010."""
    run = send(project, clock, begun, ended=-1e5, clock_s=5)
    assert run.created_at == FRIDAY
    assert run.runtime_s == 2
    assert run.synced_at is None


def test_an_end_is_never_after_it_was_heard_of_nor_before_the_begin(project, clock):
    assert hours(send(project, clock, 10, ended=-5, clock_s=15 * HOUR)) == (10, 0, 10, 10)
    project = ProjectFactory()
    assert hours(send(project, clock, 10, ended=20, clock_s=0)) == (10, 10, 0, 0)


def test_a_sync_that_breaks_off_is_a_crash_as_of_what_came(project, clock):
    """RUN-2: it is active while data come, not taken for silent by its old times; what comes later completes it."""
    run = begin(project, config(100))
    clock.shift(200)
    write_group([post(run, summary=summary(60, 40 * HOUR))])
    clock.shift(200)
    assert lifecycle.find_crashed_runs() == 0
    clock.shift(200)
    assert lifecycle.find_crashed_runs() == 1
    run.refresh_from_db()
    assert (run.state, hours(run)) == (RunState.CRASHED, (100, 60, 40, 40))
    write_group([post(run, summary=summary(28, 72 * HOUR), complete=0)])
    run.refresh_from_db()
    assert (run.state, hours(run)) == (RunState.FINISHED, (100, 28, 72, 72))


def test_what_is_sent_of_a_killed_run_without_a_summary_ends_with_its_last_line(project, clock):
    run = begin(project, config(100))
    line = {"_step": 0, "_timestamp": moment(30).timestamp()}
    write_group([post(run, history=(0, [line]))])
    clock.shift(400)
    lifecycle.find_crashed_runs()
    run.refresh_from_db()
    assert hours(run) == (100, 30, 70, 70)


def test_a_synced_run_was_preempted_within_its_own_time(project, clock):
    run = begin(project, config(100))
    sent = post(run, summary=summary(28, 72 * HOUR), complete=143)
    sent.run.preempting = True
    clock.shift(2)
    write_group([sent])
    run.refresh_from_db()
    assert (run.state, hours(run)) == (RunState.PREEMPTED, (100, 28, 72, 72))
    assert [change.at <= run.finished_at for change in run.state_changes.all()] == [True] * 3
