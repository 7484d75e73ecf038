"""What trials led to: the metric of their runs."""

import math
from dataclasses import dataclass
from typing import Any, TypedDict

from django.db.models import Case, F, Q, QuerySet, When
from django_stubs_ext import WithAnnotations

from runs.models import Run
from runs.query.flat import FlatNumber
from sweeps.models import Sweep, Trial

_SUMMARY = "pulse__summary_flat"


class _Valued(TypedDict):
    value: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """A trial with the last value of the metric; None where the run logged none, or none that is finite."""

    args: dict[str, Any]
    state: str
    value: float | None


def valued(sweep: Sweep) -> "QuerySet[WithAnnotations[Trial, _Valued]]":
    """Return all trials, in their order, with ``value``; runs that were deleted or left the sweep have none."""
    is_known = Q(is_prior=True) | Q(run__sweep=sweep.uid, run__project=sweep.project_id)
    value = Case(When(is_known, run__deleted_at=None, then=FlatNumber(f"run__{_SUMMARY}", sweep.metric_name)))
    return Trial.objects.filter(sweep=sweep).annotate(value=value)


def results_of(sweep: Sweep) -> list[Result]:
    """Return the results of all trials, in their order."""
    return [
        Result(args, state, finite(found))
        for args, state, found in valued(sweep).values_list("args", "state", "value")
    ]


def finite(value: float | None) -> float | None:
    """Return a number that is one."""
    return value if value is not None and math.isfinite(value) else None


def metric_of(sweep: Sweep) -> FlatNumber:
    """Return what reads a run's last value of the sweep's metric; null where it is none, or NaN."""
    return FlatNumber(_SUMMARY, sweep.metric_name)


def best_of(runs: QuerySet[Run], sweep: Sweep) -> tuple[Run, float] | None:
    """Return the run with the best last value of the metric, and the value; runs without a finite one are none."""
    found = runs.annotate(metric=metric_of(sweep)).filter(metric__gt=-math.inf, metric__lt=math.inf)
    by = F("metric").desc() if sweep.metric_goal == "maximize" else F("metric").asc()
    run = found.order_by(by, "pk").first()
    return (run, float(run.metric)) if run is not None else None


def is_better(sweep: Sweep, value: float, than: float | None) -> bool:
    """Say whether a value of the metric is better than another one, or the first."""
    if than is None:
        return True
    return value > than if sweep.metric_goal == "maximize" else value < than
