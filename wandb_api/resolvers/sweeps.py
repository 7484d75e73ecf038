"""Sweeps and their agents (protocol 2.4 and 3.4)."""

import json
from typing import Any

from django.db.models import Max, Q, QuerySet

from access.actor import Actor
from access.engine import visible
from common.errors import Invalid, NotFound
from ingest.services import hidden_as_missing, team_for
from runs.access import RunAction
from runs.models import Project, Run
from runs.projects.services import ensure_project
from runs.query.conditions import to_q
from runs.query.mongo import read_filters
from runs.query.ordering import read_order
from runs.selectors import get_project_by_any_name, listed_runs_of
from sweeps.access import SweepAction, shown_config
from sweeps.agents.selectors import agents_of
from sweeps.agents.services import answer_heartbeat, get_agent, read_run_states, register_agent
from sweeps.lifecycle import services as lifecycle
from sweeps.models import Sweep, SweepAgent
from sweeps.selectors import best_run, counted, get_sweep, runs_of_sweep, sweep_column_named, sweeps_of
from sweeps.trials.priors import MAX_PRIORS
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.bindings import mutation, project_type, root, run_type, sweep_agent_type, sweep_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import from_id, kind_of
from wandb_api.graphql.nodes import run_node
from wandb_api.graphql.pagination import page_of
from wandb_api.sweeps.nodes import agent_node, sweep_node
from wandb_api.unsupported.fields import Feature

_MAX_PAGE = 500
_MAX_AGENTS = 2000


def _project(actor: Actor, given: dict[str, Any]) -> Project:
    """Return the project that is named, or the client's default.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    name = given.get("projectName") or "uncategorized"
    return get_project_by_any_name(actor, team_for(actor, given.get("entityName")).name, name)


def _sweep_by_id(actor: Actor, text: str) -> Sweep:
    rows = Sweep.objects.live().select_related("project__team", "created_by")
    sweep = visible(actor, SweepAction.VIEW, rows.filter(pk=from_id("Sweep", text))).first()
    if sweep is None:
        raise NotFound(f"The sweep with the ID “{text}” doesn’t exist, or you don’t have access to it.")
    return sweep


@root(mutation, "upsertSweep", SweepAction.CREATE)
def resolve_upsert_sweep(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Create a sweep, or change one."""
    _refuse_schedulers(input)
    actor = info.context.actor
    if input.get("id"):
        sweep, warnings = _change(actor, _sweep_by_id(actor, input["id"]), input)
    else:
        sweep, warnings = _create(actor, input)
    return {"sweep": sweep_node(sweep), "configValidationWarnings": list(warnings)}


def _refuse_schedulers(input: dict[str, Any]) -> None:
    """Refuse what would have something else than the server choose arguments, or start programs."""
    if input.get("launchScheduler"):
        raise Invalid(Feature.LAUNCH)
    given = {name for name in ("controller", "scheduler") if input.get(name) not in {None, "", "null", "{}"}}
    if given:
        raise Invalid(Feature.SCHEDULER)


def _change(actor: Actor, sweep: Sweep, input: dict[str, Any]) -> tuple[Sweep, tuple[str, ...]]:
    warnings: tuple[str, ...] = ()
    if any(input.get(name) is not None for name in ("config", "displayName", "description")):
        sweep, warnings = lifecycle.change_sweep(
            actor=actor, sweep=sweep, config_text=input.get("config"), display_name=input.get("displayName"),
            description=input.get("description"),
        )  # fmt: skip
    if input.get("state"):
        sweep = lifecycle.change_state(actor=actor, sweep=sweep, state=input["state"].upper())
    return sweep, warnings


def _create(actor: Actor, input: dict[str, Any]) -> tuple[Sweep, tuple[str, ...]]:
    if not input.get("config"):
        raise Invalid("config: a sweep needs a configuration.")
    team = team_for(actor, input.get("entityName"))
    name = input.get("projectName") or "uncategorized"
    with hidden_as_missing(actor, team, name):
        project = ensure_project(actor=actor, team=team, name=name)
        return lifecycle.create_sweep(
            actor=actor, project=project, config_text=input["config"],
            display_name=input.get("displayName") or "", description=input.get("description"),
            priors=_priors(actor, project, input.get("priorRunsFilters")),
        )  # fmt: skip


def _priors(actor: Actor, project: Project, filters: str | None) -> list[Run]:
    """Return the runs that a new sweep learns from."""
    if not filters or filters in {"null", "{}"}:
        return []
    runs = listed_runs_of(actor, project).filter(to_q(read_filters(filters))).order_by("created_at", "pk")
    found = list(runs[: MAX_PRIORS + 1])
    if not found:
        raise Invalid("priorRunsFilters: none of the runs is in the project.")
    if len(found) > MAX_PRIORS:
        raise Invalid(f"A sweep can learn from at most {MAX_PRIORS} earlier runs.")
    return found


@root(mutation, "createAgent", RunAction.LOG)
def resolve_create_agent(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make an agent known."""
    actor = info.context.actor
    sweep = get_sweep(actor, _project(actor, input), input["sweep"])
    return {"agent": _one_agent(register_agent(actor=actor, sweep=sweep, host=input["host"]))}


@root(mutation, "agentHeartbeat", RunAction.LOG)
def resolve_agent_heartbeat(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Hear what an agent works on, and tell it what to do."""
    agent = get_agent(info.context.actor, from_id("SweepAgent", input["id"]))
    commands = answer_heartbeat(agent, read_run_states(input.get("runState") or "{}"))
    return {"agent": _one_agent(agent), "commands": json.dumps([one.wire() for one in commands])}


def _agents(sweep: Sweep, named: Q) -> list[dict[str, Any]]:
    agents = agents_of(sweep).filter(named)[:_MAX_AGENTS]
    return [agent_node(agent, agent.run_count) for agent in agents]


def _one_agent(agent: SweepAgent) -> dict[str, Any]:
    return _agents(agent.sweep, Q(pk=agent.pk))[0]


@project_type.field("totalSweeps")
def resolve_total_sweeps(project: dict[str, Any], info: Info) -> int:
    """Return how many sweeps of a project are visible."""
    return sweeps_of(info.context.actor, project["row"]).count()


@project_type.field("sweeps")
def resolve_sweeps(
    project: dict[str, Any],
    info: Info,
    *,
    after: str | None = None,
    first: int | None = 50,
    filters: str | None = None,
) -> dict[str, Any]:
    """Return a page of a project's sweeps."""
    condition = to_q(read_filters(filters), sweep_column_named)
    rows = counted(sweeps_of(info.context.actor, project["row"]).filter(condition))
    return page_of(rows, sweep_node, after=after, first=first, most=_MAX_PAGE)


@project_type.field("sweep")
def resolve_sweep(project: dict[str, Any], info: Info, sweepName: str) -> dict[str, Any] | None:
    """Return a visible sweep by its short ID, or null."""
    rows = sweeps_of(info.context.actor, project["row"])
    is_global = kind_of(sweepName) == "Sweep"
    named = Q(pk=from_id("Sweep", sweepName)) if is_global else Q(uid=sweepName)
    sweep = counted(rows.filter(named)).first()
    return sweep_node(sweep) if sweep is not None else None


@sweep_type.field("config")
def resolve_config(sweep: dict[str, Any], info: Info) -> str:
    """Return the YAML as it was written, or with secrets masked; only one that holds secrets takes a query."""
    return shown_config(info.context.actor, sweep["row"])


@sweep_type.field("runCount")
def resolve_run_count(sweep: dict[str, Any], info: Info) -> int:
    """Return how many runs it has, of those that lists show."""
    row = sweep["row"]
    count = getattr(row, "run_count", None)
    return int(runs_of_sweep(info.context.actor, row).count() if count is None else count)


@sweep_type.field("bestLoss")
def resolve_best_loss(sweep: dict[str, Any], info: Info) -> float | None:
    """Return the best value of the metric: in lists as it was told last, else among all runs."""
    row = sweep["row"]
    if info.path.prev is not None and info.path.prev.key == "node":
        return None if row.best_value is None else float(row.best_value)
    found = best_run(info.context.actor, row)
    return found[1] if found else None


@sweep_type.field("heartbeatAt")
def resolve_heartbeat_at(sweep: dict[str, Any], info: Info) -> Any:
    """Return when the last of its agents was heard."""
    return sweep["row"].agents.aggregate(at=Max("heartbeat_at"))["at"]


def _page_of_runs(
    runs: QuerySet[Run], info: Info, *, after: str | None, first: int | None, order: str | None
) -> dict[str, Any]:
    siblings = Siblings()

    def weigh(run: Run) -> None:
        info.context.budget.count_read(len(run.config_text) + len(run.pulse.summary_text))

    rows = runs.select_related("project__team").order_by(*read_order(order))
    return page_of(
        rows, lambda run: run_node(run, siblings), after=after, first=first, most=_MAX_PAGE, weigh=weigh
    )


@sweep_type.field("runs")
def resolve_runs_of_sweep(
    sweep: dict[str, Any], info: Info, *, filters: str | None = None, after: str | None = None,
    first: int | None = 50, order: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return a page of the sweep's runs."""
    runs = runs_of_sweep(info.context.actor, sweep["row"]).filter(to_q(read_filters(filters)))
    return _page_of_runs(runs, info, after=after, first=first, order=order)


@sweep_type.field("priorRuns")
def resolve_prior_runs(
    sweep: dict[str, Any], info: Info, *, after: str | None = None, first: int | None = 50
) -> dict[str, Any]:
    """Return a page of the earlier runs that the search learns from, oldest first."""
    row = sweep["row"]
    runs = listed_runs_of(info.context.actor, row.project).filter(trials__sweep=row, trials__is_prior=True)
    return _page_of_runs(runs, info, after=after, first=first, order="+created_at")


@sweep_type.field("agents")
def resolve_agents(sweep: dict[str, Any], info: Info) -> dict[str, Any]:
    """Return all agents of a sweep, oldest first."""
    return {"edges": [{"node": node} for node in _agents(sweep["row"], Q())]}


@sweep_type.field("agent")
def resolve_agent(sweep: dict[str, Any], info: Info, agentName: str) -> dict[str, Any] | None:
    """Return one agent by its name or global ID, or null."""
    is_global = kind_of(agentName) == "SweepAgent"
    named = Q(pk=from_id("SweepAgent", agentName)) if is_global else Q(uid=agentName)
    return next(iter(_agents(sweep["row"], named)), None)


@sweep_agent_type.field("runs")
def resolve_runs_of_agent(
    agent: dict[str, Any], info: Info, *, after: str | None = None, before: str | None = None,
    first: int | None = 50, last: int | None = None, order: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return a page of the runs that an agent was given; it is read forwards only.

    Raises:
        Invalid: read backwards.
    """
    if before or last:
        raise Invalid("Runs of an agent are read with first and after, not with last and before.")
    row = agent["row"]
    runs = runs_of_sweep(info.context.actor, row.sweep).filter(trials__agent=row)
    return _page_of_runs(runs, info, after=after, first=first, order=order)


@run_type.field("shouldStop")
def resolve_should_stop(run: dict[str, Any], info: Info) -> bool:
    """Say whether a run is to stop."""
    return bool(run["stopped"])


@run_type.field("failed")
def resolve_failed(run: dict[str, Any], info: Info) -> bool:
    """Say whether a run ended badly."""
    return run["state"] in {"failed", "crashed"}


@run_type.field("running")
def resolve_running(run: dict[str, Any], info: Info) -> bool:
    """Say whether a run is under way."""
    return bool(run["row"].is_active)
