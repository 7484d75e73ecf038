"""What pages of runs ask of artifacts."""

from typing import Any

from django import template

from access.web.requests import actor_of
from artifacts.selectors import inputs_of, outputs_of
from runs.models import Run

register = template.Library()


@register.simple_tag(takes_context=True)
def artifact_counts(context: dict[str, Any], run: Run) -> dict[str, int]:
    """Return how many versions a run used and logged, of those that may be seen."""
    actor = actor_of(context["request"])
    return {"inputs": inputs_of(actor, run).count(), "outputs": outputs_of(actor, run).count()}
