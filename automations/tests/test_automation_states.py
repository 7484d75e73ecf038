"""Which automations events of runs and artifacts concern (ALR-6)."""

from datetime import timedelta

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from access.actor import SYSTEM
from alerts.models import Event, EventKind
from automations.evaluation.preview import preview
from automations.evaluation.rules import metric_automations
from automations.firing.matching import matching
from automations.firing.notices import fill_text, notice_for
from automations.firing.services import Occasion, fire_many
from automations.models import Automation, AutomationRun
from automations.services import AutomationFields, change_automation
from common.errors import NotFound
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.states import RunState
from teams.members.services import remove_member
from teams.models import Visibility
from tests.automations import change, make_automation, met, run_filter, states, threshold
from tests.factories import (
    DestinationFactory,
    ProjectFactory,
    RunFactory,
    UserFactory,
    actor,
    make_member,
)

pytestmark = pytest.mark.django_db


def event_of(run, state="failed"):
    return Event.objects.create(
        kind=EventKind.RUN_STATE, team=run.project.team, project=run.project, run=run,
        data={"state": state, "before": "running"},
    )  # fmt: skip


def artifact_event(project, event="ADD_ARTIFACT_ALIAS", **data):
    return Event.objects.create(
        kind=EventKind.ARTIFACT, team=project.team, project=project, data={"event": event, **data}
    )


def fire(automation, run, *, data):
    return next(iter(fire_many([Occasion(automation, run, data)])), None)


def matched(*events):
    with transaction.atomic():
        return [(event.pk, automation.pk) for event, automation in matching(events)]


def test_a_state_that_is_waited_for_is_acted_on():
    run = RunFactory()
    automation = make_automation(run.project, "RUN_STATE", states("FAILED"))
    make_automation(run.project, "RUN_STATE", states("FINISHED"))
    make_automation(run.project, "RUN_METRIC")
    event = event_of(run)
    assert matched(event) == [(event.pk, automation.pk)]
    automation.refresh_from_db()
    assert automation.last_fired_at is not None


@pytest.mark.parametrize(("state", "is_met"), [("failed", True), ("crashed", True), ("killed", False)])
def test_failed_means_crashed_too(state, is_met):
    run = RunFactory()
    make_automation(run.project, "RUN_STATE", states("FAILED"))
    assert bool(matched(event_of(run, state))) is is_met


def test_automations_of_the_team_and_of_the_project_act_and_those_of_others_do_not():
    run = RunFactory()
    own = make_automation(run.project, "RUN_STATE", states("FAILED"))
    teams = make_automation(run.project, "RUN_STATE", states("FAILED"), is_of_team=True)
    make_automation(ProjectFactory(team=run.project.team), "RUN_STATE", states("FAILED"))
    make_automation(ProjectFactory(), "RUN_STATE", states("FAILED"), is_of_team=True)
    event = event_of(run)
    assert sorted(matched(event)) == [(event.pk, own.pk), (event.pk, teams.pk)]


@pytest.mark.parametrize("is_metric", [False, True])
def test_a_webhook_of_somebody_who_has_left_the_team_is_called_no_more(is_metric):
    run = RunFactory()
    member = make_member(run.project.team)
    hook = DestinationFactory(team=member.claim.team)
    what = ("RUN_METRIC", threshold()) if is_metric else ("RUN_STATE", states("FAILED"))
    own = make_automation(run.project, *what, by=member)
    fields = AutomationFields(action="GENERIC_WEBHOOK", destination=hook)
    change_automation(actor=actor(member), automation=own, fields=fields)

    def acting():
        if is_metric:
            return [one.pk for one in metric_automations([run.project])[run.project_id]]
        return [automation for _, automation in matched(event_of(run))]

    assert acting() == [own.pk]
    AutomationRun.objects.all().delete()
    remove_member(actor=SYSTEM, membership=member.memberships.get(team=run.project.team))
    assert acting() == []


def test_runs_that_watch_a_host_concern_the_automations_of_their_own_project():
    """ALR-6, AGT-2: they end each midnight; who wants to know chooses their project."""
    run = RunFactory(job_type="host")
    own = make_automation(run.project, "RUN_STATE", states("FAILED"))
    make_automation(run.project, "RUN_STATE", states("FAILED"), is_of_team=True)
    event = event_of(run)
    assert matched(event) == [(event.pk, own.pk)]


def test_only_runs_that_are_asked_for_and_there_are_acted_on():
    project = ProjectFactory()
    make_automation(project, "RUN_STATE", states("FAILED", runs=run_filter(display_name="good")))
    good, bad, gone = (RunFactory(project=project, display_name=name) for name in ("good", "bad", "good"))
    lifecycle.finish_run(run_id=gone.pk, exit_code=1, at=timezone.now())
    deletion.delete_run(actor=SYSTEM, run=gone)
    events = [event_of(run) for run in (good, bad, gone)]
    assert [event for event, _ in matched(*events)] == [events[0].pk]


def test_a_run_is_acted_on_once_in_its_time():
    run = RunFactory()
    make_automation(run.project, "RUN_STATE", states("FAILED"), once_in_s=60)
    first, second, third = (event_of(run) for _ in range(3))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert [event for event, _ in matched(first, second)] == [first.pk]
        clock.shift(timedelta(seconds=59))
        assert matched(second) == []
        clock.shift(timedelta(seconds=1))
        assert [event for event, _ in matched(third)] == [third.pk]


def test_without_a_time_each_event_is_acted_on():
    run = RunFactory()
    make_automation(run.project, "RUN_STATE", states("FAILED"), once_in_s=0)
    events = [event_of(run) for _ in range(3)]
    assert [event for event, _ in matched(*events)] == [event.pk for event in events]


def test_artifacts_are_acted_on_by_event_and_alias():
    project = ProjectFactory()
    automation = make_automation(project, "ADD_ARTIFACT_ALIAS", {"alias": {"$regex": "^prod"}})
    wanted = artifact_event(project, alias="prod-1")
    others = [artifact_event(project, alias="test"), artifact_event(project, "LINK_MODEL", alias="prod")]
    assert matched(wanted, *others) == [(wanted.pk, automation.pk)]


def test_many_events_take_as_many_statements_as_few(django_assert_max_num_queries):
    project = ProjectFactory()
    for _ in range(3):
        make_automation(project, "RUN_STATE", states("FAILED"))
    events = [event_of(RunFactory(project=project)) for _ in range(20)]
    with django_assert_max_num_queries(9):
        assert len(matched(*events)) == 60


def test_an_automation_that_was_switched_off_meanwhile_does_not_fire():
    run = RunFactory()
    automation = make_automation(run.project)
    Automation.objects.filter(pk=automation.pk).update(is_on=False)
    assert fire(automation, run, data={}) is None
    assert not AutomationRun.objects.exists()


def test_an_event_that_is_not_written_leaves_no_trace():
    run = RunFactory()
    automation = make_automation(run.project)
    with pytest.raises(TypeError):
        fire(automation, run, data={"value": object()})
    assert not AutomationRun.objects.exists()


def test_a_notice_has_the_words_of_the_automation_with_their_variables():
    run = RunFactory(display_name="swift")
    automation = make_automation(
        run.project, title="${run_name}: ${metric_name}", message="${metric_value} of ${threshold} ${tag}."
    )
    event = fire(automation, run, data=met(automation, 12.5, step=3))
    assert event is not None
    notice = notice_for(automation, event)
    assert (notice.title, notice.text) == ("swift: loss", "12.5 of 10 .")
    assert notice.variables["run_url"].endswith(f"/runs/{run.uid}")
    assert notice.variables["entity_name"] == run.project.team.name
    assert ("Step", "3") in notice.fields


def test_a_notice_without_words_says_what_happened():
    run = RunFactory()
    automation = make_automation(run.project, "RUN_STATE", states("FAILED"))
    notice = notice_for(automation, event_of(run))
    assert (notice.title, notice.text) == (automation.name, "The run is Failed now.")
    assert notice.variables["run_state"] == "failed"


def test_what_a_value_holds_is_no_variable():
    assert fill_text("${run_name}", {"run_name": "${tag}", "tag": "secret"}) == "${tag}"


def log(run, values, at, start=0):
    rows = [
        {"_step": step, "_timestamp": at + 60 * step, "_runtime": 1.0, "loss": value}
        for step, value in enumerate(values, start)
    ]
    write_group([post(run, history=(start, rows))])


def looked_ahead(project, event="RUN_METRIC", wanted=None, **more):
    viewer = actor(make_member(project.team))
    return preview(
        actor=viewer, team=project.team, project=project, event=event,
        filter=threshold() if wanted is None else wanted, **more,
    )  # fmt: skip


def test_a_preview_says_when_metrics_would_have_been_acted_on():
    project = ProjectFactory()
    first, second = RunFactory(project=project), RunFactory(project=project)
    at = timezone.now().timestamp() - 7200
    log(first, [1, 11, 12, 13], at)
    log(second, [11, 1], at)
    found = looked_ahead(project, once_in_s=120)
    assert [(one.run, one.why) for one in found.firings] == [
        (first, "Step 3: loss was 13, above 10."),
        (first, "Step 1: loss was 11, above 10."),
        (second, "Step 0: loss was 11, above 10."),
    ]
    assert (found.runs_looked_at, found.is_cut) == (2, False)


def test_a_preview_looks_seven_days_back():
    project = ProjectFactory()
    run = RunFactory(project=project)
    log(run, [11, 1], timezone.now().timestamp() - 8 * 86_400)
    assert looked_ahead(project).firings == []


def test_a_preview_of_changes_looks_over_what_came_before():
    run = RunFactory()
    log(run, [1, 1, 9], timezone.now().timestamp() - 600)
    found = looked_ahead(run.project, "RUN_METRIC_CHANGE", change(amount=5))
    assert [one.why for one in found.firings] == [
        "Step 2: loss rose by 8 compared with the value before; the threshold is 5."
    ]


def test_a_preview_says_when_states_would_have_been_acted_on():
    project = ProjectFactory()
    runs = [RunFactory(project=project) for _ in range(2)]
    for run, code in zip(runs, (1, 0), strict=True):
        lifecycle.finish_run(run_id=run.pk, exit_code=code, at=timezone.now())
    found = looked_ahead(project, "RUN_STATE", states("FAILED"))
    assert [(one.run, one.why) for one in found.firings] == [(runs[0], str(RunState.FAILED.label))]


def test_a_preview_is_of_runs_that_one_sees():
    run = RunFactory(project=ProjectFactory(visibility=Visibility.RESTRICTED))
    log(run, [11], timezone.now().timestamp() - 60)
    with pytest.raises(NotFound):
        looked_ahead(run.project)
    viewer = actor(make_member(run.project.team))
    whole = preview(actor=viewer, team=run.project.team, project=None, event="RUN_METRIC", filter=threshold())
    assert (whole.firings, whole.runs_looked_at) == ([], 0)
    with pytest.raises(NotFound):
        preview(
            actor=actor(UserFactory()), team=run.project.team, project=None, event="RUN_METRIC",
            filter=threshold(),
        )  # fmt: skip


def test_an_automation_that_cannot_be_read_does_not_stop_the_others():
    run = RunFactory()
    broken, automation = (make_automation(run.project, "RUN_STATE", states("FAILED")) for _ in range(2))
    Automation.objects.filter(pk=broken.pk).update(filter=[])
    assert [pk for _, pk in matched(event_of(run))] == [automation.pk]
