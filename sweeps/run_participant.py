"""The part of sweeps in the life of runs: a run that begins is its trial's, one that ends decides what comes next."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q, QuerySet

from runs.lifecycle.participants import RunParticipant
from runs.models import Run
from runs.states import RunState
from sweeps.lifecycle.ending import finish_if_over
from sweeps.lifecycle.membership import settle_runs
from sweeps.lifecycle.progress import report_end
from sweeps.models import Sweep, Trial, TrialState
from sweeps.trials.handing_out import is_repeatable

_LOST = frozenset({RunState.CRASHED, RunState.PREEMPTED})
_UNDER_WAY = frozenset({RunState.PENDING, RunState.RUNNING, RunState.PREEMPTING})


class SweepsRunParticipant(RunParticipant):
    """What belongs to it in this app."""

    def state_changed(self, run: Run, before: str, at: datetime) -> None:
        """Bring the run's trial up to date, and see whether the sweep is over."""
        if not run.sweep:
            return
        trial = _trials_of(run).select_related("sweep__project__team").first()
        if trial is None:
            if run.state not in _UNDER_WAY:
                _follow_end(run, Sweep.objects.filter(project_id=run.project_id, uid=run.sweep).first())
            return
        trial.run, trial.state = run, _state_after(trial, run)
        trial.save(update_fields=["run", "state", "updated_at"])
        if run.state not in _UNDER_WAY:
            _follow_end(run, trial.sweep)

    def is_stop_requested(self, run: Run) -> bool:
        """Say whether the run's agent was told to stop it."""
        return bool(run.sweep) and _trials_of(run).filter(stop_requested_at__isnull=False).exists()

    def relisted(self, run_ids: Collection[int]) -> None:
        """Count anew in sweeps whose runs were deleted, restored or moved."""
        runs = Run.objects.filter(pk__in=run_ids)
        by_trial = Q(trials__run__in=run_ids)
        for project_id, uid in runs.exclude(sweep="").values_list("project_id", "sweep").distinct():
            by_trial |= Q(project=project_id, uid=uid)
        for sweep in Sweep.objects.filter(by_trial).select_related("project__team").distinct():
            settle_runs(sweep)


def _trials_of(run: Run) -> QuerySet[Trial]:
    return Trial.objects.filter(sweep__project=run.project_id, sweep__uid=run.sweep, run_uid=run.uid)


def _state_after(trial: Trial, run: Run) -> TrialState:
    if run.state in _UNDER_WAY:
        return TrialState.RUNNING
    is_lost = run.state in _LOST and run.deleted_at is None
    return TrialState.WAITING if is_lost and is_repeatable(trial) else TrialState.ENDED


def _follow_end(run: Run, sweep: Sweep | None) -> None:
    if sweep is None or sweep.deleted_at is not None:
        return
    report_end(sweep, run)
    finish_if_over(sweep)
