"""A run's life as a bar of states over time, with the gaps in which nothing was heard of it (RUN-2, wishes 1 to 5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from runs.lifecycle import participants
from runs.lifecycle.participants import TimelineMark
from runs.models import Run, StateChange
from runs.states import ACTIVE, RunState

NO_SIGNAL_AFTER_S = 90
"""The SDK posts at least every 30 s; a run that is this long silent is said to give no signal."""
LOST = "lost"
"""What a stretch is called that was taken for a crash, or is silent now."""
WIDTH = 1000
_THINNEST = 4
MAX_CHANGES = 500


@dataclass(frozen=True, slots=True)
class Stretch:
    """A state from a time to another."""

    state: str
    start: datetime
    stop: datetime
    x: int = 0
    """Where it lies in the bar, of WIDTH."""
    width: int = 0

    @property
    def label(self) -> str:
        """What the state is called here."""
        return _("No signal") if self.state == LOST else str(RunState(self.state).label)

    @property
    def seconds(self) -> float:
        """How long it was."""
        return (self.stop - self.start).total_seconds()


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """One step of the timeline."""

    state: str
    label: str
    at: datetime
    noticed_late_s: float
    """How much later it was noticed; 0 when at once."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The bar with its marks, and its steps."""

    stretches: list[Stretch]
    events: list[TimelineEvent]
    marks: list[TimelineMark]

    @property
    def steps(self) -> list[TimelineEvent | TimelineMark]:
        """What happened, in order, in words: the bar alone tells nothing to who cannot point at it."""
        return sorted([*self.events, *self.marks], key=lambda step: step.at)

    @property
    def lost_s(self) -> float:
        """Seconds without a signal."""
        return sum(stretch.seconds for stretch in self.stretches if stretch.state == LOST)

    @property
    def resumes(self) -> int:
        """How often it began again."""
        return max(0, sum(event.state == RunState.RUNNING for event in self.events) - 1)


def silent_for_s(run: Run, now: datetime | None = None) -> float | None:
    """Return for how long an active run has given no sign of life, None when that is not worth a word."""
    if run.state != RunState.RUNNING:
        return None
    silent = ((now or timezone.now()) - run.pulse.heartbeat_at).total_seconds()
    return silent if silent > NO_SIGNAL_AFTER_S else None


def _stretches(run: Run, changes: Sequence[StateChange], now: datetime) -> list[Stretch]:
    found: list[Stretch] = []
    for number, change in enumerate(changes):
        following = changes[number + 1] if number + 1 < len(changes) else None
        if following is not None:
            lost = change.state == RunState.CRASHED and following.at > change.at
            found.append(Stretch(LOST if lost else change.state, change.at, max(change.at, following.at)))
        elif change.state in ACTIVE:
            silent = silent_for_s(run, now)
            heard = now if silent is None else max(change.at, now - timedelta(seconds=silent))
            found.append(Stretch(change.state, change.at, heard))
            if heard < now:
                found.append(Stretch(LOST, heard, now))
        else:
            found.append(Stretch(change.state, change.at, change.at))
    return found


def _place_stretches(found: Sequence[Stretch]) -> list[Stretch]:
    """Give each its place; none is too thin to be seen."""
    whole = (found[-1].stop - found[0].start).total_seconds() if found else 0
    weights = [
        max(_THINNEST, round(WIDTH * stretch.seconds / whole)) if whole > 0 else 1 for stretch in found
    ]
    placed, x = [], 0.0
    for stretch, weight in zip(found, weights, strict=True):
        width = WIDTH * weight / sum(weights)
        placed.append(replace(stretch, x=round(x), width=max(1, round(x + width) - round(x))))
        x += width
    return placed


def _place_marks(run: Run, stretches: Sequence[Stretch]) -> list[TimelineMark]:
    """Place what apps mark in the stretch in which it was."""
    placed = []
    for mark in participants.timeline_marks(run):
        for stretch in reversed(stretches):
            if stretch.start <= mark.at:
                share = (
                    (mark.at - stretch.start).total_seconds() / stretch.seconds if stretch.seconds else 1.0
                )
                placed.append(replace(mark, x=round(stretch.x + stretch.width * min(1.0, share))))
                break
    return placed


def _without_repeats(changes: Sequence[StateChange]) -> list[StateChange]:
    """Leave out what sending a run once more did: it was running for no time at all, and ended as before."""
    kept: list[StateChange] = []
    for change in changes:
        kept.append(change)
        if len(kept) > 2 and kept[-3].state == change.state and kept[-3].at == kept[-2].at == change.at:
            del kept[-2:]
    return kept


def _timeline_event(run: Run, number: int, change: StateChange) -> TimelineEvent:
    late = (change.noticed_at - change.at).total_seconds()
    was_away = run.synced_at is not None and change.at < run.synced_at
    is_resume = number > 0 and change.state == RunState.RUNNING
    label = _("Resumed") if is_resume else str(RunState(change.state).label)
    return TimelineEvent(change.state, label, change.at, 0 if was_away or late <= 5 else late)


def timeline_of(run: Run, now: datetime | None = None) -> Timeline:
    """Return a run's timeline; ``run`` has its pulse loaded. One query, and one for the marks."""
    changes = list(StateChange.objects.filter(run=run).order_by("-pk")[:MAX_CHANGES])[::-1]
    changes = _without_repeats(changes)
    events = [_timeline_event(run, number, change) for number, change in enumerate(changes)]
    if run.synced_at is not None:
        synced = TimelineEvent(run.state, _("Synced"), run.synced_at, 0)
        events = sorted([*events, synced], key=lambda event: event.at)
    stretches = _place_stretches(_stretches(run, changes, now or timezone.now()))
    return Timeline(stretches, events, _place_marks(run, stretches))
