"""RUN-50: hyperband compares runs where they have come equally far, and stops those behind."""

import math

import pytest

from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.models import Project, Run
from runs.states import RunState
from sweeps.config.document import Hyperband, read_config
from sweeps.early_stopping.hyperband import best_at_rungs, is_behind, threshold
from sweeps.early_stopping.services import stop_runs_behind
from sweeps.models import Trial
from sweeps.tests.agents_at_work import GRID, AgentAtWork, finish, sweep_of
from tests.factories import ProjectFactory

EARLY = GRID + "early_terminate: {type: hyperband, min_iter: 2, eta: 2}\n"


def log_history(run: Run, *losses: float) -> None:
    """Log the metric of a run."""
    write_group([post(run, history=(0, [{"_step": step, "loss": loss} for step, loss in enumerate(losses)]))])


def rule(**more: object) -> Hyperband:
    """Return a rule of the configuration's text."""
    given = ", ".join(
        f"{name}: {str(value).lower()}" for name, value in ({"min_iter": 2, "eta": 2} | more).items()
    )
    found = read_config(f"{GRID}early_terminate: {{type: hyperband, {given}}}\n").early_terminate
    assert found is not None
    return found


def test_the_best_value_until_a_rung_counts() -> None:
    assert best_at_rungs([5.0, 3.0, 4.0, 1.0], (2, 4, 8)) == {2: 3.0, 4: 1.0}


def test_nan_counts_as_worst() -> None:
    assert best_at_rungs([math.nan, math.nan, 2.0, math.nan], (1, 2, 4)) == {1: math.inf, 2: math.inf, 4: 2.0}


@pytest.mark.parametrize(
    ("losses", "eta", "kept"), [([1.0], 3, 1.0), ([3.0, 1.0, 2.0], 3, 1.0), ([4.0, 3.0, 2.0, 1.0], 2, 2.0)]
)
def test_the_best_share_goes_on(losses: list[float], eta: float, kept: float) -> None:
    assert threshold(losses, eta) == kept


def test_the_first_at_a_rung_goes_on() -> None:
    assert not is_behind({2: 9.0}, 9.0, {2: [9.0]}, rule())


def test_only_the_last_rung_that_it_reached_counts() -> None:
    assert not is_behind({2: 9.0, 4: 1.0}, 1.0, {2: [9.0, 1.0], 4: [1.0, 2.0]}, rule())
    assert is_behind({2: 1.0, 4: 3.0}, 3.0, {2: [9.0, 1.0], 4: [1.0, 3.0]}, rule())


def test_a_run_that_has_caught_up_since_is_spared_only_where_it_is_strict() -> None:
    at = {2: [1.0, 3.0]}
    assert is_behind({2: 3.0}, 0.5, at, rule())
    assert not is_behind({2: 3.0}, 0.5, at, rule(strict=True))


@pytest.mark.django_db
class TestStopping:
    @pytest.fixture
    def project(self) -> Project:
        return ProjectFactory()

    def test_a_run_behind_those_that_ended_is_stopped_by_its_agent(self, project: Project) -> None:
        sweep = sweep_of(project, EARLY)
        good, bad = AgentAtWork.of(sweep), AgentAtWork.of(sweep)
        first = good.begin(good.next_run())
        log_history(first, 1.0, 0.9, 0.8, 0.7)
        finish(first, 0.7)
        uid = bad.next_run()
        second = bad.begin(uid)
        log_history(second, 5.0, 5.0)
        assert stop_runs_behind() == 1
        command = bad.told(uid)
        assert (command.type, command.run_uid) == ("stop", uid)
        assert finish(second, 5.0, exit_code=143).state == RunState.KILLED
        trial = Trial.objects.get(run_uid=uid)
        assert (trial.is_early_stop, trial.rungs) == (True, {"2": 5.0})
        assert stop_runs_behind() == 0

    def test_more_is_better_where_the_goal_says_so(self, project: Project) -> None:
        sweep = sweep_of(project, EARLY.replace("minimize", "maximize"))
        agents = [AgentAtWork.of(sweep), AgentAtWork.of(sweep)]
        uids = [agent.next_run() for agent in agents]
        for agent, uid, value in zip(agents, uids, (0.9, 0.1), strict=True):
            log_history(agent.begin(uid), value, value, value)
        stop_runs_behind()
        stopped = Trial.objects.filter(sweep=sweep, is_early_stop=True)
        assert list(stopped.values_list("run_uid", flat=True)) == [uids[1]]
