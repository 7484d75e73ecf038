"""What an archive holds of the sweeps of a project: the configuration of each, its agents and trials."""

from collections.abc import Iterator
from typing import Any

from access.actor import Actor
from exports.archive.writer import Archive
from runs.models import Project
from sweeps.agents.selectors import agents_of
from sweeps.models import Sweep, Trial
from sweeps.selectors import sweeps_of

_AT_ONCE = 500
_COLUMNS = (
    "uid", "display_name", "description", "method", "metric_name", "metric_goal", "run_cap", "state", "is_stopped",
    "best_value", "created_at", "ended_at",
)  # fmt: skip
_OF_TRIALS = (
    "number", "args", "state", "attempts", "run_uid", "is_prior", "is_early_stop", "given_at",
)  # fmt: skip


def write_sweeps(archive: Archive, actor: Actor, project: Project, place: str) -> None:
    """Write the sweeps of a project that the actor may see, oldest first."""
    sweeps = list(sweeps_of(actor, project).order_by("pk"))
    archive.add_lines(f"{place}.jsonl", map(_about, sweeps))
    for sweep in sweeps:
        folder = f"{place}/{sweep.uid}"
        archive.add_text(f"{folder}/config.yaml", sweep.config_text)
        archive.add_lines(f"{folder}/agents.jsonl", _agents(sweep))
        archive.add_lines(f"{folder}/trials.jsonl", _trials(sweep))


def _about(sweep: Sweep) -> dict[str, Any]:
    created_by = sweep.created_by.username if sweep.created_by else None
    return {name: getattr(sweep, name) for name in _COLUMNS} | {"created_by": created_by}


def _agents(sweep: Sweep) -> Iterator[dict[str, Any]]:
    for agent in agents_of(sweep):
        yield {
            "uid": agent.uid,
            "host": agent.host,
            "user": agent.user.username if agent.user else None,
            "created_at": agent.created_at,
            "heartbeat_at": agent.heartbeat_at,
            "exited_at": agent.exited_at,
        }


def _trials(sweep: Sweep) -> Iterator[dict[str, Any]]:
    rows = Trial.objects.filter(sweep=sweep).select_related("agent")
    for trial in rows.iterator(chunk_size=_AT_ONCE):
        yield {name: getattr(trial, name) for name in _OF_TRIALS} | {
            "agent": trial.agent.uid if trial.agent else None
        }
