"""What happens to sweeps whether or not an agent asks: the worker looks every half minute."""

from django.utils import timezone

from runs.models import Run
from runs.states import ACTIVE
from sweeps.lifecycle.ending import finish_if_over
from sweeps.models import OPEN, SILENT_AFTER, Sweep, SweepState, Trial
from sweeps.trials.handing_out import give_up_on_absent


def settle_sweeps() -> int:
    """Give up trials that will not begin any more, and finish sweeps that are over; returns how many were finished."""
    stop_runs_of_lost_agents()
    finished = 0
    for sweep in Sweep.objects.live().filter(state=SweepState.RUNNING).select_related("project__team"):
        give_up_on_absent(sweep)
        finished += finish_if_over(sweep)
    return finished


def stop_runs_of_lost_agents() -> None:
    """Have runs stopped by their own SDK whose agent was to stop them and has fallen silent."""
    before = timezone.now() - SILENT_AFTER
    trials = Trial.objects.filter(
        state__in=OPEN, stop_requested_at__lt=before, agent__heartbeat_at__lt=before, run__stop_requested_at=None,
        run__state__in=sorted(ACTIVE),
    )  # fmt: skip
    Run.objects.filter(pk__in=trials.values("run")).update(stop_requested_at=timezone.now())
