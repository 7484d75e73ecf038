"""Reads of agents."""

from typing import TypedDict

from django.db.models import Count, Q, QuerySet
from django_stubs_ext import WithAnnotations

from sweeps.models import Sweep, SweepAgent


class _Counted(TypedDict):
    run_count: int


def agents_of(sweep: Sweep) -> "QuerySet[WithAnnotations[SweepAgent, _Counted]]":
    """Return the agents of a visible sweep, oldest first, with ``run_count``: of runs that were not deleted."""
    runs = Count("trials", filter=Q(trials__run__deleted_at=None, trials__run__isnull=False))
    rows = SweepAgent.objects.filter(sweep=sweep).select_related("sweep__project__team", "user")
    return rows.annotate(run_count=runs).order_by("pk")
