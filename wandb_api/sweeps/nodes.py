"""Sweeps and their agents as the plain fields of GraphQL objects."""

from typing import Any

from sweeps.models import Sweep, SweepAgent
from sweeps.selectors import expected_runs
from wandb_api.graphql.global_ids import to_id
from wandb_api.graphql.nodes import project_node, user_node


def sweep_node(sweep: Sweep) -> dict[str, Any]:
    """Return a sweep; its project and who created it are loaded."""
    return {
        "row": sweep,
        "id": to_id("Sweep", sweep.pk),
        "name": sweep.uid,
        "displayName": sweep.display_name or None,
        "method": sweep.method,
        "state": sweep.state,
        "description": sweep.description or None,
        "createdAt": sweep.created_at,
        "updatedAt": sweep.updated_at,
        "project": project_node(sweep.project),
        "user": user_node(sweep.created_by),
        "earlyStopJobRunning": sweep.is_hyperband and not sweep.is_ended,
        "controller": None,
        "scheduler": None,
        "runCountExpected": expected_runs(sweep),
    }


def agent_node(agent: SweepAgent, run_count: int) -> dict[str, Any]:
    """Return an agent whose sweep is loaded."""
    return {
        "row": agent,
        "id": to_id("SweepAgent", agent.pk),
        "name": agent.uid,
        "host": agent.host or None,
        "state": "EXITED" if agent.exited_at else "LOST" if agent.is_lost else "RUNNING",
        "totalRuns": run_count,
        "createdAt": agent.created_at,
        "heartbeatAt": agent.heartbeat_at,
    }
