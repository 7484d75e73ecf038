"""What every page asks of teams."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _

from access.engine import can, can_somewhere
from access.web.requests import actor_of
from accounts.models import User
from accounts.settings.sections import SettingsScope
from accounts.templatetags.settings_pages import current_section
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, OrganizationMember, Team
from teams.plan_policy import plan_policy
from teams.views.tabs import tabs_of

register = template.Library()


@register.simple_tag(takes_context=True)
def may_invite_somewhere(context: dict[str, Any]) -> bool:
    """Whether the viewer may invite to a team, or make one to invite to (TEAM-11); one query for most."""
    actor = actor_of(context["request"])
    if can_somewhere(actor, TeamAction.INVITE, Team.objects.shared):
        return True
    if not OrganizationMember.objects.filter(user=actor.lookup_id).exists():
        return True  # they make a team, and the organization along the way
    return can_somewhere(actor, OrganizationAction.CREATE_TEAM, Organization.objects.all)


@register.inclusion_tag("teams/place_head.html", takes_context=True)
def place_head(context: dict[str, Any], row: Team | Organization | User) -> dict[str, Any]:
    """Say whose page or settings these are: picture, name, kind, and tabs of teams and organizations."""
    request = context["request"]
    here = request.resolver_match.view_name
    return {
        "row": row,
        "name": row.display_name or str(row),
        "path": str(row),
        "kind": _kind(row),
        "tabs": [] if isinstance(row, User) else tabs_of(actor_of(request), row, here),
        "is_page": here == "runs:entity",
        "request": request,
    }


@register.simple_tag(takes_context=True)
def organization_above(context: dict[str, Any], team: Team | None) -> Organization | None:
    """Return the organization of a team if the viewer may know of it: a team's visitors may not (TEAM-10)."""
    organization = team.organization if team else None
    if organization and can(actor_of(context["request"]), OrganizationAction.VIEW, organization):
        return organization
    return None


@register.simple_tag(takes_context=True)
def settings_crumbs(context: dict[str, Any], scope: str) -> list[dict[str, str]]:
    """Return where a page of settings is: organization / team / Settings / section; one without an address is here.

    A page below a section ends with the section as a link.
    """
    place = SettingsScope(scope)
    row = None if place is SettingsScope.USER else context[scope]
    section = current_section(context, place, row)
    owners: list[Any] = [row or context["request"].user]
    if isinstance(row, Team):
        owners.insert(0, row.organization)
    crumbs = [{"label": str(one), "url": reverse("runs:entity", args=[str(one)])} for one in owners if one]
    arguments = [] if row is None else [str(row)]
    crumbs.append({"label": _("Settings"), "url": reverse(_SETTINGS[place], args=arguments)})
    if section:
        is_here = section.route == context["request"].resolver_match.view_name
        url = "" if is_here else reverse(section.route, args=arguments)
        crumbs.append({"label": str(section.label), "url": url})
    return crumbs


_SETTINGS = {
    SettingsScope.USER: "accounts:settings",
    SettingsScope.TEAM: "teams:members",
    SettingsScope.ORGANIZATION: "teams:organization",
}
"""The page that settings begin with."""


def _kind(row: Team | Organization | User) -> str:
    if isinstance(row, User):
        return _("Your account")
    return _("Team") if isinstance(row, Team) else _("Organization")


@register.inclusion_tag("teams/plan_note.html", takes_context=True)
def plan_note(context: dict[str, Any], organization: Organization | None) -> dict[str, str]:
    """Say which plan an organization is on and who changes it, with a link to the plans for its admins."""
    if organization is None:
        return {"about": ""}
    is_admin = can(actor_of(context["request"]), OrganizationAction.MANAGE_SETTINGS, organization)
    leads_on = is_admin and plan_policy().can_compare(organization)
    url = reverse("billing:plans", args=[organization.name]) if leads_on else ""
    return {"about": plan_policy().describe_plan(organization), "plans_url": url}
