"""The section *Limits*: what is limited for a person and for a team, and how near they are (wish 19)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.limits.registry import LimitGroup, limits_by_group, limits_now
from access.routes import Open, declare
from access.web.requests import actor_of
from teams.access import TeamAction
from teams.teams.selectors import personal_team_of
from teams.views.base import team_of


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def own(request: HttpRequest) -> HttpResponse:
    """Show every limit, with what the viewer and their own entity use."""
    actor = actor_of(request)
    groups = limits_by_group(limits_now(actor, personal_team_of(actor)))
    return render(request, "teams/limits/own.html", {"groups": groups})


@declare(TeamAction.VIEW)
@never_cache
@require_GET
def of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """Show the limits that a team has for itself and its projects; what holds for everybody is on `own`."""
    team = team_of(request, entity)
    groups = limits_by_group(limits_now(actor_of(request), team, {LimitGroup.TEAM}))
    return render(request, "teams/limits/team.html", {"team": team, "groups": groups})
