"""What pages of projects and runs show of alerts."""

from typing import Any

from django import template

from access.web.requests import actor_of
from alerts.preferences.selectors import is_muted
from runs.models import Project

register = template.Library()


@register.inclusion_tag("alerts/preferences/mute_project.html", takes_context=True)
def mute_of_project(context: dict[str, Any], project: Project) -> dict[str, Any]:
    """Offer a person to mute a project's alerts, or to hear of it again."""
    request = context["request"]
    return {
        "request": request,
        "project": project,
        "csrf_token": context.get("csrf_token"),
        "is_muted": is_muted(actor_of(request), project),
    }
