"""What a sweep's page shows, in a fixed number of queries."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode

from access.actor import Actor
from access.engine import can
from runs.models import Run
from runs.query.column_names import quoted, spelled
from runs.secrets.masking import mask
from runs.table import TableQuery, rows_of
from runs.table.html import format_number, format_value
from sweeps.access import SweepAction
from sweeps.agents.selectors import agents_of
from sweeps.config.reading import config_of
from sweeps.models import Sweep, SweepState, Trial
from sweeps.names import agent_command
from sweeps.pages.arguments import Argument, arguments_in, arguments_of, as_yaml, key_of, searched_columns
from sweeps.pages.progress import progress_of
from sweeps.selectors import best_run, expected_runs, runs_of_sweep, state_counts
from sweeps.trials.handing_out import has_remaining

RUNS_SHOWN = 100
"""Rows of the table on the page; the runs table has all of them."""
FEW_RUNS = 5
"""With fewer runs nothing can be said of parameters."""
_COLUMNS_SHOWN = 12
_AXES_SHOWN = 12
_AGENTS_SHOWN = 50
_KEYS_OF = 20
"""In so many runs, the newest, keys are looked for where none has the metric."""
_KEYS_SHOWN = 30


@dataclass(frozen=True, slots=True)
class BestRun:
    """The best run so far; ``config`` is its arguments as YAML."""

    run: Run
    value: str
    exact: float
    arguments: list[Argument]
    config: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the table, with the texts and titles of its columns."""

    run: Run
    cells: list[tuple[str, str, str]]
    """Text, title, class."""
    is_early_stop: bool


@dataclass
class SweepPage:
    """A sweep as one viewer sees it."""

    actor: Actor
    sweep: Sweep

    @cached_property
    def columns(self) -> list[str]:
        """The columns of runs that hold what is searched."""
        return searched_columns(config_of(self.sweep).space)

    @cached_property
    def metric(self) -> str:
        """The column of the metric; "" without one."""
        return spelled(f"summary.{self.sweep.metric_name}") if self.sweep.metric_name else ""

    @property
    def filter(self) -> str:
        """The expression that all runs of the sweep meet."""
        return "sweep = " + quoted(self.sweep.uid, '"')

    @property
    def order(self) -> str:
        """The best first; without a metric the newest."""
        if not self.metric:
            return "-created"
        return f"-{self.metric}" if self.sweep.metric_goal == "maximize" else self.metric

    def live_context(self) -> dict[str, Any]:
        """Return what changes while the sweep is under way."""
        counts = state_counts(self.actor, self.sweep)
        best = self._best()
        agents = list(agents_of(self.sweep).order_by("-heartbeat_at", "-pk")[: _AGENTS_SHOWN + 1])
        return {
            "sweep": self.sweep,
            "progress": progress_of(counts, expected_runs(self.sweep)),
            "early_stops": Trial.objects.filter(sweep=self.sweep, is_early_stop=True).count(),
            "best": best,
            "keys": [] if best or not self.metric or not counts else self._logged_keys(),
            "agents": agents[:_AGENTS_SHOWN],
            "more_agents": len(agents) > _AGENTS_SHOWN,
            "command": agent_command(self.sweep),
            "few_runs": FEW_RUNS,
            "can_resume": self.sweep.is_ended and has_remaining(self.sweep),
            **self._table(),
            **self._rights(),
        }

    def _rights(self) -> dict[str, bool]:
        actions = (SweepAction.EDIT, SweepAction.STOP, SweepAction.DELETE)
        return {
            f"can_{action.value.partition('.')[2]}": can(self.actor, action, self.sweep) for action in actions
        }

    def _best(self) -> BestRun | None:
        found = best_run(self.actor, self.sweep)
        if found is None:
            return None
        run, value = found
        space = config_of(self.sweep).space
        args = Trial.objects.filter(sweep=self.sweep, run=run).values_list("args", flat=True).first()
        args = arguments_in(space, run.config_flat) if args is None else space.in_order(args)
        return BestRun(run, format_number(value), value, arguments_of(args), as_yaml(args))

    def _logged_keys(self) -> list[str]:
        """Return the keys that some runs have logged, where the one that is looked for is not among them."""
        newest = runs_of_sweep(self.actor, self.sweep).order_by("-pk")[:_KEYS_OF]
        found: set[str] = set()
        for summary in newest.values_list("pulse__summary_flat", flat=True):
            found.update(key for key in summary or {} if not key.startswith("_"))
        return sorted(found)[:_KEYS_SHOWN]

    def _table(self) -> dict[str, Any]:
        """Return the runs that are listed, the heads of their columns with their classes, and if there are more."""
        columns = [*([self.metric] if self.metric else []), *self.columns[:_COLUMNS_SHOWN]]
        query = TableQuery(filter=self.filter, order=self.order, columns=tuple(columns))
        page = rows_of(self.actor, self.sweep.project, query, limit=RUNS_SHOWN)
        numeric = {name for name in columns if any(row.cells[name].type == "number" for row in page.rows)}
        css = {name: "num end" if name in numeric else "" for name in columns}
        ids = [row.run.pk for row in page.rows]
        trials = Trial.objects.filter(sweep=self.sweep, run__in=ids, is_early_stop=True)
        stopped = set(trials.values_list("run", flat=True))
        rows = []
        for row in page.rows:
            texts = [(*format_value(row.cells[name]), css[name]) for name in columns]
            rows.append(RunRow(row.run, texts, row.run.pk in stopped))
        heads = [(mask(key_of(name)), css[name]) for name in columns]
        return {"runs": rows, "heads": heads, "more_runs": page.total > len(rows)}

    def charts(self) -> dict[str, Any]:
        """Return what the script of the charts begins with, as JSON."""
        axes = [*self.columns[: _AXES_SHOWN - 1], *([self.metric] if self.metric else [])]
        return {
            "filter": self.filter,
            "metric": self.metric,
            "goal": self.sweep.metric_goal,
            "axes": axes,
            "more": max(0, len(self.columns) - (_AXES_SHOWN - 1)),
        }

    def links(self) -> dict[str, Any]:
        """Return where the same runs are shown: the runs table, in groups, and the workspace."""
        names = [self.sweep.project.team.name, self.sweep.project.name]
        table, workspace = reverse("runs:runs", args=names), reverse("metrics:workspace", args=names)
        metric = [self.metric] if self.metric else []
        shown = {"filter": self.filter, "order": self.order}
        columns = ["state", *metric, *self.columns, "runtime", "created"]
        return {
            "table": f"{table}?{urlencode({**shown, 'columns': ','.join(columns)})}",
            "workspace": f"{workspace}?{urlencode({'filter': self.filter})}",
            "groups": [
                (mask(key_of(column)), f"{table}?{urlencode({**shown, 'group': column})}")
                for column in self.columns
            ],
        }

    def context(self) -> dict[str, Any]:
        """Return the context of the whole page."""
        text = mask(self.sweep.config_text)
        return self.live_context() | {
            "project": self.sweep.project,
            "team": self.sweep.project.team,
            "config": text,
            "has_secrets": text != self.sweep.config_text,
            "charts": self.charts(),
            "links": self.links(),
            "states": SweepState,
        }
