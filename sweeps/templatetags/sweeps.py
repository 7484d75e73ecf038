"""What pages of runs ask of sweeps."""

from typing import Any

from django import template

from access.web.requests import actor_of
from runs.models import Run
from sweeps.pages.run import SweepOfRun, sweep_of_run

register = template.Library()


@register.simple_tag(takes_context=True)
def sweep_of(context: dict[str, Any], run: Run) -> SweepOfRun | None:
    """Return the sweep of a run and what the run was given, None for most runs."""
    return sweep_of_run(actor_of(context["request"]), run)
