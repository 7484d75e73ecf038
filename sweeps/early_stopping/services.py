"""Looking at the runs under way of sweeps that stop early: in the worker, every few seconds."""

import math
from collections import defaultdict

from django.db.models import Q
from django.utils import timezone

from metrics.models import StreamKind
from metrics.store.reads import columns
from metrics.store.row_blocks import blocks_of
from sweeps.config.document import Hyperband
from sweeps.config.reading import config_of
from sweeps.early_stopping.hyperband import best_at_rungs, is_behind
from sweeps.models import Sweep, SweepState, Trial, TrialState


def stop_runs_behind() -> int:
    """Have the runs stopped that fell behind; returns how many. Their agents are told when they ask next.

    What ended since the last look is measured, too: later runs are compared with it.
    """
    sweeps = Sweep.objects.live().filter(is_hyperband=True, state__in=(SweepState.RUNNING, SweepState.PAUSED))
    return sum(_stop_in(sweep) for sweep in sweeps)


def _stop_in(sweep: Sweep) -> int:
    rule = config_of(sweep).early_terminate
    known = Trial.objects.filter(sweep=sweep, run__isnull=False)
    trials = list(known.filter(Q(state=TrialState.RUNNING) | Q(state=TrialState.ENDED, is_measured=False)))
    if rule is None or not trials or not sweep.metric_name:
        return 0
    latest = _look(sweep, rule, trials)
    at_rungs = _losses_at_rungs(sweep)
    behind = [
        trial for trial in trials
        if trial.state == TrialState.RUNNING and trial.stop_requested_at is None
        and is_behind(_rungs_of(trial), latest[trial.pk], at_rungs, rule)
    ]  # fmt: skip
    now = timezone.now()
    running = Trial.objects.filter(pk__in=[trial.pk for trial in behind], state=TrialState.RUNNING)
    return running.update(stop_requested_at=now, is_early_stop=True, updated_at=now)


def _look(sweep: Sweep, rule: Hyperband, trials: list[Trial]) -> dict[int, float]:
    """Keep what trials have reached; return the best loss of each so far."""
    rungs, latest = rule.rungs(), {}
    losses_of = _losses(sweep, [trial.run_id for trial in trials if trial.run_id is not None])
    for trial in trials:
        losses = losses_of.get(trial.run_id or 0, [])
        latest[trial.pk] = min((loss for loss in losses if not math.isnan(loss)), default=math.inf)
        reached = {str(rung): _kept(loss) for rung, loss in best_at_rungs(losses, rungs).items()}
        is_over = trial.state == TrialState.ENDED
        if is_over or reached != trial.rungs:
            fields = {"rungs": reached, "is_measured": is_over, "updated_at": timezone.now()}
            Trial.objects.filter(pk=trial.pk, state=trial.state).update(**fields)
            trial.rungs = reached
    return latest


_WORST = 1.7e308
"""Stands for infinity in JSON."""


def _kept(loss: float) -> float:
    return max(-_WORST, min(_WORST, loss))


def _losses(sweep: Sweep, run_ids: list[int]) -> dict[int, list[float]]:
    """Return, by run, the values of the metric in the order of their rows, the smaller the better."""
    key, sign = sweep.metric_name, -1.0 if sweep.metric_goal == "maximize" else 1.0
    return {
        run_id: [sign * float(value) for value in columns(blocks, [key])[key].values]
        for run_id, blocks in blocks_of(run_ids, StreamKind.HISTORY)
    }


def _rungs_of(trial: Trial) -> dict[int, float]:
    return {int(rung): loss for rung, loss in trial.rungs.items()}


def _losses_at_rungs(sweep: Sweep) -> dict[int, list[float]]:
    at: dict[int, list[float]] = defaultdict(list)
    for rungs in Trial.objects.filter(sweep=sweep).exclude(rungs={}).values_list("rungs", flat=True):
        for rung, loss in rungs.items():
            at[int(rung)].append(loss)
    return at
