"""The Alerts sections of people and teams (ACC-6, TEAM-7): what is told, where it goes, what is muted."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.engine import require, visible
from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.access import AccountAction
from alerts.access import AlertAction
from alerts.models import Level
from alerts.outbox.history import recent_mail
from alerts.preferences import selectors, services
from alerts.preferences.forms import RouteForm
from alerts.preferences.options import switch_states
from alerts.views.scope import scope_of_team
from common.errors import DomainError, Forbidden, NotFound
from runs.access import ProjectAction
from runs.models import Project
from teams.models import Team
from teams.teams.selectors import personal_team_of
from teams.views.base import answer, number_in, team_of

EXAMPLE = """\
if math.isnan(loss):
    run.alert(
        title="loss is NaN",
        text=f"in step {step}, learning rate {lr}",
        level="ERROR",  # INFO, WARN or ERROR
        wait_duration=300,
    )
"""
"""What people copy into their scripts."""


def _own_team(request: HttpRequest) -> Team:
    team = personal_team_of(actor_of(request))
    if team is None:
        raise NotFound(_("This account has no personal entity."))
    return Team.objects.select_related("claim__user").get(pk=team.pk)


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """Settings, section Alerts: what the viewer is told of their own runs."""
    return _section(request, _own_team(request), "alerts/preferences/own.html")


@declare(AlertAction.MANAGE)
@never_cache
@require_http_methods(["GET", "POST"])
def of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """Team settings, section Alerts: what is told of all runs in its projects."""
    return _section(request, team_of(request, entity, AlertAction.MANAGE), "alerts/preferences/team.html")


def _section(request: HttpRequest, team: Team, template: str) -> HttpResponse:
    """Show the section; a POST with ``part`` saves that part's switches, one without adds a route."""
    actor = actor_of(request)
    require(actor, AlertAction.MANAGE, team)
    if request.method == "POST" and "part" in request.POST:
        return answer(request, lambda: _save(request, team), request.path)
    form = RouteForm(request.POST or None, actor=actor, team=team)
    if request.method == "POST" and form.is_valid() and _is_added(request, team, form):
        return redirect(f"{request.path}#where")
    context = _context(request, team) | {"form": form}
    return render(request, template, context, status=422 if form.errors else 200)


def _save(request: HttpRequest, team: Team) -> str:
    """Take the switches of one part as posted; a box that is not ticked is not sent."""
    if request.POST["part"] == "mail":
        change: dict[str, Any] = {"by_email": "by_email" in request.POST}
    else:
        what = [name for name in services.SWITCHES if name != "by_email"]
        change = {name: name in request.POST for name in what}
        change["least_level"] = request.POST.get("least_level") or None
    services.change_settings(actor=actor_of(request), **selectors.owner_of_settings(team), **change)
    return _("Saved.")


def _is_added(request: HttpRequest, team: Team, form: RouteForm) -> bool:
    """Add the route, or let the form say why not."""
    try:
        route = services.add_route(
            actor=actor_of(request), **selectors.owner_of_settings(team), **form.cleaned_data
        )
    except Forbidden:
        raise
    except DomainError as error:
        form.add_error(None, error.message)
        return False
    messages.success(request, _("Alerts now go to %(destination)s.") % {"destination": route.destination})
    return True


def _context(request: HttpRequest, team: Team) -> dict[str, Any]:
    actor, settings = actor_of(request), selectors.team_settings(team)
    context: dict[str, Any] = {
        "team": team,
        "settings": settings,
        "lines": switch_states(settings),
        "levels": Level.choices,
        "routes": list(selectors.team_routes(team)),
        "example": EXAMPLE,
        "destinations": list(selectors.team_destinations(team)),
        "projects": selectors.project_paths(actor, team),
        "destinations_url": scope_of_team(team).url("destinations"),
    }
    if not team.is_personal:
        return context | {"n_members": selectors.mailed_count(team)}
    mutes = [mute for mute in services.own_mutes(actor) if mute.project_id is not None]
    return context | {
        "muted_projects": mutes,
        "mailing_teams": selectors.mailing_teams(actor),
        "recent": recent_mail(actor),
    }


@declare(AlertAction.MANAGE)
@require_POST
def end_route(request: HttpRequest, pk: int) -> HttpResponse:
    """Let alerts no longer go one way."""
    route = selectors.managed_routes(actor_of(request)).filter(pk=pk).first()
    if route is None:
        raise NotFound(_("This alert route doesn’t exist, or you don’t have access to it."))

    def act() -> str:
        services.remove_route(actor=actor_of(request), route=route)
        return _("Alerts no longer go there.")

    team = route.settings.team
    page = reverse("alerts:team", args=[team.name]) if team else reverse("alerts:own")
    return answer(request, act, f"{page}#where")


@declare(AccountAction.UPDATE)
@require_POST
def mute(request: HttpRequest) -> HttpResponse:
    """Mute the ``project`` or ``team`` that is posted, by its number; ``on`` 0 unmutes it."""
    actor, muted = actor_of(request), _project_or_team(request)
    act, message = (
        (services.unmute, _("Emails about %(name)s turned on again."))
        if request.POST.get("on") == "0"
        else (services.mute, _("Emails about %(name)s turned off."))
    )

    def do() -> str:
        act(actor=actor, **muted)
        return message % {"name": next(iter(muted.values()))}

    return answer(request, do, _back(request, muted))


def _project_or_team(request: HttpRequest) -> dict[str, Any]:
    """Return the project or team to mute, seen or muted already."""
    actor = actor_of(request)
    muted = services.own_mutes(actor)
    if number := number_in(request, "project"):
        rows = Project.objects.live().select_related("team")
        seen = visible(actor, ProjectAction.VIEW, rows.filter(pk=number)).first()
        known = seen or next((row.project for row in muted.filter(project_id=number)), None)
        if known is not None:
            return {"project": known}
    elif number := number_in(request, "team"):
        team = selectors.seen_teams(actor).filter(pk=number).first()
        known_team = team or next((row.team for row in muted.filter(team_id=number)), None)
        if known_team is not None:
            return {"team": known_team}
    raise NotFound(_("This project or team doesn’t exist, or you don’t have access to it."))


def _back(request: HttpRequest, muted: dict[str, Any]) -> str:
    """Return to where the button was: the project's settings, or the section."""
    project = muted.get("project")
    if project is not None and request.POST.get("from") == "project":
        return reverse("runs:project_settings", args=[project.team.name, project.name])
    return reverse("alerts:own") + "#quiet"
