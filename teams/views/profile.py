"""The pictures and intros of teams (TEAM-6, TEAM-10) and of organizations."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from access.actor import Actor
from access.engine import missing, require
from access.routes import declare
from access.web.requests import actor_of
from accounts.views.profile import store_intro, store_picture
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team


def team_with_profile(actor: Actor, name: str) -> Team:
    """Return the team, shared or personal, if the actor may change its profile."""
    team = Team.objects.select_related("claim", "organization").filter(name=name).first()
    if team is None:
        raise missing(Team)
    require(actor, TeamAction.MANAGE_SETTINGS, team)
    return team


@declare(TeamAction.MANAGE_SETTINGS)
@require_POST
def picture(request: HttpRequest, entity: str) -> HttpResponse:
    """Take or remove the team's picture (TEAM-6)."""
    team = team_with_profile(actor_of(request), entity)
    return store_picture(request, team, reverse("teams:settings", args=[team.name]))


@declare(TeamAction.MANAGE_SETTINGS)
@require_POST
def intro(request: HttpRequest, entity: str) -> HttpResponse:
    """Store the team's intro."""
    team = team_with_profile(actor_of(request), entity)
    return store_intro(request, team, reverse("runs:entity", args=[team.name]))


def organization_with_profile(request: HttpRequest, name: str) -> Organization:
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
    row = organization_with_profile(request, entity)
    return store_intro(request, row, reverse("runs:entity", args=[row.name]))


@declare(OrganizationAction.MANAGE_SETTINGS)
@require_POST
def organization_picture(request: HttpRequest, entity: str) -> HttpResponse:
    """Take or remove the organization's picture."""
    row = organization_with_profile(request, entity)
    return store_picture(request, row, reverse("teams:organization_settings", args=[row.name]))
