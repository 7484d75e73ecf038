"""RUN-50: each point of a sweep goes to one agent, whatever is lost, sent twice or crashes on the way."""

from datetime import timedelta

import pytest
from django.utils import timezone

from access.actor import SYSTEM
from common.errors import Conflict, NotFound
from runs.bulk_actions import deletion as deletion_of_runs
from runs.bulk_actions.moving import move_runs
from runs.lifecycle import services as runs
from runs.models import Project, Run
from runs.states import RunState
from sweeps.lifecycle import deletion
from sweeps.lifecycle.services import change_state, change_sweep
from sweeps.lifecycle.upkeep import settle_sweeps
from sweeps.models import Sweep, SweepState, Trial, TrialState
from sweeps.selectors import best_run, runs_of_sweep
from sweeps.tests.agents_at_work import GRID, AgentAtWork, args_of, crash, finish, sweep_of
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db

NO_RETRY = GRID + "retry_crashed: false\n"
RANDOM = """
method: random
run_cap: {cap}
metric: {{name: loss, goal: maximize}}
parameters: {{lr: {{min: 0.0, max: 1.0}}}}
"""


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


@pytest.fixture
def sweep(project: Project) -> Sweep:
    return sweep_of(project)


def later(monkeypatch: pytest.MonkeyPatch, **by: float) -> None:
    """Let time pass."""
    now = timezone.now() + timedelta(**by)
    monkeypatch.setattr(timezone, "now", lambda: now)


class TestPoints:
    def test_two_agents_never_get_the_same_point(self, sweep: Sweep) -> None:
        agents = [AgentAtWork.of(sweep), AgentAtWork.of(sweep)]
        for number in range(6):
            agents[number % 2].work()
        points = [(trial.args["lr"], trial.args["kind"]) for trial in Trial.objects.filter(sweep=sweep)]
        assert points == [(lr, kind) for lr in (0.1, 0.2, 0.3) for kind in ("adam", "sgd")]

    def test_an_answer_that_was_lost_is_given_again(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        assert agent.next_run() == agent.next_run()
        assert len(args_of(sweep)) == 1

    def test_an_agent_that_works_is_told_nothing(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        assert agent.ask(uid) is None

    def test_a_grid_of_a_million_million_points_is_counted_not_listed(self, project: Project) -> None:
        names = "".join(f"  p{n}: {{values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}}\n" for n in range(12))
        sweep = sweep_of(project, f"method: grid\nparameters:\n{names}")
        agent = AgentAtWork.of(sweep)
        agent.work()
        agent.work()
        assert sweep.grid_size == 10**12
        assert [trial.args["p11"] for trial in Trial.objects.filter(sweep=sweep)] == [0, 1]

    def test_points_that_trials_have_are_passed_over_in_one_query(
        self, project: Project, django_assert_max_num_queries
    ) -> None:
        sweep = sweep_of(
            project, "method: grid\nparameters: {a: {min: 1, max: 3000, distribution: int_uniform}}\n"
        )
        agent = AgentAtWork.of(sweep)
        Trial.objects.bulk_create(
            [
                Trial(sweep=sweep, number=n, point=n, run_uid=f"r{n}", state=TrialState.ENDED)
                for n in range(900)
            ]
        )
        with django_assert_max_num_queries(25):
            agent.next_run()
        assert Trial.objects.get(sweep=sweep, state=TrialState.GIVEN).args == {"a": 901}


class TestRepeats:
    def test_a_point_whose_run_crashed_is_handed_out_again_at_most_twice(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uids = []
        for _ in range(3):
            uid = agent.next_run()
            run = agent.begin(uid)
            agent.ask(uid)
            crash(run)
            uids.append(uid)
        trial = Trial.objects.get(sweep=sweep)
        assert len(set(uids)) == 3
        assert (trial.state, trial.attempts, trial.args) == (TrialState.ENDED, 3, {"lr": 0.1, "kind": "adam"})
        agent.next_run()
        assert len(args_of(sweep)) == 2

    def test_a_point_whose_run_failed_is_not(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        agent.work(exit_code=1)
        agent.next_run()
        assert len(args_of(sweep)) == 2

    def test_other_methods_repeat_where_they_are_told_to(self, project: Project) -> None:
        for text, state in (
            (RANDOM, TrialState.ENDED),
            (RANDOM + "retry_crashed: true\n", TrialState.WAITING),
        ):
            agent = AgentAtWork.of(sweep_of(project, text.format(cap=3)))
            uid = agent.next_run()
            crash(agent.begin(uid))
            assert Trial.objects.get(run_uid=uid).state == state

    def test_a_run_that_never_began_is_handed_to_another_after_five_minutes(
        self, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lost, other = AgentAtWork.of(sweep), AgentAtWork.of(sweep)
        uid = lost.next_run()
        lost.ask(uid)
        other.work()
        later(monkeypatch, minutes=6)
        again = other.next_run()
        assert again != uid
        assert Trial.objects.get(run_uid=again).args == {"lr": 0.1, "kind": "adam"}

    def test_a_program_that_is_slow_to_begin_is_not_given_up(
        self, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        slow, other = AgentAtWork.of(sweep), AgentAtWork.of(sweep)
        uid = slow.next_run()
        slow.ask(uid)
        later(monkeypatch, minutes=4)
        slow.ask(uid)
        later(monkeypatch, minutes=4)
        other.next_run()
        assert Trial.objects.get(run_uid=uid).state == TrialState.GIVEN

    def test_a_process_that_died_before_it_began_is_repeated_at_once(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        agent.ask(uid)
        again = agent.next_run()
        assert again != uid
        assert Trial.objects.get(run_uid=again).args == {"lr": 0.1, "kind": "adam"}

    def test_a_crashed_run_that_comes_back_is_not_repeated(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        run = crash(agent.begin(uid))
        runs.revive_run(run_id=run.pk, at=timezone.now())
        assert Trial.objects.get(run_uid=uid).state == TrialState.RUNNING


class TestEnd:
    def test_it_is_finished_when_the_last_run_ends(self, sweep: Sweep) -> None:
        agents = [AgentAtWork.of(sweep), AgentAtWork.of(sweep)]
        for _ in range(5):
            agents[0].work()
        uid = agents[1].next_run()
        run = agents[1].begin(uid)
        assert agents[0].ask() is None, "the last point may come back"
        finish(run)
        sweep.refresh_from_db()
        assert (sweep.state, sweep.state_label) == (SweepState.FINISHED, "Finished")
        assert [agent.told().type for agent in agents] == ["exit", "exit"]

    def test_a_run_cap_ends_a_random_sweep(self, project: Project) -> None:
        sweep = sweep_of(project, RANDOM.format(cap=2))
        agent = AgentAtWork.of(sweep)
        values = [agent.work().pk for _ in range(2)]
        assert len(values) == 2
        assert agent.told().type == "exit"

    def test_a_target_ends_it(self, project: Project) -> None:
        sweep = sweep_of(
            project, RANDOM.format(cap=9).replace("goal: maximize", "goal: maximize, target: 0.9")
        )
        agent = AgentAtWork.of(sweep)
        agent.work(0.5)
        agent.work(0.95)
        assert agent.told().type == "exit"
        assert Sweep.objects.get(pk=sweep.pk).state == SweepState.FINISHED

    def test_the_worker_finishes_what_no_agent_asks_for_any_more(
        self, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sweep = sweep_of(
            project, NO_RETRY.replace("[0.1, 0.2, 0.3]", "[0.1]").replace("[adam, sgd]", "[adam]")
        )
        AgentAtWork.of(sweep).next_run()
        assert settle_sweeps() == 0
        later(monkeypatch, minutes=6)
        assert settle_sweeps() == 1


class TestStates:
    def test_paused_hands_out_nothing_and_goes_on(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        change_state(actor=SYSTEM, sweep=sweep, state="PAUSED")
        assert agent.ask() is None
        change_state(actor=SYSTEM, sweep=sweep, state="RUNNING")
        assert agent.told().type == "run"

    def test_stopped_lets_runs_end_and_agents_exit(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        run = agent.begin(uid)
        row = change_state(actor=SYSTEM, sweep=sweep, state="FINISHED")
        assert (row.state, row.state_label) == ("FINISHED", "Stopped")
        assert agent.ask(uid) is None
        assert finish(run).state == RunState.FINISHED
        assert agent.told().type == "exit"

    def test_canceled_stops_the_runs_by_their_agents(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        run = agent.begin(uid)
        change_state(actor=SYSTEM, sweep=sweep, state="CANCELED")
        command = agent.told(uid)
        assert (command.type, command.run_uid) == ("stop", uid)
        assert finish(run, exit_code=1).state == RunState.KILLED
        assert agent.told().type == "exit"

    def test_a_stopped_run_whose_sdk_died_too_ends_when_its_agent_says_so(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        run = agent.begin(uid)
        agent.ask(uid)
        change_state(actor=SYSTEM, sweep=sweep, state="CANCELED")
        agent.ask(uid)
        agent.ask()
        assert Run.objects.get(pk=run.pk).state == RunState.KILLED

    def test_what_is_stopped_can_be_resumed_while_points_remain(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        agent.work()
        change_state(actor=SYSTEM, sweep=sweep, state="CANCELED")
        change_state(actor=SYSTEM, sweep=sweep, state="RUNNING")
        for _ in range(5):
            agent.work()
        assert len(args_of(sweep)) == 6
        with pytest.raises(Conflict, match="All 6 points"):
            change_state(actor=SYSTEM, sweep=sweep, state="RUNNING")

    def test_a_deleted_sweep_is_not_found_by_its_agents(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        deletion.delete_sweep(actor=SYSTEM, sweep=sweep)
        with pytest.raises(NotFound):
            agent.ask()


class TestTotals:
    def test_the_best_run_has_a_finite_metric(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        agent.work()
        assert best_run(SYSTEM, sweep) is None
        agent.work(float("inf"))
        best = agent.work(0.5)
        agent.work(0.7)
        assert best_run(SYSTEM, sweep) == (best, 0.5)

    def test_a_run_that_moves_leaves_the_sweep(self, sweep: Sweep, project: Project) -> None:
        agent = AgentAtWork.of(sweep)
        best, other = agent.work(0.1), agent.work(0.4)
        move_runs(actor=SYSTEM, run_ids=[best.pk], project=ProjectFactory(team=project.team))
        assert best_run(SYSTEM, sweep) == (other, 0.4)
        assert runs_of_sweep(SYSTEM, sweep).count() == 1

    def test_a_deleted_best_run_is_the_best_no_more_until_it_is_restored(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        best = agent.work(0.1)
        agent.work(0.4)
        deletion_of_runs.delete_run(actor=SYSTEM, run=best)
        assert Sweep.objects.get(pk=sweep.pk).best_value == 0.4
        deletion_of_runs.restore_run(actor=SYSTEM, run=Run.objects.get(pk=best.pk))
        assert Sweep.objects.get(pk=sweep.pk).best_value == 0.1

    def test_a_deleted_running_run_frees_no_point(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        uid = agent.next_run()
        run = agent.begin(uid)
        deletion_of_runs.delete_run(actor=SYSTEM, run=run)
        assert agent.told(uid).type == "stop"
        crash(run)
        for _ in range(5):
            agent.work()
        assert agent.told().type == "exit"
        assert runs_of_sweep(SYSTEM, sweep).count() == 5


class TestEdits:
    def test_a_changed_grid_goes_on_with_the_points_that_nobody_tried(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        agent.work()
        agent.work()
        change_sweep(actor=SYSTEM, sweep=sweep, config_text=GRID.replace("[0.1, 0.2, 0.3]", "[0.0, 0.1]"))
        agent.work()
        agent.work()
        assert agent.told().type == "exit"
        assert [args["lr"] for args in args_of(sweep)] == [0.1, 0.1, 0.0, 0.0]

    def test_another_metric_has_another_best(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        agent.work(0.1)
        agent.work(0.4)
        row, _warnings = change_sweep(
            actor=SYSTEM, sweep=sweep, config_text=GRID.replace("minimize", "maximize")
        )
        assert row.best_value == 0.4
        row, _warnings = change_sweep(actor=SYSTEM, sweep=sweep, config_text=GRID.replace("loss", "accuracy"))
        assert row.best_value is None

    def test_a_deletion_with_runs_is_undone_with_them(self, sweep: Sweep) -> None:
        agent = AgentAtWork.of(sweep)
        kept, gone = agent.work(), agent.work()
        Run.objects.filter(pk=kept.pk).update(is_protected=True)
        result = deletion.delete_sweep(actor=SYSTEM, sweep=sweep, with_runs=True)
        assert result is not None
        assert Run.objects.get(pk=gone.pk).deleted_at is not None
        assert Run.objects.get(pk=kept.pk).deleted_at is None
        deletion.restore_sweep(actor=SYSTEM, sweep=sweep)
        assert runs_of_sweep(SYSTEM, Sweep.objects.get(pk=sweep.pk)).count() == 2

    def test_runs_outlive_their_sweep(self, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
        run = AgentAtWork.of(sweep).work()
        deletion.delete_sweep(actor=SYSTEM, sweep=sweep)
        assert deletion.purge_sweeps() == 0
        later(monkeypatch, days=30)
        assert deletion.purge_sweeps() == 1
        assert Run.objects.get(pk=run.pk).sweep == ""
