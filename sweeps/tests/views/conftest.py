"""A project with a sweep, and runs that belong to it."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from runs.config.flatten import flatten
from runs.models import Project, Run
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, Trial, TrialState
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, make_member

CONFIG = """
name: widths
method: random
run_cap: 8
metric: {name: val/loss, goal: minimize}
parameters:
  lr: {min: 0.001, max: 0.1}
  model:
    parameters:
      width: {values: [16, 32]}
  seed: {value: 7}
"""


@pytest.fixture
def project(db: None) -> Project:
    """Return the project vision/cifar."""
    return ProjectFactory(name="cifar", team=TeamFactory(name="vision"))


@pytest.fixture
def member(project: Project) -> User:
    """Return a member of the project's team."""
    return make_member(project.team)


@pytest.fixture
def sweep(project: Project, member: User) -> Sweep:
    """Return a sweep of the member."""
    return create_sweep(actor=actor(member), project=project, config_text=CONFIG)[0]


@pytest.fixture
def add_run(sweep: Sweep, member: User) -> Callable[..., Run]:
    """Give the sweep a run with a last value of its metric."""

    def add(uid: str, loss: float | None, *, state: str = "finished", **trial: Any) -> Run:
        args = {"lr": 0.01, "model": {"width": 32}, "seed": 7}
        run = RunFactory(project=sweep.project, uid=uid, user=member, display_name=uid, sweep=sweep.uid)
        Run.objects.filter(pk=run.pk).update(state=state, config_flat=flatten(args))
        run.pulse.summary_flat = flatten({"accuracy": 0.5} if loss is None else {"val/loss": loss})
        run.pulse.save()
        number = Trial.objects.filter(sweep=sweep).count() + 1
        Trial.objects.create(
            sweep=sweep,
            number=number,
            args=args,
            run=run,
            run_uid=uid,
            **{"state": TrialState.ENDED, **trial},
        )
        return run

    return add
