"""Reads of sweeps: they begin with `visible` and make a fixed number of queries."""

import re
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from common.errors import Invalid, NotFound
from runs.lifecycle.purge import undo_ended_at
from runs.models import Project, Run
from runs.query.columns import Column, ColumnKind
from runs.selectors import listed_runs_of
from runs.states import ACTIVE
from sweeps.access import SweepAction
from sweeps.models import SILENT_AFTER, Sweep, SweepAgent
from sweeps.trials.results import best_of


def sweeps_of(actor: Actor, project: Project) -> QuerySet[Sweep]:
    """Return a project's visible sweeps, newest first."""
    rows = Sweep.objects.live().filter(project=project).select_related("project__team", "created_by")
    return visible(actor, SweepAction.VIEW, rows).order_by("-created_at", "-pk")


def get_sweep(actor: Actor, project: Project, uid: str) -> Sweep:
    """Return a visible sweep by its ID.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    sweep = sweeps_of(actor, project).filter(uid=uid).first()
    if sweep is None:
        raise NotFound(
            _("The sweep %(sweep)s doesn’t exist in %(entity)s/%(project)s, or you don’t have access to it.")
            % {"sweep": uid, "entity": project.team.name, "project": project.name}
        )
    return sweep


def deleted_sweeps_of(actor: Actor, project: Project) -> QuerySet[Sweep]:
    """Return the deleted sweeps that the actor can restore, last deleted first."""
    gone = Sweep.objects.filter(project=project, deleted_at__gt=undo_ended_at(timezone.now()))
    return visible(actor, SweepAction.DELETE, gone.select_related("project__team")).order_by("-deleted_at")


def runs_of_sweep(actor: Actor, sweep: Sweep) -> QuerySet[Run]:
    """Return the visible runs of a sweep that lists show."""
    return listed_runs_of(actor, sweep.project).filter(sweep=sweep.uid)


def best_run(actor: Actor, sweep: Sweep) -> tuple[Run, float] | None:
    """Return the run with the best last value of the metric, and the value; runs without a finite one are none."""
    return best_of(runs_of_sweep(actor, sweep), sweep) if sweep.metric_name else None


def counted(sweeps: QuerySet[Sweep]) -> QuerySet[Sweep]:
    """Annotate sweeps with ``run_count`` and ``running_count``, of the runs that lists show, and ``agent_count``."""
    runs = Run.objects.listed().filter(project=OuterRef("project"), sweep=OuterRef("uid"))
    agents = SweepAgent.objects.filter(sweep=OuterRef("pk"), exited_at=None)
    return sweeps.annotate(
        run_count=_count(runs),
        running_count=_count(runs.filter(state__in=sorted(ACTIVE))),
        agent_count=_count(agents.filter(heartbeat_at__gt=timezone.now() - SILENT_AFTER)),
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    counts = rows.order_by().annotate(one=Value(1)).values("one").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


def state_counts(actor: Actor, sweep: Sweep) -> dict[str, int]:
    """Return how many of a sweep's visible runs are in each state."""
    rows = runs_of_sweep(actor, sweep).order_by().values_list("state").annotate(n=Count("pk"))
    return dict(rows)


def expected_runs(sweep: Sweep) -> int | None:
    """Return how many runs a sweep is to have, None where it has no end: the grid's points, or fewer by the cap."""
    sizes = [size for size in (sweep.grid_size, sweep.run_cap) if size is not None]
    return min(sizes) if sizes else None


_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_COLUMNS = {
    "name": Column(ColumnKind.TEXT, "uid"),
    "display_name": Column(ColumnKind.TEXT, "display_name"),
    "state": Column(ColumnKind.TEXT, "state"),
    "method": Column(ColumnKind.TEXT, "method"),
    "username": Column(ColumnKind.TEXT, "created_by__username"),
    "created_at": Column(ColumnKind.TIME, "created_at"),
    "updated_at": Column(ColumnKind.TIME, "updated_at"),
}


def sweep_column_named(name: str) -> Column:
    """Return the column of sweeps that a client means.

    Raises:
        Invalid: there is none of this name.
    """
    column = _COLUMNS.get(_CAMEL.sub(r"_\1", name).lower())
    if column is None:
        raise Invalid(f"Sweeps have no column “{name}”. Available: {', '.join(sorted(_COLUMNS))}.")
    return column
