"""Hyperband: at rungs of so many iterations a run is compared with all that have come as far, and stopped if behind.

An iteration is one logged value of the metric; what counts at a rung is the best value up to it. A run goes on if it is
among the best 1/eta there. Whether the first at a rung goes on is not known before others come: it does, and with
``strict`` it is looked at again at every value until the next rung.
Source: Li et al., "Hyperband", JMLR 18 (2018), and the semantics of wandb's ``early_terminate``.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from sweeps.config.document import Hyperband


def best_at_rungs(values: Sequence[float], rungs: Collection[int]) -> dict[int, float]:
    """Return the best (smallest) of the first so many losses, for each rung that they reach; NaN counts as worst."""
    found: dict[int, float] = {}
    best = math.inf
    wanted = set(rungs)
    for count, value in enumerate(values, 1):
        best = min(best, value) if not math.isnan(value) else best
        if count in wanted:
            found[count] = best
    return found


def threshold(losses: Collection[float], eta: float) -> float:
    """Return the greatest loss that is still among the best 1/eta at a rung; at least one run is."""
    ordered = sorted(losses)
    kept = max(1, math.floor(len(ordered) / eta))
    return ordered[kept - 1]


def is_behind(
    own: Mapping[int, float], latest: float, all_at: Mapping[int, Collection[float]], rule: Hyperband
) -> bool:
    """Say whether a run is to be stopped.

    Args:
        own: Its best loss at each rung that it has reached.
        latest: Its best loss so far.
        all_at: The losses of all runs at each rung, its own among them.
        rule: Eta, and whether it is strict.
    """
    if not own:
        return False
    rung = max(own)
    loss = min(own[rung], latest) if rule.strict else own[rung]
    others = all_at[rung]
    return len(others) > 1 and loss > threshold(others, rule.eta)
