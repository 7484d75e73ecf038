"""What pages of several apps show: the tabs of a run, the script for a first run."""

from typing import Any

from django.urls import reverse

from access.actor import Actor
from access.engine import can
from runs.access import RunAction
from runs.models import Run
from runs.timeline import silent_for_s


def run_context(actor: Actor, run: Run, *, tab: str) -> dict[str, Any]:
    """Return the context of ``runs/run_base.html``."""
    args = [run.project.team.name, run.project.name, run.uid]
    return {
        "series_url": reverse("metrics:series", args=args),
        "keys_url": reverse("metrics:keys", args=args),
        "run": run,
        "project": run.project,
        "team": run.project.team,
        "tab": tab,
        "can_update": can(actor, RunAction.UPDATE, run),
        "silent_s": silent_for_s(run),
        "can_stop": run.is_active and run.stop_requested_at is None and can(actor, RunAction.STOP, run),
    }
