"""What pages of runs say of sweeps."""

from collections.abc import Collection
from dataclasses import dataclass

from access.actor import Actor
from runs.models import Project, Run
from runs.names.sweep_names import SweepName
from sweeps.config.reading import config_of
from sweeps.models import Trial
from sweeps.names import sweep_page
from sweeps.pages.arguments import Argument, arguments_of
from sweeps.selectors import sweeps_of


@dataclass(frozen=True, slots=True)
class SweepOfRun:
    """The sweep of a run, and what the run was given; ``url`` is empty where the sweep was deleted."""

    name: str
    url: str
    arguments: list[Argument]
    is_early_stop: bool


def names_of(actor: Actor, project: Project, uids: Collection[str]) -> dict[str, SweepName]:
    """Return what the visible sweeps of these IDs are called, by ID; one query."""
    return {
        sweep.uid: SweepName(str(sweep), sweep_page(sweep))
        for sweep in sweeps_of(actor, project).filter(uid__in=uids)
    }


def sweep_of_run(actor: Actor, run: Run) -> SweepOfRun | None:
    """Return the sweep of a visible run whose project and team are loaded; no query for a run without one."""
    if not run.sweep:
        return None
    known = names_of(actor, run.project, [run.sweep]).get(run.sweep)
    trials = Trial.objects.filter(run=run, sweep__project=run.project_id, sweep__uid=run.sweep)
    trial = trials.select_related("sweep").first()
    args = config_of(trial.sweep).space.in_order(trial.args) if trial else {}
    return SweepOfRun(
        name=known.name if known else run.sweep,
        url=known.url if known else "",
        arguments=arguments_of(args),
        is_early_stop=trial is not None and trial.is_early_stop,
    )
