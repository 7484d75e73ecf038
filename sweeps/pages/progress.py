"""How far a sweep is: how many of its runs are in each state."""

from dataclasses import dataclass

from runs.states import ACTIVE, RunState

_ORDER = (
    RunState.FINISHED, RunState.RUNNING, RunState.PENDING, RunState.PREEMPTING, RunState.PREEMPTED, RunState.KILLED,
    RunState.FAILED, RunState.CRASHED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProgressPart:
    """The runs of one state, and where they are in the bar: from ``begin``, ``width`` wide, 0-100."""

    state: str
    label: str
    count: int
    begin: float
    width: float


@dataclass(frozen=True, slots=True)
class Progress:
    """The runs of a sweep; ``expected`` and ``percent`` (0-100) are None where it has no end."""

    total: int
    active: int
    expected: int | None
    percent: int | None
    parts: list[ProgressPart]


def progress_of(counts: dict[str, int], expected: int | None) -> Progress:
    """Return the bar of a sweep from how many runs are in each state; what is to come is left empty."""
    total = sum(counts.values())
    whole = max(total, expected or 0)
    parts, begin = [], 0.0
    for state in sorted(counts, key=_place):
        width = 100 * counts[state] / whole
        label = str(RunState(state).label)
        parts.append(ProgressPart(state, label, counts[state], round(begin, 3), round(width, 3)))
        begin += width
    active = sum(count for state, count in counts.items() if state in ACTIVE)
    percent = min(100, 100 * (total - active) // expected) if expected else None
    return Progress(total, active, expected, percent, parts)


def _place(state: str) -> int:
    return _ORDER.index(RunState(state)) if state in _ORDER else len(_ORDER)
