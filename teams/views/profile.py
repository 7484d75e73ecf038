"""The profile of a team (TEAM-6, TEAM-10) and of an organization, in their settings."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.actor import Actor
from access.engine import missing, require
from access.routes import declare
from access.web.requests import actor_of
from accounts.profile import services as profiles
from accounts.profile.forms import NameForm
from accounts.profile.pictures import MAX_BYTES
from accounts.views.profile import ProfileUrls, show_profile_section, store_intro, store_picture
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
    places = ProfileUrls(
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
    return store_picture(request, team, reverse("teams:profile", args=[team.name]))


@declare(TeamAction.MANAGE_SETTINGS)
@require_POST
def intro(request: HttpRequest, entity: str) -> HttpResponse:
    """Store the team's intro."""
    team = _team(actor_of(request), entity)
    return store_intro(request, team, reverse("runs:entity", args=[team.name]))


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
    return store_intro(request, row, reverse("runs:entity", args=[row.name]))


@declare(OrganizationAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
def organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Organization settings, section Profile: display name and picture; the intro is edited on its page."""
    row = _organization(request, entity)
    form = NameForm(request.POST or None, initial={"display_name": row.display_name})
    if form.is_bound and form.is_valid():
        profiles.rename(actor=actor_of(request), row=row, **form.cleaned_data)
        messages.success(request, _("Profile saved."))
        return redirect(request.path)
    places = ProfileUrls(
        page=reverse("runs:entity", args=[row.name]),
        settings=request.path,
        picture=reverse("teams:organization_profile_picture", args=[row.name]),
    )
    context = {"organization": row, "entity": row, "places": places, "max_bytes": MAX_BYTES, "form": form}
    return render(request, "settings/organization_profile.html", context, status=422 if form.errors else 200)


@declare(OrganizationAction.MANAGE_SETTINGS)
@require_POST
def organization_picture(request: HttpRequest, entity: str) -> HttpResponse:
    """Take or remove the organization's picture."""
    row = _organization(request, entity)
    return store_picture(request, row, reverse("teams:organization_profile", args=[row.name]))
