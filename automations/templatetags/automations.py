"""What pages of projects ask of automations."""

from typing import Any

from django import template

from access.engine import can
from access.web.requests import actor_of
from alerts.models import Message, MessageState
from automations.access import AutomationAction
from automations.history import STATES
from runs.models import Project
from teams.scope import PageScope

register = template.Library()


@register.simple_tag(takes_context=True)
def sees_automations(context: dict[str, Any], project: Project) -> bool:
    """Say whether the viewer may see the project's automations: strangers to a public one may not; one query."""
    return can(actor_of(context["request"]), AutomationAction.VIEW, project)


@register.simple_tag
def url_of(scope: PageScope, route: str, *args: Any) -> str:
    """Return the path of a page of automations in a scope."""
    return scope.url(route, *args)


@register.inclusion_tag("automations/execution_tag.html")
def execution_tag(message: Message) -> dict[str, Any]:
    """Say in a word what became of a message."""
    return {"state": message.state, "label": STATES[MessageState(message.state)]}
