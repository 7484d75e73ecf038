"""The profile of a team (TEAM-6, TEAM-10) and the picture of an organization, in their settings."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.actor import Actor
from access.engine import missing, require
from access.routes import declare
from access.web import actor_of
from accounts.pictures import MAX_BYTES
from accounts.views.profile import Places, show_profile_section, take_intro, take_picture
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team


def _team(actor: Actor, name: str) -> Team:
    """Return the team if the actor may change its profile."""
    team = Team.objects.select_related("claim", "organization").filter(name=name).first()
    if team is None:
        raise missing(Team)
    require(actor, TeamAction.MANAGE_SETTINGS, team)
    return team


@declare(TeamAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest, entity: str) -> HttpResponse:
    """Team settings, section Profile; a personal entity's is its person's."""
    team = _team(actor_of(request), entity)
    if team.is_personal:
        return redirect("accounts:profile")
    places = Places(
        page=reverse("runs:entity", args=[team.name]),
        settings=reverse("teams:profile", args=[team.name]),
        picture=reverse("teams:profile_picture", args=[team.name]),
    )
    return show_profile_section(request, team, places, "settings/team_profile.html", {"team": team})


@declare(TeamAction.MANAGE_SETTINGS)
@require_POST
def picture(request: HttpRequest, entity: str) -> HttpResponse:
    """Take or remove the team's picture (TEAM-6)."""
    team = _team(actor_of(request), entity)
    return take_picture(request, team, reverse("teams:profile", args=[team.name]))


@declare(TeamAction.MANAGE_SETTINGS)
@require_POST
def intro(request: HttpRequest, entity: str) -> HttpResponse:
    """Store the team's intro."""
    team = _team(actor_of(request), entity)
    return take_intro(request, team, reverse("runs:entity", args=[team.name]))


def _organization(request: HttpRequest, name: str) -> Organization:
    """Return the organization if the actor may change its profile."""
    row = Organization.objects.select_related("claim").filter(name=name).first()
    if row is None:
        raise missing(Organization)
    require(actor_of(request), OrganizationAction.MANAGE_SETTINGS, row)
    return row


@declare(OrganizationAction.MANAGE_SETTINGS)
@require_POST
def organization_intro(request: HttpRequest, entity: str) -> HttpResponse:
    """Store the organization's intro."""
    row = _organization(request, entity)
    return take_intro(request, row, reverse("runs:entity", args=[row.name]))


@declare(OrganizationAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
def organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Organization settings, section Picture."""
    row = _organization(request, entity)
    here = reverse("teams:organization_profile", args=[row.name])
    if request.method == "POST":
        return take_picture(request, row, here)
    places = Places(page="", settings=here, picture=here)
    context = {"organization": row, "entity": row, "places": places, "max_bytes": MAX_BYTES}
    return render(request, "settings/organization_profile.html", context)
