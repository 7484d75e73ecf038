"""The life of a run: begin, go on, stop, end, crash, delete (RUN-1 to RUN-9)."""

import json
from contextlib import nullcontext
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from access.web.requests import actor_of_user
from common import live
from common.errors import Conflict, Forbidden, Gone, Invalid, NotFound
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run
from runs.projects import services as projects
from runs.states import RunState, state_after_exit
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db


def log(project, uid="abc", **fields):
    return lifecycle.log_run(actor=SYSTEM, project=project, uid=uid, fields=RunFields(**fields))


def test_a_run_gets_a_number_and_a_name_of_its_project():
    project = ProjectFactory()
    first, made = log(project, "a")
    second, _ = log(project, "b")
    assert made
    assert first.display_name.endswith("-1")
    assert second.display_name.endswith("-2")  # RUN-1
    assert Project.objects.get(pk=project.pk).runs_made == 2


def test_logging_twice_goes_on_with_the_run_and_leaves_what_is_not_given():
    project = ProjectFactory()
    log(project, notes="kept", config_text='{"lr": {"value": 0.1}}', tags=["a"])
    run, made = log(project, tags=[])
    assert not made
    assert (run.notes, run.tags, run.config_flat) == ("kept", [], {"lr": 0.1})


def test_an_id_that_no_run_may_have_is_refused():
    with pytest.raises(Invalid, match="Invalid run ID"):
        log(ProjectFactory(), "a/b")


def test_over_long_fields_are_refused_with_the_limit():
    with pytest.raises(Invalid, match="at most 128"):
        log(ProjectFactory(), display_name="n" * 129)


def test_nul_and_lone_surrogates_do_not_stop_a_run():
    run, _ = log(ProjectFactory(), notes="a\x00b\ud800", config_text='{"k\\u0000": {"value": "\\ud800"}}')
    assert run.notes == "a\ufffdb?"
    assert Run.objects.get(pk=run.pk).config_text == '{"k\\u0000": {"value": "\\ud800"}}'


def test_a_deleted_runs_id_is_not_reusable_and_the_refusal_says_so():
    run = RunFactory(uid="gone")
    deletion.delete_run(actor=SYSTEM, run=run)
    with pytest.raises(Gone, match="cannot be reused"):  # RUN-9
        log(run.project, "gone")


@pytest.mark.parametrize("before", [RunState.RUNNING, RunState.CRASHED])
@pytest.mark.parametrize(
    ("exit_code", "stop_requested", "state"),
    [
        (0, False, RunState.FINISHED),
        (1, False, RunState.FAILED),
        (255, False, RunState.KILLED),
        (130, False, RunState.KILLED),
        (143, False, RunState.KILLED),
        (0, True, RunState.KILLED),
        (1, True, RunState.KILLED),
    ],
)
def test_the_exit_code_decides_the_state(before, exit_code, stop_requested, state):
    assert state_after_exit(before, exit_code, stop_requested=stop_requested) == state  # RUN-2


@pytest.mark.parametrize("before", [RunState.PREEMPTING, RunState.PREEMPTED])
@pytest.mark.parametrize(
    ("exit_code", "stop_requested", "state"),
    [
        (0, False, RunState.FINISHED),
        (1, False, RunState.PREEMPTED),
        (143, False, RunState.PREEMPTED),
        (1, True, RunState.KILLED),
    ],
)
def test_a_run_whose_machine_is_taken_away_is_preempted_unless_it_ended_well(
    before, exit_code, stop_requested, state
):
    assert state_after_exit(before, exit_code, stop_requested=stop_requested) == state  # RUN-2


def silent(run, seconds):
    run.pulse.heartbeat_at = timezone.now() - timedelta(seconds=seconds)
    run.pulse.save()
    return run.pulse.heartbeat_at


def test_silence_beyond_the_timeout_is_a_crash_as_of_the_last_heartbeat(settings):
    settings.CRASH_TIMEOUT_S = 300
    crashed, alive = RunFactory(), RunFactory()
    last_sign = silent(crashed, 301)
    silent(alive, 299)
    assert lifecycle.find_crashed_runs() == 1
    crashed.refresh_from_db()
    assert (crashed.state, crashed.finished_at) == (RunState.CRASHED, last_sign)  # RUN-2
    assert Run.objects.get(pk=alive.pk).state == RunState.RUNNING
    assert lifecycle.find_crashed_runs() == 0


def test_a_silent_run_that_was_asked_to_stop_is_killed():
    run = RunFactory()
    lifecycle.stop_run(actor=SYSTEM, run=run)
    silent(run, 4000)
    lifecycle.find_crashed_runs()
    assert Run.objects.get(pk=run.pk).state == RunState.KILLED


def test_a_silent_preempting_run_is_preempted():
    run = RunFactory()
    lifecycle.revive_run(run_id=run.pk, at=timezone.now(), preempting=True)
    silent(run, 4000)
    lifecycle.find_crashed_runs()
    assert Run.objects.get(pk=run.pk).state == RunState.PREEMPTED


def of_process(**own):
    return json.dumps({"_wandb": {"value": own}})


@pytest.mark.parametrize(
    "second", [of_process(cli_version="0.31.0"), of_process(e={"x": {"startedAt": "2026-11-25T11:00:00Z"}})]
)
def test_a_preempting_run_is_running_when_another_process_goes_on_with_it(second):
    """RUN-2: the SDK tells the configuration again and again, of the same process too."""
    run = RunFactory(uid="spot")
    first = of_process(e={"w": {"startedAt": "2026-11-25T10:00:00Z"}})
    log(run.project, "spot", config_text=first)
    lifecycle.revive_run(run_id=run.pk, at=timezone.now(), preempting=True)
    assert log(run.project, "spot", config_text=first)[0].state == RunState.PREEMPTING
    assert log(run.project, "spot", notes="new")[0].state == RunState.PREEMPTING
    assert log(run.project, "spot", config_text=second)[0].state == RunState.RUNNING


def test_a_preempted_run_that_was_only_silent_is_preempting_again():
    """RUN-2: and running once it is resumed."""
    run = RunFactory(uid="spot")
    lifecycle.revive_run(run_id=run.pk, at=timezone.now(), preempting=True)
    silent(run, 4000)
    lifecycle.find_crashed_runs()
    lifecycle.revive_run(run_id=run.pk, at=timezone.now())
    assert Run.objects.get(pk=run.pk).state == RunState.PREEMPTING
    lifecycle.finish_run(run_id=run.pk, exit_code=1, at=timezone.now())
    assert Run.objects.get(pk=run.pk).state == RunState.PREEMPTED
    assert log(run.project, "spot")[0].state == RunState.RUNNING


def test_duration_leaves_out_the_pause_before_a_resume_and_runtime_does_not():
    with time_machine.travel("2026-01-01T00:00:00Z", tick=False) as clock:
        run = RunFactory(uid="paused")
        clock.shift(100)
        lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
        clock.shift(1000)
        run, made = log(run.project, "paused")
        assert (made, run.state) == (False, RunState.RUNNING)
        clock.shift(50)
        lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
        run.refresh_from_db()
        assert (run.runtime_s, run.duration_s) == (1150, 150)  # RUN-3


def test_a_late_finish_overrides_a_crash_and_counts_the_time():
    with time_machine.travel("2026-01-01T00:00:00Z", tick=False) as clock:
        run = RunFactory()
        clock.shift(400)
        lifecycle.find_crashed_runs()
        lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
        run.refresh_from_db()
        assert (run.state, run.duration_s) == (RunState.FINISHED, 400)
        states = [change.state for change in run.state_changes.all()]
        assert states == [RunState.RUNNING, RunState.CRASHED, RunState.FINISHED]


def test_stopping_an_ended_run_is_refused():
    run = RunFactory()
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    with pytest.raises(Conflict, match="nothing to stop"):
        lifecycle.stop_run(actor=SYSTEM, run=run)


def test_members_stop_and_delete_their_own_runs_and_admins_all():
    team = TeamFactory()
    project = ProjectFactory(team=team)
    author, other, admin = make_member(team), make_member(team), make_member(team, Preset.ADMIN)
    run = RunFactory(project=project, user=author)
    with pytest.raises(Forbidden, match="“Stop any run”"):
        lifecycle.stop_run(actor=actor_of_user(other), run=run)
    lifecycle.stop_run(actor=actor_of_user(author), run=run)
    with pytest.raises(Forbidden, match="“Delete any run”"):
        deletion.delete_run(actor=actor_of_user(other), run=run)
    assert deletion.delete_run(actor=actor_of_user(admin), run=run).deleted_at is not None


def test_a_deletion_is_undone_by_whoever_may_delete_and_the_audit_log_says_so():
    """RUN-7, TEAM-21."""
    team = TeamFactory()
    author, other = make_member(team), make_member(team)
    run = RunFactory(project=ProjectFactory(team=team), user=author)
    deletion.delete_run(actor=actor_of_user(author), run=run)
    with pytest.raises(Forbidden, match="“Delete any run”"):
        deletion.restore_run(actor=actor_of_user(other), run=run)
    assert deletion.restore_run(actor=actor_of_user(author), run=run).deleted_at is None
    assert Run.objects.live().filter(pk=run.pk).exists()
    entry = AuditEntry.objects.get(action="run.restore")
    assert (entry.user, entry.team_id, entry.object_id) == (author, team.pk, str(run.pk))


@pytest.mark.parametrize(("days", "is_restored"), [(0, True), (6.99, True), (7, False), (400, False)])
def test_a_deletion_is_undone_for_seven_days(days, is_restored):
    """RUN-7."""
    run = RunFactory()
    with time_machine.travel("2026-01-01T00:00:00Z", tick=False) as clock:
        deletion.delete_run(actor=SYSTEM, run=run)
        clock.shift(timedelta(days=days))
        with nullcontext() if is_restored else pytest.raises(Gone, match="can be restored for 7 days"):
            deletion.restore_run(actor=SYSTEM, run=run)
    assert (Run.objects.get(pk=run.pk).deleted_at is None) == is_restored


def test_restoring_what_is_not_deleted_changes_nothing():
    run = RunFactory()
    before = Run.objects.get(pk=run.pk).updated_at
    deletion.restore_run(actor=SYSTEM, run=run)
    assert Run.objects.get(pk=run.pk).updated_at == before
    assert not AuditEntry.objects.filter(action="run.restore").exists()


def test_a_run_deleted_while_it_ran_comes_back_ended_and_goes_on_when_it_is_resumed():
    """RUN-2: its process was refused, so silence has ended it as of its last heartbeat."""
    run = RunFactory(uid="back")
    deletion.delete_run(actor=SYSTEM, run=run)
    last_sign = silent(run, 4000)
    lifecycle.find_crashed_runs()
    restored = deletion.restore_run(actor=SYSTEM, run=run)
    assert (restored.state, restored.finished_at) == (RunState.CRASHED, last_sign)
    again, made = log(run.project, "back")
    assert (again.pk, again.state, made) == (run.pk, RunState.RUNNING, False)


def test_owning_a_project_gives_no_right_over_other_peoples_runs():
    team = TeamFactory()
    owner, author = make_member(team), make_member(team)
    project = projects.create_project(actor=actor_of_user(owner), team=team, name="owned")
    run = RunFactory(project=project, user=author)
    with pytest.raises(Forbidden):  # TEAM-22
        deletion.delete_run(actor=actor_of_user(owner), run=run)


def test_changes_are_told_after_commit(django_capture_on_commit_callbacks, monkeypatch):
    told: list[tuple[str, str | None]] = []
    monkeypatch.setattr(
        live,
        "send_each",
        lambda messages: told.extend((group, each.get("state")) for group, each in messages),
    )
    with django_capture_on_commit_callbacks(execute=True):
        run = RunFactory()
        lifecycle.finish_run(run_id=run.pk, exit_code=1, at=timezone.now())
        assert told == []
    assert [state for _, state in told][-1] == RunState.FAILED


def test_a_personal_project_is_private_public_or_open():
    user = UserFactory()
    team = user.memberships.get().team
    project = projects.ensure_project(actor=actor_of_user(user), team=team, name="mine")
    assert project.visibility_label == "Private"  # TEAM-24
    with pytest.raises(Invalid, match="Private, Public or Open"):
        projects.change_visibility(
            actor=actor_of_user(user), project=project, visibility=Visibility.RESTRICTED
        )


def test_a_team_that_forbids_it_has_no_public_projects():
    project = ProjectFactory()
    project.team.public_projects_allowed = False
    project.team.save()
    with pytest.raises(Conflict, match="do not allow public"):  # TEAM-24
        projects.change_visibility(actor=SYSTEM, project=project, visibility=Visibility.OPEN)


def test_strangers_log_to_an_open_project_and_go_on_with_their_own_runs_only():
    project = ProjectFactory(visibility=Visibility.OPEN)
    stranger, another = actor_of_user(UserFactory()), actor_of_user(UserFactory())
    lifecycle.log_run(actor=stranger, project=project, uid="mine", fields=RunFields())
    lifecycle.log_run(actor=stranger, project=project, uid="mine", fields=RunFields())
    with pytest.raises(Forbidden, match="“Log runs”"):
        lifecycle.log_run(actor=another, project=project, uid="mine", fields=RunFields())


def test_a_project_is_made_on_first_use_where_the_role_allows():
    team = TeamFactory()
    viewer, member = make_member(team, Preset.VIEW_ONLY), make_member(team)
    with pytest.raises(Forbidden, match="“Create projects”"):
        projects.ensure_project(actor=actor_of_user(viewer), team=team, name="new")
    with pytest.raises(NotFound):
        projects.ensure_project(actor=actor_of_user(UserFactory()), team=team, name="new")
    made = projects.ensure_project(actor=actor_of_user(member), team=team, name="new")
    assert projects.ensure_project(actor=actor_of_user(member), team=team, name="new") == made


@pytest.mark.parametrize("name", ["", "a/b", "a?b", "..", "x" * 129, "tab\there"])
def test_project_names_that_urls_cannot_carry_are_refused(name):
    with pytest.raises(Invalid):
        projects.create_project(actor=SYSTEM, team=TeamFactory(), name=name)
