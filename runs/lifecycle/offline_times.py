"""When a run ran by its own clock, if it was recorded first and sent later (RUN-3).

While such a run is being sent, the server sees a run of some seconds. At its end, and when it is given up, these
seconds give way to the run's own. Where some of a run is known already, as of one that was killed and whose rest is
sent, or that is sent in parts or twice, what is known stays and only what lies before or after it is added.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from common.formats.lenient_json import decode
from runs.config.flatten import sdk_part
from runs.lifecycle import participants
from runs.lifecycle.client_clock import EARLIEST, span_of, time_of, was_sent_later
from runs.models import Pulse, Run, StateChange
from runs.states import ACTIVE, RunState

SOON = timedelta(minutes=1)
"""What a client says began so shortly before it was heard of, was heard of when it began."""
_BEGIN_STATES = ACTIVE | {RunState.PENDING}


def _last_line(run_id: int) -> datetime | None:
    """Return until when a run is known to have run, of which nothing else tells its end."""
    return max((at for last in participants.last_lines_at(run_id) if (at := time_of(last))), default=None)


def _begins_of_lines(run_id: int) -> set[datetime]:
    """Return when the first line says that the run began: all that files of SDKs before 0.18 tell of it."""
    return {at for begin in participants.first_begins(run_id) if (at := time_of(begin)) is not None}


def missing_summary(run: Run) -> str | None:
    """Return the summary of a run that was sent later without any value in it, as by SDKs before 0.18; else None."""
    if not was_sent_later(sdk_part(run.config_text)):
        return None
    text = Pulse.objects.values_list("summary_text", flat=True).get(run_id=run.pk)
    summary = decode(text)
    if not isinstance(summary, dict) or any(not key.startswith("_") for key in summary):
        return None
    values = participants.last_values(run.pk)
    return json.dumps(values | summary) if values.keys() - summary.keys() else None


def likely_begin(claimed_at: datetime | None, heard_at: datetime) -> datetime:
    """Return when something began that the server hears of now: when the client says, if that can be and matters."""
    if claimed_at is None or claimed_at < EARLIEST or heard_at - claimed_at < SOON:
        return heard_at
    return claimed_at


@dataclass(frozen=True, slots=True)
class OwnTimes:
    """What a run's own clock adds to what is known of it."""

    began_at: datetime
    """When the first of it began."""
    resumed_at: datetime
    """When this part of it did."""
    ended_at: datetime
    seconds: float
    """For how long it ran that is not counted yet."""


def own_times(run: Run, heard_at: datetime, claimed_end: datetime | None = None) -> OwnTimes | None:
    """Return when a locked run that ends ran by its own clock; None if the server heard of it while it ran.

    Args:
        heard_at: Its end by the server's clock; nothing is believed to have been later.
        claimed_end: The end that the client told, if it did.
    """
    changes = _changes(run)
    start = _last_begin(changes)
    if not changes or changes[start].state not in _BEGIN_STATES:
        return None
    begin, sdk = changes[start], sdk_part(run.config_text)
    was_claimed = begin.at < begin.noticed_at - SOON
    if not was_sent_later(sdk) and not was_claimed:
        return None
    summary = Pulse.objects.values_list("summary_text", flat=True).get(run_id=run.pk)
    begins, ended_at = span_of(sdk, summary, goes_on=start > 0 or run.forked_from_id is not None)
    begins |= {begin.at} if was_claimed else set()
    if not begins and start == 0:
        begins = _begins_of_lines(run.pk)
    likely = sorted(at for at in begins if at < begin.noticed_at)
    if not likely:
        return None
    ended_at = claimed_end or ended_at or _last_line(run.pk) or likely[0]
    ended_at = max(likely[0], min(ended_at, heard_at))
    if start == 0:
        return OwnTimes(likely[0], likely[0], ended_at, (ended_at - likely[0]).total_seconds())
    return _added(run, changes[:start], likely, ended_at)


def set_own_times(run: Run, own: OwnTimes) -> None:
    """Put a run's changes of state where they were, and set when it began; the caller saves it."""
    changes = _changes(run)
    start = _last_begin(changes)
    of_this_part = StateChange.objects.filter(run=run, pk__gte=changes[start].pk)
    of_this_part.filter(at__gt=own.ended_at).update(at=own.ended_at)
    StateChange.objects.filter(pk=changes[start].pk).update(at=own.resumed_at)
    if start == 0 and run.synced_at is None:
        run.synced_at = changes[0].noticed_at
    if run.synced_at is not None:
        run.created_at = run.started_at = own.began_at
        StateChange.objects.filter(pk=changes[0].pk).update(at=own.began_at)


def _changes(run: Run) -> list[StateChange]:
    return list(run.state_changes.order_by("pk"))


def _last_begin(changes: Sequence[StateChange]) -> int:
    """Return the number of the change that began the lifetime under way, or the last one; 0 for a run's first."""
    begin = 0
    for number, change in enumerate(changes):
        if change.state in ACTIVE and (number == 0 or changes[number - 1].state not in ACTIVE):
            begin = number
    has_more_before = {change.state for change in changes[:begin]} - {RunState.PENDING}
    return begin if has_more_before else 0


def _added(
    run: Run, known: Collection[StateChange], begins: Sequence[datetime], ended_at: datetime
) -> OwnTimes:
    """Return what a part adds to a run of which some is known."""
    known_until = max(change.at for change in known if change.state not in ACTIVE)
    began_at, seconds = run.started_at, 0.0
    if run.synced_at is not None and begins[0] < run.started_at:
        began_at = begins[0]
        seconds = (min(ended_at, run.started_at) - began_at).total_seconds()
    resumed_at = next((at for at in begins if at >= known_until), known_until)
    seconds += max(0.0, (ended_at - resumed_at).total_seconds())
    return OwnTimes(began_at, resumed_at, max(resumed_at, ended_at), seconds)
