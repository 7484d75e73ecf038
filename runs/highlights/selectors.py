"""Runs as the home page and a project's overview show them, in a fixed number of queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from runs import selectors
from runs.config.metric_definitions import MAXIMIZE, definitions_of
from runs.highlights.main_metric import MainMetric, main_metric, main_metrics
from runs.highlights.provider import MetricLine, causes_of_failure, metric_lines, mini_charts
from runs.models import Project, Run
from runs.query.ordering import read_order
from runs.states import ACTIVE, RunState

FAILED_WITHIN = timedelta(days=1)
MAX_FAILED = 4
MAX_RUNNING = 12
MAX_RECENT = 20
MAX_CHARTS = 3
MAX_LINES = 8
"""As many runs in a small chart as there are colors."""
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

    @property
    def has_more_running(self) -> bool:
        """Whether others may run, which are among the recent ones."""
        return len(self.running) == MAX_RUNNING


def own_highlights(actor: Actor) -> OwnRuns:
    """Return the actor's runs that run, failed within a day, and their last others; monitored machines are no runs."""
    own = selectors.own_runs(actor).filter(is_host=False)
    lately = own.filter(state__in=_BAD_ENDS, finished_at__gte=timezone.now() - FAILED_WITHIN)
    failed = list(lately.order_by("-finished_at", "-pk")[:MAX_FAILED])
    # By keys: else a database that has the runs in order looks through all of them for the few that are active.
    active = Run.objects.filter(user_id=actor.lookup_id, state__in=sorted(ACTIVE)).order_by()
    running = list(own.filter(pk__in=list(active.values_list("pk", flat=True)))[:MAX_RUNNING])
    shown = {run.pk for run in (*failed, *running)}
    recent = [run for run in own[: MAX_RECENT + len(shown)] if run.pk not in shown][:MAX_RECENT]
    causes = causes_of_failure(failed)
    by_pk = {one.run.pk: one for one in highlights([*running, *recent])}
    return OwnRuns(
        failed=[Highlight(run, cause=causes.get(run.pk, "")) for run in failed],
        running=[by_pk[run.pk] for run in running],
        recent=[by_pk[run.pk] for run in recent],
    )


def highlights(runs: Iterable[Run], metric: MainMetric | None = None) -> list[Highlight]:
    """Return runs with the line of a metric: the given one, or each run's own main one."""
    runs = list(runs)
    metric_of = {run.pk: metric or main_metric([run.pulse.summary_flat]) for run in runs}
    lines = metric_lines({pk: one.key for pk, one in metric_of.items() if one})
    return [Highlight(run, metric_of[run.pk], lines.get(run.pk)) for run in runs]


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A small chart with the lines of a project's newest runs."""

    key: str
    low: float
    high: float
    first_step: float
    last_step: float
    lines: list[tuple[Run, str]]


@dataclass(frozen=True, slots=True)
class ProjectHighlights:
    """What a project's overview shows of its runs."""

    metric: MainMetric | None
    best: Highlight | None
    charts: list[DrawnChart]
    recent: list[Highlight]


def project_highlights(actor: Actor, project: Project, limit: int) -> ProjectHighlights:
    """Return the run with the best value of a project's main metric, charts of the newest runs, and these."""
    runs = selectors.listed_runs_of(actor, project).filter(is_host=False).select_related("project__team")
    newest = list(runs.order_by("-created_at", "-pk")[: max(limit, _LOOKED_AT)])
    definitions = definitions_of(newest[0]) if newest else None
    metrics = main_metrics((run.pulse.summary_flat for run in newest), MAX_CHARTS, definitions)
    metric = metrics[0] if metrics else None
    best = _best(runs, metric, newest) if metric else None
    return ProjectHighlights(
        metric=metric,
        best=Highlight(best, metric) if best else None,
        charts=_charts(newest[:MAX_LINES], metrics),
        recent=highlights(newest[:limit], metric),
    )


def _charts(runs: Sequence[Run], metrics: Sequence[MainMetric]) -> list[DrawnChart]:
    by_pk = {run.pk: run for run in runs}
    return [
        DrawnChart(
            one.key, one.low, one.high, one.first_step, one.last_step,
            [(by_pk[pk], points) for pk, points in one.points_of.items()],
        )
        for one in mini_charts(list(by_pk), [metric.key for metric in metrics])
    ]  # fmt: skip


def _best(runs: "QuerySet[Run]", metric: MainMetric, newest: Sequence[Run]) -> Run | None:
    """Return the run with the best value, None where fewer than two have one or nobody knows what is better."""
    if not metric.goal or sum(metric.column in run.pulse.summary_flat for run in newest) < 2:
        return None
    order: Any = read_order(f"{'-' if metric.goal == MAXIMIZE else '+'}summary.{metric.column}")
    return runs.order_by(*order).first()
