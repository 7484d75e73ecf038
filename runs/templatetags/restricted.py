"""What a page that is not there offers to a member of the team."""

from typing import Any

from django import template

from access.engine import can, visible
from access.web.requests import actor_of
from runs.access import ProjectAction
from runs.models import Project
from teams.access import TeamAction
from teams.models import Team

register = template.Library()


@register.simple_tag(takes_context=True)
def requestable_project(context: dict[str, Any]) -> dict[str, str]:
    """Return the project of the address as ``entity`` and ``project``, where the viewer may ask for access to it.

    That is in a team of theirs, and when they see no such project, whether or not there is one; else it is empty.
    """
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or not {"entity", "project"} <= match.kwargs.keys():
        return {}
    actor, names = actor_of(request), {part: match.kwargs[part] for part in ("entity", "project")}
    team = Team.objects.shared().filter(name=names["entity"]).first()
    if team is None or not can(actor, TeamAction.VIEW, team):
        return {}
    rows = Project.objects.live().filter(team=team, name=names["project"])
    return {} if visible(actor, ProjectAction.VIEW, rows).exists() else names
