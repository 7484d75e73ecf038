"""How many runs are in which state, in words."""

from collections.abc import Mapping

from django.utils.translation import ngettext

from runs.states import RunState


def count_states(counts: Mapping[str, int]) -> list[str]:
    """Return ``12 runs finished``, ``1 run failed`` and so on, in the order of the states."""
    return [_number_of(state, counts[state]) for state in RunState.values if counts.get(state)]


def _number_of(state: str, count: int) -> str:
    sentences = {
        RunState.FINISHED: ngettext("%(n)d run finished", "%(n)d runs finished", count),
        RunState.FAILED: ngettext("%(n)d run failed", "%(n)d runs failed", count),
        RunState.CRASHED: ngettext("%(n)d run crashed", "%(n)d runs crashed", count),
        RunState.KILLED: ngettext("%(n)d run was stopped", "%(n)d runs were stopped", count),
    }
    other = ngettext("%(n)d run changed state", "%(n)d runs changed state", count)
    return sentences.get(RunState(state), other) % {"n": count}
