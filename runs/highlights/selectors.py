"""Runs as the home page and a project's overview show them, in a fixed number of queries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from runs import selectors
from runs.highlights.main_metric import MainMetric, main_metric
from runs.highlights.provider import MetricLine, causes_of_failure, metric_lines
from runs.models import Project, Run
from runs.query.ordering import read_order
from runs.states import ACTIVE, RunState

FAILED_WITHIN = timedelta(days=1)
MAX_FAILED = 4
MAX_RUNNING = 12
MAX_RECENT = 20
_LOOKED_AT = 20
"""So many of a project's newest runs say which metric it has."""
_BAD_ENDS = (RunState.FAILED, RunState.CRASHED)


@dataclass(frozen=True, slots=True)
class Highlight:
    """A run, and what is said of it."""

    run: Run
    metric: MainMetric | None = None
    line: MetricLine | None = None
    cause: str = ""
    """Why it failed, where that is known."""

    @property
    def value(self) -> float | None:
        """The summary's value of its metric, or while nothing sums it up the last one logged."""
        found = self.run.pulse.summary_flat.get(self.metric.column) if self.metric else None
        return self.line.last if found is None and self.line else found


@dataclass(frozen=True, slots=True)
class OwnRuns:
    """A person's runs; none is in two of the lists."""

    failed: list[Highlight]
    running: list[Highlight]
    recent: list[Highlight]


def own_highlights(actor: Actor) -> OwnRuns:
    """Return the actor's runs that run, failed within a day, and their last others; monitored machines are no runs."""
    own = selectors.own_runs(actor).filter(is_host=False)
    lately = own.filter(state__in=_BAD_ENDS, finished_at__gte=timezone.now() - FAILED_WITHIN)
    failed = list(lately.order_by("-finished_at", "-pk")[:MAX_FAILED])
    running = list(own.filter(state__in=sorted(ACTIVE))[:MAX_RUNNING])
    shown = {run.pk for run in (*failed, *running)}
    recent = [run for run in own[: MAX_RECENT + len(shown)] if run.pk not in shown][:MAX_RECENT]
    causes = causes_of_failure(failed)
    by_pk = {one.run.pk: one for one in highlights([*running, *recent])}
    return OwnRuns(
        failed=[Highlight(run, cause=causes.get(run.pk, "")) for run in failed],
        running=[by_pk[run.pk] for run in running],
        recent=[by_pk[run.pk] for run in recent],
    )


def highlights(runs: Collection[Run], metric: MainMetric | None = None) -> list[Highlight]:
    """Return runs with the line of a metric: the given one, or each run's own main one."""
    metric_of = {run.pk: metric or main_metric([run.pulse.summary_flat]) for run in runs}
    lines = metric_lines({pk: one.key for pk, one in metric_of.items() if one})
    return [Highlight(run, metric_of[run.pk], lines.get(run.pk)) for run in runs]


@dataclass(frozen=True, slots=True)
class ProjectHighlights:
    """What a project's overview shows of its runs."""

    metric: MainMetric | None
    best: Highlight | None
    recent: list[Highlight]


def project_highlights(actor: Actor, project: Project, limit: int) -> ProjectHighlights:
    """Return a project's main metric, the run with its best value, and the newest runs."""
    runs = selectors.listed_runs_of(actor, project).filter(is_host=False).select_related("project__team")
    newest = list(runs.order_by("-created_at", "-pk")[: max(limit, _LOOKED_AT)])
    metric = main_metric(run.pulse.summary_flat for run in newest)
    best = _best(runs, metric, newest) if metric else None
    shown = newest[:limit]
    drawn = {one.run.pk: one for one in highlights([*shown, *([best] if best else [])], metric)}
    return ProjectHighlights(
        metric=metric,
        best=drawn[best.pk] if best else None,
        recent=[drawn[run.pk] for run in shown],
    )


def _best(runs: "QuerySet[Run]", metric: MainMetric, newest: Sequence[Run]) -> Run | None:
    """Return the run with the best value, None where fewer than two have one."""
    if sum(metric.column in run.pulse.summary_flat for run in newest) < 2:  # noqa: PLR2004 - one is no contest
        return None
    order: Any = read_order(f"{'-' if metric.is_maximized else '+'}summary.{metric.column}")
    return runs.order_by(*order).first()
