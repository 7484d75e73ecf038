"""The section *Limits*: what is limited for a person and for a team, and how near they are (wish 19)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.limits.registry import LimitGroup, limits_by_group, limits_now
from access.web.requests import actor_of
from teams.scope import PageScope, scoped
from teams.teams.selectors import personal_team_of


@never_cache
@require_GET
@scoped
def limits(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Show every limit, with what the viewer and their own entity use; of a team those that it has for itself."""
    actor = actor_of(request)
    if scope.team is None:
        groups = limits_by_group(limits_now(actor, personal_team_of(actor)))
        return render(request, "teams/limits/own.html", {"groups": groups})
    groups = limits_by_group(limits_now(actor, scope.team, {LimitGroup.TEAM}))
    return render(request, "teams/limits/team.html", {"team": scope.team, "groups": groups})
