"""The page of a person, team or organization, and what is pinned there."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import declare
from access.web.requests import actor_of
from common.errors import NotFound
from runs import selectors
from runs.access import ProjectAction
from runs.entity_pages.entity import entity_page
from runs.entity_pages.organization import organization_page
from runs.entity_pages.project_list import ProjectFilter
from runs.projects import services as projects


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def entity(request: HttpRequest, entity: str) -> HttpResponse:
    """Show who, which team or organization this is, and its projects; ``?edit`` opens the intro without a script."""
    wanted = ProjectFilter.of(request.GET.dict())
    try:
        page = entity_page(actor_of(request), entity, wanted)
    except NotFound:
        return _organization(request, entity, wanted)
    args = [] if page.person else [page.team.name]
    space = "accounts" if page.person else "teams"
    context = {
        "page": page,
        "team": page.team,
        "is_editing": page.can_edit and "edit" in request.GET,
        "settings_url": reverse(f"{space}:profile", args=args),
        "intro_url": reverse(f"{space}:profile_intro", args=args),
    }
    return render(request, _template(request, "runs/entity_pages/entity.html"), context)


def _organization(request: HttpRequest, name: str, wanted: ProjectFilter) -> HttpResponse:
    """Show an organization, which has its name in the same name space."""
    page = organization_page(actor_of(request), name, wanted)
    context = {
        "page": page,
        "organization": page.organization,
        "is_editing": page.can_edit and "edit" in request.GET,
        "intro_url": reverse("teams:organization_profile_intro", args=[page.organization.name]),
    }
    return render(request, _template(request, "runs/entity_pages/organization.html"), context)


def _template(request: HttpRequest, whole: str) -> str:
    """Return the page's template, or that of its projects when they are searched."""
    return "profile/project_list.html" if request.htmx else whole  # type: ignore[attr-defined]  # of HtmxMiddleware


@declare(ProjectAction.PIN)
@require_POST
def project_pin(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Put a project first on its entity's page, or let it go (TEAM-10)."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    projects.pin_project(actor=actor, project=row, is_pinned=request.POST.get("pinned") == "1")
    return redirect("runs:entity", entity)
