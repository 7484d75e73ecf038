"""What every page asks of teams."""

from typing import Any

from django import template

from access.engine import visible
from access.web import actor_of
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, OrganizationMember, Team

register = template.Library()


@register.simple_tag(takes_context=True)
def may_invite_somewhere(context: dict[str, Any]) -> bool:
    """Whether the viewer may invite to a team, or make one to invite to (TEAM-11); one query for most."""
    actor = actor_of(context["request"])
    if visible(actor, TeamAction.INVITE, Team.objects.shared()).exists():
        return True
    if not OrganizationMember.objects.filter(user=actor.lookup_id).exists():
        return True  # they make a team, and the organization along the way
    return visible(actor, OrganizationAction.CREATE_TEAM, Organization.objects.all()).exists()
