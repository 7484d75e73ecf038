"""What is told of a sweep as its runs end."""

from runs.models import Run
from runs.states import RunState
from sweeps.models import Sweep
from sweeps.participants import SweepChange, SweepEvent, happened
from sweeps.trials.results import best_of, finite, is_better, metric_of

COUNTED = frozenset({RunState.FINISHED, RunState.KILLED})
"""How runs end whose metric may be the best."""


def report_end(sweep: Sweep, run: Run) -> None:
    """Tell that a run has ended, and whether it is the best so far."""
    happened(SweepChange(SweepEvent.RUN_ENDED, sweep, run))
    if not sweep.metric_name or run.state not in COUNTED:
        return
    found = Run.objects.filter(pk=run.pk).annotate(metric=metric_of(sweep)).values_list("metric", flat=True)
    value = finite(found.first())
    if value is None or not is_better(sweep, value, sweep.best_value):
        return
    sweep.best_value = value
    Sweep.objects.filter(pk=sweep.pk).update(best_value=value)
    happened(SweepChange(SweepEvent.NEW_BEST, sweep, run, value))


def renew_best(sweep: Sweep) -> None:
    """Find the best value among the runs that are still in a sweep; nobody is told."""
    runs = Run.objects.listed().filter(project=sweep.project_id, sweep=sweep.uid, state__in=sorted(COUNTED))
    found = best_of(runs, sweep) if sweep.metric_name else None
    sweep.best_value = found[1] if found else None
    Sweep.objects.filter(pk=sweep.pk).update(best_value=sweep.best_value)
