"""Sweeps of the demo: a random one that is over, a Bayesian one under way, and a grid with all its points."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from access.web.requests import actor_of_user
from accounts.models import User
from runs.models import Project, Run
from sweeps.config.reading import config_of
from sweeps.lifecycle.progress import renew_best
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent, SweepState, Trial, TrialState
from sweeps.trials.priors import args_in, number_points

RANDOM_COUNT = 160
"""Of the image classifiers, so many were tried at random; the rest follows what these taught."""
PRIOR_COUNT = 12
_CLASSIFIER = """\
program: train.py
metric:
  name: val/accuracy
  goal: maximize
parameters:
  optimizer.lr:
    distribution: log_uniform_values
    min: 0.00003
    max: 0.05
  optimizer.name:
    values: [adamw, sgd, lion]
  optimizer.weight_decay:
    values: [0.0, 0.01, 0.05, 0.1]
  model.depth:
    values: [18, 34, 50, 101]
  batch_size:
    values: [64, 128, 256, 512, 1024]
  augment:
    values: [none, flip, randaugment]
  epochs:
    value: 90
"""
_RANDOM = f"name: resnet-first-look\nmethod: random\nrun_cap: {RANDOM_COUNT}\n{_CLASSIFIER}"
_BAYES = f"""\
name: resnet-fine-tuning
# learns from the best runs of resnet-first-look
method: bayes
run_cap: 60
early_terminate:
  type: hyperband
  min_iter: 10
{_CLASSIFIER}"""
_GRID = """\
name: unet-schedules
method: grid
program: sample.py
metric:
  name: fid
  goal: minimize
parameters:
  channels:
    values: [128, 192]
  schedule:
    values: [cosine, linear]
"""


@dataclass(frozen=True, slots=True)
class _Search:
    """One sweep before it is there."""

    uid: str
    author: str
    config_text: str
    hosts: tuple[str, str]
    is_over: bool


def make_searches() -> None:
    """Create them over runs that are there."""
    classifiers = _runs("cifar-sweep", "sweep")
    first, later = classifiers[:RANDOM_COUNT], classifiers[RANDOM_COUNT:]
    if first:
        _make(_Search("resnets1", "ada", _RANDOM, ("gpu-01", "gpu-02"), is_over=True), first)
        best = sorted(first, key=lambda run: -run.pulse.summary_flat.get("val/accuracy", 0))[:PRIOR_COUNT]
        _make(_Search("resnets2", "kenji", _BAYES, ("gpu-03", "gpu-04"), is_over=False), later, best)
    if pictures := _runs("diffusion", "diffusion"):
        _make(_Search("unetgrid", "minseo", _GRID, ("gpu-03", "gpu-05"), is_over=True), pictures)


def _runs(project: str, prefix: str) -> list[Run]:
    """Return the runs of a project of the team vision, oldest first."""
    runs = Run.objects.filter(project__team__name="vision", project__name=project, uid__startswith=prefix)
    return list(runs.select_related("pulse", "project").order_by("uid"))


def _make(search: _Search, runs: Sequence[Run], priors: Sequence[Run] = ()) -> None:
    project = Project.objects.select_related("team").get(
        team__name="vision", pk=[*runs, *priors][0].project_id
    )
    actor = actor_of_user(User.objects.get(username=search.author))
    sweep, _warnings = create_sweep(
        actor=actor, project=project, config_text=search.config_text, priors=priors
    )
    Sweep.objects.filter(pk=sweep.pk).update(uid=search.uid)
    sweep.refresh_from_db()
    now = timezone.now()
    began = min((run.created_at for run in runs), default=now) - timedelta(minutes=4)
    ended = max((run.finished_at or now for run in runs), default=now)
    agents = [_agent(sweep, search, number, began, ended) for number in range(2)]
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(sweep=sweep.uid)
    Trial.objects.bulk_create(_trial(sweep, agents, number, run) for number, run in enumerate(runs, 1))
    number_points(sweep, config_of(sweep))
    state = SweepState.FINISHED if search.is_over else SweepState.RUNNING
    Sweep.objects.filter(pk=sweep.pk).update(
        state=state, created_at=began, trial_count=len(runs), next_point=len(runs), is_stopped=False,
        ended_at=ended if search.is_over else None,
    )  # fmt: skip
    renew_best(sweep)


def _agent(sweep: Sweep, search: _Search, number: int, began: datetime, ended: datetime) -> SweepAgent:
    return SweepAgent.objects.create(
        sweep=sweep, uid=f"agent{number:03d}", host=search.hosts[number], user=sweep.created_by, created_at=began,
        heartbeat_at=ended if search.is_over else timezone.now(), exited_at=ended if search.is_over else None,
    )  # fmt: skip


def _trial(sweep: Sweep, agents: Sequence[SweepAgent], number: int, run: Run) -> Trial:
    return Trial(
        sweep=sweep, number=number, args=args_in(config_of(sweep).space, run), agent=agents[number % len(agents)],
        state=TrialState.ENDED, run=run, run_uid=run.uid, given_at=run.created_at, heard_at=run.created_at,
    )  # fmt: skip
