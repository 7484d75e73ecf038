"""The section General of a team's and of an organization's settings: profile, what it is for, and its end."""

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from accounts.profile import services as profiles
from accounts.profile.forms import NameForm
from accounts.sign_in.reauthentication import reauthenticated_post
from accounts.views.profile import ProfileUrls, profile_context, show_profile_section
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team
from teams.organizations import services as organizations
from teams.organizations.key_policy import keys_beyond_policy
from teams.teams.forms import OrganizationForm, TeamForm
from teams.teams.services import change_team
from teams.views.base import answer, organization_of, team_of
from teams.views.profile import organization_with_profile, team_with_profile

_KEY_POLICY = ("api_keys_allowed", "api_keys_limited", "api_key_max_days")


@declare(TeamAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
def team_settings(request: HttpRequest, entity: str) -> HttpResponse:
    """Show the section, or change what the team is for and who sees its new projects."""
    team = team_of(request, entity, TeamAction.MANAGE_SETTINGS)
    form = _team_form(team, request.POST or None)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            change_team(
                actor=actor_of(request), team=team, display_name=team.display_name, **form.cleaned_data
            )
            return _("Saved.")

        return answer(request, act, request.path)
    context = {**profile_context(team, _team_urls(team)), **_team_context(request, team, form)}
    return render(request, "teams/teams/settings.html", context, status=422 if form.errors else 200)


@declare(TeamAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
def team_profile(request: HttpRequest, entity: str) -> HttpResponse:
    """Store the words of a team's profile (TEAM-6); a personal entity's are its person's."""
    team = team_with_profile(actor_of(request), entity)
    if team.is_personal:
        return redirect("accounts:profile")
    if request.method == "GET":
        return redirect("teams:settings", team.name)
    more = _team_context(request, team, _team_form(team))
    return show_profile_section(request, team, _team_urls(team), "teams/teams/settings.html", more)


def _team_form(team: Team, data: Any = None) -> TeamForm:
    return TeamForm(data, instance=Team.objects.get(pk=team.pk))  # the form changes its own


def _team_urls(team: Team) -> ProfileUrls:
    return ProfileUrls(
        page=reverse("runs:entity", args=[team.name]),
        settings=reverse("teams:settings", args=[team.name]),
        words=reverse("teams:profile", args=[team.name]),
        picture=reverse("teams:profile_picture", args=[team.name]),
    )


def _team_context(request: HttpRequest, team: Team, form: TeamForm) -> dict[str, object]:
    may_delete = can(actor_of(request), TeamAction.DELETE, team)
    return {
        "team": team,
        "section_route": "teams:settings",
        "settings_form": form,
        "delete_url": reverse("teams:delete", args=[team.name]) if may_delete else "",
    }


@declare(OrganizationAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def organization_settings(request: HttpRequest, entity: str) -> HttpResponse:
    """Show the section, or change which API keys the organization's members make."""
    row = organization_of(request, entity, OrganizationAction.MANAGE_SETTINGS)
    form = _key_policy_form(row, request.POST or None)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            organizations.change_organization(
                actor=actor_of(request), organization=row, display_name=row.display_name, **form.cleaned_data
            )
            return _("Saved.")

        return answer(request, act, request.path)
    return _show_organization(request, row, NameForm(initial={"display_name": row.display_name}), form)


@declare(OrganizationAction.MANAGE_SETTINGS)
@never_cache
@require_http_methods(["GET", "POST"])
def organization_profile(request: HttpRequest, entity: str) -> HttpResponse:
    """Store the organization's display name; its intro is edited on its page."""
    row = organization_with_profile(request, entity)
    if request.method == "GET":
        return redirect("teams:organization_settings", row.name)
    form = NameForm(request.POST)
    if form.is_valid():
        profiles.rename(actor=actor_of(request), row=row, **form.cleaned_data)
        messages.success(request, _("Profile saved."))
        return redirect("teams:organization_settings", row.name)
    return _show_organization(request, row, form, _key_policy_form(row))


def _key_policy_form(row: Organization, data: Any = None) -> OrganizationForm:
    return OrganizationForm(data, initial={name: getattr(row, name) for name in _KEY_POLICY})


def _show_organization(
    request: HttpRequest, row: Organization, profile: Form, policy: OrganizationForm
) -> HttpResponse:
    places = ProfileUrls(
        page=reverse("runs:entity", args=[row.name]),
        settings=reverse("teams:organization_settings", args=[row.name]),
        words=reverse("teams:organization_profile", args=[row.name]),
        picture=reverse("teams:organization_profile_picture", args=[row.name]),
    )
    may_delete = can(actor_of(request), OrganizationAction.DELETE, row)
    context = {
        **profile_context(row, places, profile),
        "organization": row,
        "section_route": "teams:organization_settings",
        "settings_form": policy,
        "n_keys": keys_beyond_policy(row).count(),
        "delete_url": reverse("teams:organization_delete", args=[row.name]) if may_delete else "",
    }
    is_refused = profile.errors or policy.errors
    return render(request, "teams/organizations/settings.html", context, status=422 if is_refused else 200)
