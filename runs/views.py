"""Home, project and run pages. Charts belong to ``metrics``."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django_htmx.middleware import HtmxDetails

from access.actor import Actor
from access.routes import Open, declare
from access.web import actor_of
from accounts import services as accounts
from accounts.models import User
from accounts.selectors import api_keys_of
from accounts.views import signed_in_user
from runs import selectors
from runs.access import ProjectAction
from runs.pages import first_script
from teams.selectors import teams_of

PAGE = 50
_RECENT = 12


def _fragment(request: HttpRequest, template: str, part: str) -> str:
    """Return the template, or its named part when HTMX asks."""
    htmx = getattr(request, "htmx", None)
    return f"{template}#{part}" if isinstance(htmx, HtmxDetails) and htmx else template


def _base_url(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _first_run(request: HttpRequest, actor: Actor, user: User) -> HttpResponse:
    """Show the three lines to copy; a person without any key gets a first one made here (UI-2)."""
    secret = ""
    if not api_keys_of(actor).exists():
        _row, secret = accounts.create_api_key(actor=actor, owner=user, label="First run")
    context = {
        "base_url": _base_url(request),
        "api_key": secret,
        "script": first_script(project="my-first-project"),
    }
    return render(request, "runs/first_run.html", context)


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show what of mine runs, recent projects, my teams."""
    actor = actor_of(request)
    projects = selectors.recent_projects(actor)
    if not projects:
        return _first_run(request, actor, signed_in_user(request))
    context = {
        "running_runs": selectors.running_runs(actor),
        "recent_runs": selectors.own_runs(actor)[:_RECENT],
        "recent_projects": projects,
        "teams": teams_of(actor),
    }
    return render(request, _fragment(request, "runs/home.html", "runs"), context)


@declare(ProjectAction.VIEW)
@require_GET
def entity(request: HttpRequest, entity: str) -> HttpResponse:
    """List an entity's visible projects."""
    actor = actor_of(request)
    team = selectors.get_team(actor, entity)
    return render(request, "runs/entity.html", {"team": team, "projects": selectors.projects_of(actor, team)})


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def project(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """List a project's runs, newest first."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    page = Paginator(selectors.runs_of(actor, row), PAGE).get_page(request.GET.get("page"))
    context = {
        "project": row,
        "team": row.team,
        "runs": page.object_list,
        "page_obj": page,
        "script": first_script(entity=row.team.name, project=row.name),
    }
    return render(request, _fragment(request, "runs/project.html", "rows"), context)
