"""Handing out trials: each to one agent, whatever is lost or sent twice on the way (RUN-50).

Whatever an agent may ask again changes nothing the second time: the answer is the trial that it was given and has not
been heard to work on. A trial whose run crashed, or did not begin, waits to be given again, to whoever asks.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from runs.lifecycle.services import end_stopped_run
from runs.names.display_names import random_uid
from runs.states import ACTIVE
from sweeps.config.document import Method, SweepConfig
from sweeps.config.reading import config_of
from sweeps.models import OPEN, Sweep, SweepAgent, SweepState, Trial, TrialState
from sweeps.trials.choosing import Choice, next_point, propose

BEGINS_WITHIN = timedelta(minutes=5)
"""A run that has not begun so long after its agent was last heard to work on it will not."""
MAX_ATTEMPTS = 3
"""A trial is handed out again at most twice."""
_PROPOSALS = 3
"""How often the optimiser is asked anew because another agent was given a trial meanwhile."""


def has_remaining(sweep: Sweep) -> bool:
    """Say whether there are arguments that were not handed out yet; of a grid, as far as somebody has looked."""
    if sweep.run_cap is not None and sweep.trial_count >= sweep.run_cap:
        return False
    return sweep.grid_size is None or sweep.next_point < sweep.grid_size


def is_waited_for(sweep: Sweep) -> bool:
    """Say whether trials are under way, or are to be repeated."""
    return Trial.objects.filter(sweep=sweep, state__in=(*OPEN, TrialState.WAITING)).exists()


def unheard_trial(agent: SweepAgent) -> Trial | None:
    """Return the trial that an agent was given and says nothing of: the answer was lost, so it is given once more."""
    trials = Trial.objects.filter(agent=agent, state=TrialState.GIVEN, heard_at=None, run=None)
    with transaction.atomic():
        trial = trials.select_for_update(of=("self",)).order_by("number").first()
        if trial is None:
            return None
        if trial.attempts >= MAX_ATTEMPTS:
            _end(trial)
            return None
        trial.attempts += 1
        trial.given_at = timezone.now()
        trial.save(update_fields=["attempts", "given_at", "updated_at"])
        return trial


def hand_out(agent: SweepAgent, sweep: Sweep) -> Trial | None:
    """Give an agent the next trial: one that is to be repeated first; None when there is none (just now)."""
    config = config_of(sweep)
    give_up_on_absent(sweep)
    for last in range(_PROPOSALS, 0, -1):
        choice = None if config.method is Method.GRID else propose(sweep, config)
        with transaction.atomic():
            locked = Sweep.objects.select_for_update(no_key=True).get(pk=sweep.pk)
            if locked.state != SweepState.RUNNING or locked.deleted_at is not None:
                return None
            trial = _repeat(agent, locked)
            if trial is not None or not has_remaining(locked):
                return trial
            is_outdated = locked.trial_count != sweep.trial_count and config.method is Method.BAYES
            if not is_outdated or last == 1:
                trial = _give(agent, locked, config, choice)
                sweep.next_point, sweep.trial_count = locked.next_point, locked.trial_count
                return trial
        sweep = locked
    return None


def _repeat(agent: SweepAgent, sweep: Sweep) -> Trial | None:
    trial = Trial.objects.filter(sweep=sweep, state=TrialState.WAITING).order_by("number").first()
    if trial is None:
        return None
    trial.agent, trial.run, trial.run_uid, trial.state = agent, None, random_uid(), TrialState.GIVEN
    trial.attempts, trial.given_at, trial.heard_at, trial.rungs = trial.attempts + 1, timezone.now(), None, {}
    trial.save()
    return trial


def _give(agent: SweepAgent, sweep: Sweep, config: SweepConfig, choice: Choice | None) -> Trial | None:
    if choice is None:
        point = next_point(sweep, config)
        sweep.next_point = (sweep.grid_size or 0) if point is None else point + 1
        if point is None:
            sweep.save(update_fields=["next_point", "updated_at"])
            return None
        choice = Choice(config.space.point(point), point)
    sweep.trial_count += 1
    sweep.save(update_fields=["trial_count", "next_point", "updated_at"])
    return Trial.objects.create(
        sweep=sweep, number=sweep.trial_count, point=choice.point, args=choice.args, agent=agent, run_uid=random_uid()
    )  # fmt: skip


def note_heard(agent: SweepAgent, run_uids: set[str], now: datetime) -> None:
    """Note which trials an agent says it works on; what it worked on and has dropped before it began is given up."""
    given = Trial.objects.filter(agent=agent, state=TrialState.GIVEN)
    if not given.exists():
        return
    stale = Q(heard_at=None) | Q(heard_at__lt=now - timedelta(seconds=60))
    given.filter(stale, run_uid__in=run_uids).update(heard_at=now)
    give_up(given.filter(heard_at__isnull=False, run=None).exclude(run_uid__in=run_uids))


def end_dropped(agent: SweepAgent, run_uids: set[str], now: datetime) -> None:
    """End the runs that an agent was told to stop and does not work on any more: their SDK was killed with them."""
    trials = Trial.objects.filter(agent=agent, state=TrialState.RUNNING, stop_requested_at__isnull=False)
    dropped = trials.filter(run__state__in=sorted(ACTIVE)).exclude(run_uid__in=run_uids)
    for run_id in list(dropped.values_list("run_id", flat=True)):
        with transaction.atomic():
            end_stopped_run(run_id=run_id, at=now)


def give_up_on_absent(sweep: Sweep) -> None:
    """Give up trials whose runs have not begun for too long."""
    before = timezone.now() - BEGINS_WITHIN
    trials = Trial.objects.filter(sweep=sweep, state=TrialState.GIVEN, run=None)
    give_up(trials.annotate(last=Coalesce("heard_at", F("given_at"))).filter(last__lt=before))


def give_up(trials: QuerySet[Trial]) -> None:
    """Let trials be repeated whose run crashed or never began, where the sweep repeats any; else they are over."""
    for trial in trials.select_related("sweep"):
        state = TrialState.WAITING if is_repeatable(trial) else TrialState.ENDED
        Trial.objects.filter(pk=trial.pk, state=trial.state, run_uid=trial.run_uid).update(state=state)


def is_repeatable(trial: Trial) -> bool:
    """Say whether a trial is handed out again, if its run is lost."""
    is_wanted = trial.stop_requested_at is None and not trial.is_prior
    return is_wanted and trial.sweep.retries and trial.attempts < MAX_ATTEMPTS


def _end(trial: Trial) -> None:
    trial.state = TrialState.ENDED
    trial.save(update_fields=["state", "updated_at"])
