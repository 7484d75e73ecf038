"""What every page asks of teams."""

from typing import Any

from django import template
from django.urls import reverse

from access.engine import can, visible
from access.web import actor_of
from teams.access import OrganizationAction, TeamAction
from teams.features import about_plan, can_compare_plans
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


@register.inclusion_tag("teams/plan_note.html", takes_context=True)
def plan_note(context: dict[str, Any], organization: Organization | None) -> dict[str, str]:
    """Say which plan an organization is on and who changes it, with a link to the plans for its admins."""
    if organization is None:
        return {"about": ""}
    is_admin = can(actor_of(context["request"]), OrganizationAction.MANAGE_SETTINGS, organization)
    leads_on = is_admin and can_compare_plans(organization)
    url = reverse("billing:plans", args=[organization.name]) if leads_on else ""
    return {"about": about_plan(organization), "plans_url": url}
