"""Deleting a project, and the list of what can be brought back."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.engine import require
from access.routes import declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated
from common.errors import Conflict, NotFound
from runs import selectors
from runs.access import ProjectAction
from runs.projects.deletion import delete_project, restore_project


@declare(ProjectAction.DELETE)
@require_POST
@reauthenticated
def delete(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Delete the project whose name was typed, and show where it can be restored."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    require(actor, ProjectAction.DELETE, row)
    if request.POST.get("name", "").strip() != row.name:
        messages.error(request, _("Type the project’s name, %(project)s, to delete it.") % {"project": row})
        return redirect("runs:project_settings", entity, project)
    try:
        delete_project(actor=actor, project=row)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("runs:project_settings", entity, project)
    messages.success(request, _("Project %(project)s deleted.") % {"project": row})
    return redirect("runs:deleted_projects", entity)


@declare(ProjectAction.DELETE)
@never_cache
@require_http_methods(["GET", "POST"])
def deleted_projects(request: HttpRequest, entity: str) -> HttpResponse:
    """List an entity's deleted projects that the viewer may restore; POST restores one."""
    actor = actor_of(request)
    team = selectors.get_team(actor, entity)
    rows = selectors.deleted_projects_of(actor, team)
    if request.method == "POST":
        row = rows.filter(pk=request.POST.get("restore", "0")).first()
        if row is None:
            raise NotFound(_("This deleted project doesn’t exist, or it can no longer be restored."))
        try:
            restore_project(actor=actor, project=row)
        except Conflict as refusal:
            messages.error(request, refusal.message)
            return redirect("runs:deleted_projects", entity)
        messages.success(request, _("Project %(project)s restored.") % {"project": row})
        return redirect("runs:project_overview", entity, row.name)
    kept = timedelta(days=settings.DELETED_KEPT_DAYS)
    shown = rows.annotate(key=F("pk"), kept_until=F("deleted_at") + kept)
    return render(request, "runs/projects/deleted.html", {"team": team, "rows": shown, "row_icon": "box"})
