"""The sections of settings that delete a team or an organization, and the way back to a team."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.engine import missing
from access.routes import declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated_post
from common.errors import DomainError
from teams.access import OrganizationAction, TeamAction
from teams.models import Team
from teams.organizations import services as organizations
from teams.teams import deletion
from teams.views.base import organization_of, team_of


@declare(TeamAction.DELETE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def delete(request: HttpRequest, entity: str) -> HttpResponse:
    """Say what goes, take the name, and hide the team (TEAM-21)."""
    team = team_of(request, entity, TeamAction.DELETE)
    error = ""
    if request.method == "POST":
        try:
            deletion.delete_team(actor=actor_of(request), team=team, typed=request.POST.get("name", ""))
        except DomainError as refusal:
            error = refusal.message
        else:
            messages.success(request, _("Team %(team)s deleted.") % {"team": team})
            return redirect("teams:organization_teams", team.organization)
    context = {"team": team, "error": error, "days": settings.DELETED_KEPT_DAYS}
    return render(request, "teams/teams/delete.html", context, status=422 if error else 200)


@declare(TeamAction.DELETE)
@require_POST
def restore(request: HttpRequest, entity: str) -> HttpResponse:
    """Undo the deletion of a team."""
    actor = actor_of(request)
    team = Team.objects.filter(name=entity).first()
    if team is None:
        raise missing(Team)
    deletion.restore_team(actor=actor, team=team)
    messages.success(request, _("Team %(team)s restored.") % {"team": team})
    return redirect("teams:members", team.name)


@declare(OrganizationAction.DELETE)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Say what goes, take the name, and delete the organization, which must have no teams."""
    row = organization_of(request, entity, OrganizationAction.DELETE)
    error = ""
    if request.method == "POST":
        typed = request.POST.get("name", "")
        try:
            organizations.delete_organization(actor=actor_of(request), organization=row, typed=typed)
        except DomainError as refusal:
            error = refusal.message
        else:
            messages.success(request, _("Organization %(name)s deleted.") % {"name": row})
            return redirect("teams:mine")
    teams = Team.objects.live().filter(organization=row).order_by("name")
    context = {"organization": row, "error": error, "teams": teams[:20]}
    return render(request, "teams/organizations/delete.html", context, status=422 if error else 200)
