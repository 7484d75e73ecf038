"""How long a team keeps its artifacts, with what a change would delete soon."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction
from artifacts.retention.policy import PREVIEWED, Preview, preview_policy, set_team_policy, team_ttl
from artifacts.views.collection import DAY_S, ttl_of_form
from common.errors import Invalid
from teams.models import Team
from teams.views.base import answer, team_of


@declare(ArtifactAction.SET_RETENTION)
@never_cache
@require_http_methods(["GET", "POST"])
def retention(request: HttpRequest, entity: str) -> HttpResponse:
    """Show and set the team's time to live; ``preview`` shows what the chosen one would delete, and changes nothing."""
    team = team_of(request, entity, ArtifactAction.SET_RETENTION)
    choice = request.POST if request.method == "POST" else request.GET
    if request.method == "POST" and "preview" not in choice:
        return answer(request, lambda: _set(request, team), request.path)
    chosen_s, preview, problem = team_ttl(team), None, ""
    if "ttl" in choice:
        try:
            chosen_s = ttl_of_form(choice.get("ttl", ""), choice.get("ttl_days", "")) or 0
            preview = _preview(request, team, chosen_s)
        except Invalid as refusal:
            problem = refusal.message
    context = {
        "team": team, "days": chosen_s // DAY_S, "current_days": team_ttl(team) // DAY_S, "preview": preview,
        "previewed_days": PREVIEWED.days, "problem": problem,
    }  # fmt: skip
    return render(request, "artifacts/retention.html", context)


def _preview(request: HttpRequest, team: Team, ttl_s: int) -> Preview:
    return preview_policy(actor=actor_of(request), team=team, ttl_s=ttl_s)


def _set(request: HttpRequest, team: Team) -> str:
    ttl_s = ttl_of_form(request.POST.get("ttl", ""), request.POST.get("ttl_days", "")) or 0
    set_team_policy(actor=actor_of(request), team=team, ttl_s=ttl_s)
    return _("Artifact retention saved.")
