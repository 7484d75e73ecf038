"""Which arguments a sweep tries next, by its method: the next point of a grid, a random one, the optimiser's.

The optimiser takes a fraction of a second, in which nothing is locked: on SQLite a lock would hold up every post.
"""

import random
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sweeps.config.document import Method, SweepConfig
from sweeps.models import OPEN, Sweep, Trial, TrialState
from sweeps.trials.results import results_of

_AT_ONCE = 1000
"""Points that are looked up together, to find one that is free."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Arguments, and of a grid their point."""

    args: dict[str, Any]
    point: int | None = None


def next_point(sweep: Sweep, config: SweepConfig) -> int | None:
    """Return the first point of a grid that no trial has; the sweep is locked.

    Points come in order, so what lies before the last one given need not be looked at: the ten-thousandth point costs
    what the first one does.
    """
    size = config.space.size() or 0
    at = sweep.next_point
    for taken in _taken_points(sweep, at):
        if taken > at:
            break
        at = taken + 1
    return at if at < size else None


def _taken_points(sweep: Sweep, start: int) -> Iterator[int]:
    """Yield the points that have a trial, in order."""
    while True:
        rows = Trial.objects.filter(sweep=sweep, point__gte=start).order_by("point")
        points = [point for point in rows.values_list("point", flat=True)[:_AT_ONCE] if point is not None]
        yield from points
        if len(points) < _AT_ONCE:
            return
        start = points[-1] + 1


def propose(sweep: Sweep, config: SweepConfig) -> Choice:
    """Return arguments of a random or bayes sweep; reads what has been found, locks nothing."""
    if config.method is Method.BAYES and (dimensions := config.space.dimensions()):
        from sweeps.search.optimizer import propose as propose_point

        observed, pending = _known(sweep, config)
        point = propose_point(dimensions, observed, pending, seed=secrets.randbits(31))
        return Choice(config.space.to_args(point))
    return Choice(config.space.sample(random.SystemRandom()))


_Observed = tuple[tuple[float, ...], float]


def _known(sweep: Sweep, config: SweepConfig) -> tuple[list[_Observed], list[tuple[float, ...]]]:
    """Return the points with their losses, and those whose loss is not known yet."""
    sign = -1.0 if sweep.metric_goal == "maximize" else 1.0
    observed: list[_Observed] = []
    pending: list[tuple[float, ...]] = []
    waiting = (*OPEN, TrialState.WAITING)
    for result in results_of(sweep):
        point = config.space.to_point(result.args)
        if point is None:  # of a configuration that was changed since
            continue
        if result.value is not None and result.state not in waiting:
            observed.append((point, sign * result.value))
        elif result.state in waiting:
            pending.append(point)
    return observed, pending
