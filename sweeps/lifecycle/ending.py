"""How a sweep ends by itself: nothing is left to hand out and no run is awaited, or its target is reached."""

from django.utils import timezone

from common import live
from common.database.commits import after_commit
from sweeps.config.reading import config_of
from sweeps.models import Sweep, SweepState
from sweeps.participants import SweepChange, SweepEvent, happened
from sweeps.trials.handing_out import has_remaining, is_waited_for
from sweeps.trials.results import is_better


def finish_if_over(sweep: Sweep) -> bool:
    """Finish a sweep that is over; says whether it was finished now."""
    if sweep.state not in {SweepState.PENDING, SweepState.RUNNING}:
        return False
    if not has_reached_target(sweep) and (has_remaining(sweep) or is_waited_for(sweep)):
        return False
    open_states = (SweepState.PENDING, SweepState.RUNNING)
    now = timezone.now()
    ended = Sweep.objects.filter(pk=sweep.pk, state__in=open_states).update(
        state=SweepState.FINISHED, ended_at=now, is_stopped=False, updated_at=now
    )
    if not ended:  # by another process, which has told
        return False
    sweep.state, sweep.ended_at, sweep.is_stopped = SweepState.FINISHED, now, False
    happened(SweepChange(SweepEvent.FINISHED, sweep))
    announce(sweep)
    return True


def has_reached_target(sweep: Sweep) -> bool:
    """Say whether a run was as good as the configuration asks for (``metric.target``)."""
    metric = config_of(sweep).metric
    if metric is None or metric.target is None or sweep.best_value is None:
        return False
    return sweep.best_value == metric.target or is_better(sweep, sweep.best_value, metric.target)


def announce(sweep: Sweep) -> None:
    """Notify open pages after commit."""
    message = {"type": "sweep", "uid": sweep.uid, "state": sweep.state}
    after_commit(live.send, live.project_group(sweep.project_id), message)
