"""Earlier runs as trials: what a search learns from, and the points of a grid that they have tried."""

import json
from collections.abc import Collection

from runs.config.flatten import unwrap_config
from runs.models import Run
from sweeps.config.document import SweepConfig
from sweeps.models import Sweep, Trial, TrialState
from sweeps.space.space import Args, Space

MAX_PRIORS = 1000
"""Earlier runs that a sweep learns from."""


def learn_from(sweep: Sweep, config: SweepConfig, runs: Collection[Run]) -> None:
    """Add runs of the project as trials that have been; those that are in no other sweep become this one's runs."""
    trials = []
    taken: set[int] = set()
    for run in runs:
        args = args_in(config.space, run)
        point = _free_point(sweep, config.space, args, taken)
        trials.append(
            Trial(
                sweep=sweep,
                number=0,
                point=point,
                args=args,
                is_prior=True,
                state=TrialState.ENDED,
                run_uid=run.uid,
                run=run,
            )
        )
    Trial.objects.bulk_create(trials, batch_size=100)
    Run.objects.filter(pk__in=[run.pk for run in runs], sweep="").update(sweep=sweep.uid)


def args_in(space: Space, run: Run) -> Args:
    """Return those arguments of a run's configuration that the sweep varies; missing ones are left out."""
    return space.picked(unwrap_config(json.loads(run.config_text)))


def number_points(sweep: Sweep, config: SweepConfig) -> None:
    """Find the points of a changed grid that trials have tried; of two trials of one point the first has it."""
    trials = list(Trial.objects.filter(sweep=sweep).order_by("number", "pk"))
    Trial.objects.filter(sweep=sweep).update(point=None)
    taken: set[int] = set()
    for trial in trials:
        trial.point = _free_point(sweep, config.space, trial.args, taken)
    Trial.objects.bulk_update(trials, ["point"], batch_size=500)


def _free_point(sweep: Sweep, space: Space, args: Args, taken: set[int]) -> int | None:
    """Return the point of arguments in the sweep's grid, the first time."""
    point = space.index_of(args) if sweep.grid_size is not None else None
    if point is None or point in taken:
        return None
    taken.add(point)
    return point
