"""Automations on metrics act once for a run, whatever comes how (ALR-6)."""

from collections import OrderedDict
from datetime import timedelta
from unittest.mock import Mock

import pytest
import time_machine
from django.db import DatabaseError
from django.utils import timezone

from access.actor import SYSTEM
from alerts.models import Event, EventKind
from automations.evaluation import watcher as watching
from automations.evaluation.rules import RuleBook, Rules
from automations.evaluation.watcher import Watcher
from automations.models import Automation, AutomationRun, MetricCursor
from metrics.ingest.branching import fork_run, rewind_run
from metrics.ingest.listeners import attach_observer, detach_observer
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.store import compaction
from metrics.tests.ingest.test_ingest import post
from runs.lifecycle.fields import RunFields
from runs.lifecycle.services import update_run
from tests.automations import change, make_automation, run_filter, threshold, zscore
from tests.factories import ProjectFactory, RunFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def watcher():
    """A process that looks when told to."""
    found = Watcher()
    attach_observer(found.take)
    yield found
    detach_observer(found.take)


def rows_of(values, start=0, key="loss", **more):
    return [
        {"_step": step, "_timestamp": 1000.0 + step, "_runtime": float(step), key: value, **more}
        for step, value in enumerate(values, start)
    ]


def log(run, values, start=0, key="loss", **more):
    write_group([post(run, history=(start, rows_of(values, start, key)), **more)])


def acted(automation):
    """The steps at which an automation acted, by run."""
    return [
        (event.run_id, event.data["step"])
        for event in Event.objects.filter(automation=automation).order_by("pk")
    ]


def test_a_value_over_the_threshold_is_acted_on_with_what_is_known_of_it(watcher):
    run = RunFactory()
    automation = make_automation(run.project)
    log(run, [1, 2, 11, 12])
    watcher.look()
    [event] = Event.objects.all()
    assert (event.kind, event.automation, event.run, event.project) == (
        EventKind.RUN_METRIC, automation, run, run.project,
    )  # fmt: skip
    assert event.data == {
        "event": "RUN_METRIC", "condition": threshold()["run_metric_filter"], "metric": "loss",
        "kind": "history", "row": 2, "step": 2, "value": 11.0, "measured": 11.0, "threshold": 10,
    }  # fmt: skip
    automation.refresh_from_db()
    assert automation.last_fired_at == event.at


def test_what_does_not_pass_the_threshold_is_left_alone(watcher):
    automation = make_automation((run := RunFactory()).project)
    log(run, [1, 10, float("nan")])
    watcher.look()
    assert acted(automation) == []


def test_a_run_is_acted_on_once_in_its_time_and_then_again(watcher):
    run = RunFactory()
    automation = make_automation(run.project, once_in_s=3600)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for step in range(3):
            log(run, [11], step)
            watcher.look()
        clock.shift(timedelta(hours=1, seconds=1))
        log(run, [11], 3)
        watcher.look()
    assert acted(automation) == [(run.pk, 0), (run.pk, 3)]


def test_each_run_is_acted_on_by_itself(watcher):
    project = ProjectFactory()
    automation = make_automation(project)
    runs = [RunFactory(project=project) for _ in range(3)]
    write_group([post(run, history=(0, rows_of([number * 9]))) for number, run in enumerate(runs)])
    watcher.look()
    assert acted(automation) == [(runs[2].pk, 0)]


def test_an_automation_of_a_team_looks_at_all_its_projects_and_no_other(watcher):
    one = ProjectFactory()
    other = ProjectFactory(team=one.team)
    automation = make_automation(one, is_of_team=True)
    runs = [RunFactory(project=project) for project in (one, other, ProjectFactory())]
    for run in runs:
        log(run, [11])
    watcher.look()
    assert acted(automation) == [(runs[0].pk, 0), (runs[1].pk, 0)]


def test_an_automation_of_a_project_leaves_other_projects_alone(watcher):
    one = ProjectFactory()
    automation = make_automation(one)
    log(RunFactory(project=ProjectFactory(team=one.team)), [11])
    watcher.look()
    assert acted(automation) == []


def test_only_runs_that_are_asked_for_are_acted_on(watcher):
    project = ProjectFactory()
    automation = make_automation(project, filter=threshold(runs=run_filter(display_name="good")))
    good, bad = (
        RunFactory(project=project, display_name="good"),
        RunFactory(project=project, display_name="bad"),
    )
    log(good, [11])
    log(bad, [11])
    watcher.look()
    assert acted(automation) == [(good.pk, 0)]


def test_a_run_that_comes_to_be_asked_for_is_acted_on_a_little_later(watcher):
    run = RunFactory(display_name="bad")
    automation = make_automation(run.project, filter=threshold(runs=run_filter(display_name="good")))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        log(run, [11])
        watcher.look()
        update_run(actor=SYSTEM, run=run, fields=RunFields(display_name="good"))
        clock.shift(timedelta(seconds=6))
        log(run, [11], 1)
        watcher.look()
    assert acted(automation) == [(run.pk, 1)]


def test_system_metrics_are_looked_at_too(watcher):
    run = RunFactory()
    automation = make_automation(run.project, filter=threshold("system.gpu.0.temp", "$gte", 90))
    write_group(
        [
            post(
                run,
                system=(0, [{"_timestamp": 1000.0 + n, "system.gpu.0.temp": 80 + n * 5} for n in range(4)]),
            )
        ]
    )
    watcher.look()
    [event] = Event.objects.filter(automation=automation)
    assert (event.data["kind"], event.data["row"], event.data["value"]) == ("system", 2, 90)


def test_nested_and_infinite_values_are_values(watcher):
    run = RunFactory()
    automation = make_automation(run.project, filter=threshold("val.loss", "$gt", 5))
    write_group(
        [
            post(
                run,
                history=(
                    0,
                    [{"_step": 0, "val": {"loss": 1.0}}, {"_step": 1, "val": {"loss": float("inf")}}],
                ),
            )
        ]
    )
    watcher.look()
    [event] = Event.objects.filter(automation=automation)
    assert (event.data["row"], event.data["value"]) == (1, "Infinity")


def test_windows_reach_over_posts_and_over_rows_without_the_metric(watcher):
    run = RunFactory()
    automation = make_automation(run.project, filter=threshold(agg="AVERAGE", window=3, limit=5))
    log(run, [9, 9])
    watcher.look()
    assert acted(automation) == []
    log(run, [1, 2, 3], 2, key="other")
    watcher.look()
    log(run, [9], 5)
    watcher.look()
    assert acted(automation) == [(run.pk, 5)]


def test_a_replay_counts_no_value_twice(watcher):
    run = RunFactory()
    automation = make_automation(run.project, filter=threshold(agg="AVERAGE", window=3, limit=5))
    for _ in range(3):
        log(run, [9])
        watcher.look()
    assert acted(automation) == []


@pytest.mark.parametrize(
    ("event", "wanted", "series"),
    [
        ("RUN_METRIC", threshold(agg="MIN", window=2, limit=5), ([9, 1, 9, 9], 3)),
        ("RUN_METRIC", threshold(agg="MAX", window=2, limit=5, comparison="$lt"), ([9, 1, 2], 2)),
        ("RUN_METRIC", threshold(limit=3, comparison="$ne"), ([3, 3, 4], 2)),
        ("RUN_METRIC_CHANGE", change(amount=5), ([1, 3, 8], 2)),
        ("RUN_METRIC_CHANGE", change(amount=0.5, kind="RELATIVE", direction="DECREASE"), ([4, 6, 3], 2)),
        ("RUN_METRIC_CHANGE", change(amount=2, agg="AVERAGE", window=2, prior=2), ([1, 1, 1, 4, 4], 4)),
        ("RUN_METRIC_ZSCORE", zscore(), ([1, 2, 1, 2, 1, 2, 9], 6)),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_each_kind_of_condition_is_met_where_it_is_first_met(watcher, event, wanted, series, size):
    values, step = series
    run = RunFactory()
    automation = make_automation(run.project, event, wanted)
    for start in range(0, len(values), size):
        log(run, values[start : start + size], start)
        watcher.look()
    assert acted(automation) == [(run.pk, step)]


def test_two_processes_act_once(watcher):
    run = RunFactory()
    automation = make_automation(run.project)
    other = Watcher()

    def take(rows):
        watcher.take(rows)
        other.take(rows)

    attach_observer(take)
    try:
        log(run, [11])
    finally:
        attach_observer(watcher.take)
    watcher.look()
    other.look()
    assert acted(automation) == [(run.pk, 0)]


def test_what_another_process_wrote_is_seen_by_the_numbers_of_rows(watcher):
    run = RunFactory()
    automation = make_automation(run.project, filter=threshold(agg="AVERAGE", window=3, limit=5))
    log(run, [9])
    watcher.look()
    detach_observer(watcher.take)
    log(run, [9], 1)
    attach_observer(watcher.take)
    log(run, [9], 2)
    watcher.look()
    assert acted(automation) == [(run.pk, 2)]


def test_what_is_too_much_to_keep_is_read_from_the_store(watcher, monkeypatch):
    monkeypatch.setattr(watching, "MOST_NUMBERS", 6)
    run = RunFactory()
    automation = make_automation(run.project)
    log(run, [1])
    log(run, [11], 1)
    log(run, [1], 2)
    watcher.look()
    assert acted(automation) == [(run.pk, 1)]


@pytest.mark.parametrize("is_packed", [False, True])
def test_after_a_kill_the_next_process_looks_at_what_was_not_looked_at(
    watcher, monkeypatch, tmp_path, settings, is_packed
):
    settings.SEGMENT_ROOT = tmp_path
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 2)
    run = RunFactory()
    automation = make_automation(run.project, filter=threshold(agg="AVERAGE", window=3, limit=5))
    log(run, [9, 1, 9])
    watcher.look()
    watcher.store_cursors()
    assert acted(automation) == [(run.pk, 2)]
    Event.objects.all().delete()
    AutomationRun.objects.all().delete()
    log(run, [9], 3)  # committed, and its process killed before it looked
    if is_packed:
        compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
    Watcher().catch_up()
    assert acted(automation) == [(run.pk, 3)]


def test_a_run_younger_than_the_automation_loses_nothing_before_its_first_cursor(watcher):
    project = ProjectFactory()
    automation = make_automation(project)
    run = RunFactory(project=project)
    detach_observer(watcher.take)
    log(run, [11])
    attach_observer(watcher.take)
    log(run, [1], 1)
    watcher.look()
    assert acted(automation) == [(run.pk, 0)]


def test_after_a_kill_runs_that_had_no_cursor_yet_are_looked_at_too():
    project = ProjectFactory()
    before = RunFactory(project=project)
    automation = make_automation(project)
    after = RunFactory(project=project)
    for run in (before, after):
        log(run, [11])  # what committed it was killed before it looked
    Watcher().catch_up()
    assert acted(automation) == [(before.pk, 0), (after.pk, 0)]


def test_what_was_logged_before_the_automation_was_made_is_not_acted_on(watcher):
    run = RunFactory()
    log(run, [11, 11])
    automation = make_automation(run.project)
    log(run, [1], 2)
    watcher.look()
    assert acted(automation) == []
    assert MetricCursor.objects.get(run=run, kind=StreamKind.HISTORY).row == 2


@pytest.mark.parametrize("others", [[], ["elsewhere"], ["elsewhere", "here"]])
def test_what_is_logged_right_after_the_automation_was_created_is_acted_on(watcher, others):
    run = RunFactory()
    for where in others:
        make_automation(run.project if where == "here" else ProjectFactory(), filter=threshold(limit=100))
    log(run, [11])
    watcher.look()
    automation = make_automation(run.project)
    log(run, [1, 12], 1)  # and nothing more, ever
    watcher.look()
    assert acted(automation) == [(run.pk, 2)]


def test_rows_wait_while_the_database_does_not_answer(watcher, monkeypatch):
    run = RunFactory()
    automation = make_automation(run.project)
    log(run, [11])
    with monkeypatch.context() as patched:
        patched.setattr(RuleBook, "any", Mock(side_effect=DatabaseError))
        with pytest.raises(DatabaseError):
            watcher.look()
    watcher.look()
    assert acted(automation) == [(run.pk, 0)]


def test_windows_of_a_new_automation_hold_what_was_logged_before(watcher):
    run = RunFactory()
    log(run, [9, 9])
    automation = make_automation(run.project, filter=threshold(agg="AVERAGE", window=3, limit=5))
    log(run, [9], 2)
    watcher.look()
    assert acted(automation) == [(run.pk, 2)]


def test_what_was_logged_while_nothing_was_watched_is_not_acted_on(watcher):
    run = RunFactory()
    first = make_automation(run.project)
    log(run, [1])
    watcher.look()
    watcher.store_cursors()
    first.delete()
    log(run, [11], 1)
    automation = make_automation(run.project)
    log(run, [1], 2)
    Watcher().catch_up()
    watcher.book, watcher.watched = RuleBook(), OrderedDict()  # as some seconds later
    watcher.look()
    assert acted(automation) == []


def test_the_history_that_a_fork_begins_with_is_its_parents(watcher):
    project = ProjectFactory()
    automation = make_automation(project, filter=threshold(agg="AVERAGE", window=2, limit=10))
    parent, child = RunFactory(project=project), RunFactory(project=project)
    detach_observer(watcher.take)
    log(parent, [11, 11, 9])
    attach_observer(watcher.take)
    fork_run(actor=SYSTEM, run=child, parent_uid=parent.uid, step=2)
    log(child, [1], 3)
    watcher.look()
    log(child, [30], 4)
    watcher.look()
    assert acted(automation) == [(child.pk, 4)]


def test_a_run_that_was_rewound_is_looked_at_from_where_it_goes_on(watcher):
    run = RunFactory()
    automation = make_automation(run.project)
    log(run, [1, 1, 1])
    watcher.look()
    rewind_run(actor=SYSTEM, run=run, step=0)
    log(run, [11], 1)
    watcher.look()
    assert acted(automation) == [(run.pk, 1)]


def test_an_automation_that_is_off_or_deleted_does_nothing(watcher):
    run = RunFactory()
    automation = make_automation(run.project, is_on=False)
    log(run, [11])
    watcher.look()
    assert acted(automation) == []


def test_nothing_is_kept_of_runs_without_automations(watcher):
    make_automation(ProjectFactory())
    log(RunFactory(), [11])
    watcher.look()
    assert not watcher.watched


def test_an_automation_that_cannot_be_read_does_not_stop_the_others(watcher, caplog):
    run = RunFactory()
    broken, automation = make_automation(run.project), make_automation(run.project)
    Automation.objects.filter(pk=broken.pk).update(filter={"run_metric_filter": 3})
    log(run, [11])
    watcher.look()
    assert (acted(broken), acted(automation)) == ([], [(run.pk, 0)])
    assert "is left out" in caplog.text


def test_a_run_that_cannot_be_looked_at_does_not_stop_the_others(watcher, caplog, monkeypatch):
    bad, good = RunFactory(), RunFactory()
    automations = [make_automation(run.project) for run in (bad, good)]
    real = Rules.plan

    def failing(self, keys):
        if any(rule.automation == automations[0] for rule in self.rules):
            raise ZeroDivisionError
        return real(self, keys)

    monkeypatch.setattr(Rules, "plan", failing)
    log(bad, [11])
    log(good, [11])
    watcher.look()
    assert [acted(automation) for automation in automations] == [[], [(good.pk, 0)]]
    assert "skip rows" in caplog.text
