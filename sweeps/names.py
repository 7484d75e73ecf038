"""Where a sweep's page is, and how its agents are started."""

from django.urls import reverse

from sweeps.models import Sweep


def sweep_page(sweep: Sweep) -> str:
    """Return the path of a sweep's page, or of the deleted ones' list; its project and team are loaded."""
    names = [sweep.project.team.name, sweep.project.name]
    if sweep.deleted_at is not None:
        return reverse("sweeps:deleted_sweeps", args=names)
    return reverse("sweeps:sweep", args=[*names, sweep.uid])


def agent_command(sweep: Sweep) -> str:
    """Return what people run on a machine that is to work on the sweep; its project and team are loaded."""
    return f"wandb agent {sweep.project.team.name}/{sweep.project.name}/{sweep.uid}"
