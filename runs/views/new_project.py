"""Making a project before anything is logged to it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.engine import require
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Conflict, Invalid
from runs import selectors
from runs.access import ProjectAction
from runs.projects.forms import NewProjectForm
from runs.projects.services import create_project
from teams.models import Visibility


@declare(ProjectAction.CREATE)
@never_cache
@require_http_methods(["GET", "POST"])
def new_project(request: HttpRequest, entity: str) -> HttpResponse:
    """Make a project, and choose who sees it before there is anything to see (TEAM-24)."""
    actor = actor_of(request)
    team = selectors.get_team(actor, entity)
    require(actor, ProjectAction.CREATE, team)
    form = NewProjectForm(request.POST or None, team=team)
    if request.method == "POST" and form.is_valid():
        try:
            project = create_project(actor=actor, team=team, **form.cleaned_data)
        except (Conflict, Invalid) as error:
            form.add_error("name", error.message)
        else:
            is_restricted = project.visibility == Visibility.RESTRICTED
            return redirect(
                "runs:project_members" if is_restricted else "metrics:workspace", entity, project.name
            )
    return render(
        request, "runs/projects/new.html", {"team": team, "form": form}, status=422 if form.errors else 200
    )
