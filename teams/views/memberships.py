"""One’s own teams and organizations: the list, the default team, and leaving."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import visible
from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.views.base import signed_in_user
from teams.access import OrganizationAction, TeamAction
from teams.invitations.selectors import invitations_for
from teams.members import services
from teams.members.selectors import (
    memberships_of,
    organization_memberships_of,
    organizations_with_one_admin,
    teams_with_one_admin,
)
from teams.models import Team
from teams.organizations import services as organizations
from teams.teams import creation, default_team
from teams.teams.selectors import default_team_of
from teams.views.base import answer, organization_of, team_of


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def mine(request: HttpRequest) -> HttpResponse:
    """Settings, section Teams: where I belong, with which role, and what I am invited to (ACC-10)."""
    actor = actor_of(request)
    places = memberships_of(actor)
    context = {
        "places": places,
        "sole": teams_with_one_admin(actor, [place.team for place in places]),
        "organizations": (belongs := list(organization_memberships_of(actor))),
        "led_alone": organizations_with_one_admin(actor, [place.organization_id for place in belongs]),
        "invitations": invitations_for(actor),
        "creating": creation.creation_rights(actor),
        "default_team": default_team_of(actor),
    }
    return render(request, "settings/teams.html", context)


@declare(Open.SIGNED_IN)
@require_POST
def mine_default(request: HttpRequest) -> HttpResponse:
    """Choose where one's runs go that name no entity."""

    def act() -> str:
        name, user = request.POST.get("default_team", ""), signed_in_user(request)
        default_team.choose_default_team(actor=actor_of(request), user=user, name=name)
        return _("Runs that do not specify a team now go to %(team)s.") % {"team": name or user.username}

    return answer(request, act, "teams:mine")


@declare(TeamAction.VIEW)
@require_POST
def leave(request: HttpRequest, entity: str) -> HttpResponse:
    """Leave a team."""
    team = team_of(request, entity)

    def act() -> str:
        services.leave_team(actor=actor_of(request), team=team)
        return _("You have left %(team)s.") % {"team": team}

    return answer(request, act, "teams:mine")


@declare(OrganizationAction.VIEW)
@require_POST
def leave_organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Leave an organization and all its teams."""
    organization = organization_of(request, entity)

    def act() -> str:
        organizations.leave_organization(actor=actor_of(request), organization=organization)
        return _("You have left %(organization)s and its teams.") % {"organization": organization}

    return answer(request, act, "teams:mine")


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def invite_your_team(request: HttpRequest) -> HttpResponse:
    """Lead from the top bar to the team to invite to, to a choice of several, or to making the first (TEAM-11)."""
    teams = visible(
        actor_of(request), TeamAction.INVITE, Team.objects.shared().select_related("claim", "organization")
    )
    choices = list(teams[:200])
    if not choices:
        return redirect("teams:new")
    if len(choices) == 1:
        return redirect("teams:invite", choices[0].name)
    return render(request, "teams/invitations/choose_team.html", {"teams": choices})
