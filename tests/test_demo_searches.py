"""The sweeps of the demo, over runs that are there."""

import json

import pytest

from access.actor import SYSTEM
from demo.searches import PRIOR_COUNT, RANDOM_COUNT, make_searches
from runs.models import Project
from sweeps.models import Sweep, Trial
from sweeps.selectors import best_run, expected_runs, runs_of_sweep
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory(
        team=TeamFactory(name="vision", admin=UserFactory(username="ada")), name="cifar-sweep"
    )
    for name in ("kenji", "minseo"):
        make_member(project.team, username=name)
    return project


def test_the_demo_has_a_random_a_bayesian_and_a_grid_sweep(project: Project):
    """RUN-50: their runs belong to them, and the best one is known."""
    for number in range(RANDOM_COUNT + 2):
        config = json.dumps({"optimizer.lr": {"value": 0.001}, "batch_size": {"value": 64}})
        summary = json.dumps({"val/accuracy": number / 1000})
        uid = f"sweep{number:03d}"
        RunFactory(project=project, uid=uid, config_text=config, summary_text=summary)
    pictures = ProjectFactory(team=project.team, name="diffusion")
    for number in range(4):
        config = json.dumps(
            {"channels": {"value": 128 + 64 * (number % 2)}, "schedule": {"value": ["cosine", "linear"][number // 2]}}
        )  # fmt: skip
        RunFactory(
            project=pictures, uid=f"diffusion{number}", config_text=config, summary_text=f'{{"fid": {number + 9}}}'
        )  # fmt: skip
    make_searches()
    sweeps = {sweep.uid: sweep for sweep in Sweep.objects.select_related("project__team")}
    assert {uid: (sweep.method, sweep.state) for uid, sweep in sweeps.items()} == {
        "resnets1": ("random", "FINISHED"), "resnets2": ("bayes", "RUNNING"), "unetgrid": ("grid", "FINISHED"),
    }  # fmt: skip
    counts = {uid: runs_of_sweep(SYSTEM, sweep).count() for uid, sweep in sweeps.items()}
    assert counts == {"resnets1": RANDOM_COUNT, "resnets2": 2, "unetgrid": 4}
    found = best_run(SYSTEM, sweeps["resnets1"])
    assert found is not None
    assert (found[0].uid, found[1]) == (f"sweep{RANDOM_COUNT - 1:03d}", (RANDOM_COUNT - 1) / 1000)
    assert Trial.objects.filter(sweep=sweeps["resnets2"], is_prior=True).count() == PRIOR_COUNT
    points = Trial.objects.filter(sweep=sweeps["unetgrid"]).values_list("point", flat=True)
    assert set(points) == {0, 1, 2, 3}
    assert expected_runs(sweeps["unetgrid"]) == 4
    trial = Trial.objects.get(sweep=sweeps["resnets1"], number=1)
    assert trial.args == {"optimizer.lr": 0.001, "batch_size": 64}


def test_a_demo_without_these_projects_has_no_sweeps(project: Project):
    make_searches()
    assert not Sweep.objects.exists()
