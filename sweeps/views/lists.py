"""A project's sweeps, and those that were deleted there."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from access.engine import can, require
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Gone, NotFound
from runs.models import Project
from runs.selectors import get_project
from sweeps.access import SweepAction
from sweeps.lifecycle.deletion import restore_sweep
from sweeps.pages.lists import deleted_rows, sweep_rows
from sweeps.selectors import counted, deleted_sweeps_of, sweeps_of

DELETED = "deleted_sweep"
"""Where a session keeps which sweep was deleted just now."""
_A_PAGE = 50
_EXAMPLE = """program: train.py
method: random
metric:
  name: val_loss
  goal: minimize
parameters:
  lr:
    distribution: log_uniform_values
    min: 0.0001
    max: 0.1
  batch_size:
    values: [16, 32, 64]"""


@declare(SweepAction.VIEW)
@never_cache
@require_GET
def sweeps(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """List the sweeps of a project, newest first."""
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    require(actor, SweepAction.VIEW, row)
    page = Paginator(counted(sweeps_of(actor, row)), _A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": row,
        "team": row.team,
        "page": page,
        "rows": sweep_rows(page.object_list),
        "can_create": can(actor, SweepAction.CREATE, row),
        "example": _EXAMPLE,
    }
    if request.htmx:  # type: ignore[attr-defined]  # of HtmxMiddleware
        return render(request, "sweeps/list/rows.html", context)
    return render(request, "sweeps/list/page.html", context | {"undo": _undo(request, row)})


def _undo(request: HttpRequest, project: Project) -> object:
    """Return the sweep whose deletion can be undone, once: the page that follows it offers that."""
    uid = request.session.pop(DELETED, "")
    return deleted_sweeps_of(actor_of(request), project).filter(uid=uid).first() if uid else None


@declare(SweepAction.DELETE)
@never_cache
@require_http_methods(["GET", "POST"])
def deleted_sweeps(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """List deleted sweeps that the viewer may restore; POST restores one."""
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    require(actor, SweepAction.VIEW, row)
    if request.method == "POST":
        return _restore(request, row)
    context = {"project": row, "team": row.team, "rows": deleted_rows(actor, row), "row_icon": "workflow"}
    return render(request, "sweeps/list/deleted.html", context)


def _restore(request: HttpRequest, project: Project) -> HttpResponse:
    actor = actor_of(request)
    sweep = deleted_sweeps_of(actor, project).filter(uid=request.POST.get("restore", "")).first()
    if sweep is None:
        raise NotFound(_("This doesn’t exist, or it can no longer be restored."))
    names = [project.team.name, project.name]
    try:
        restore_sweep(actor=actor, sweep=sweep)
    except Gone as refusal:
        messages.error(request, refusal.message)
        return redirect("sweeps:deleted_sweeps", *names)
    messages.success(request, _("“%(name)s” restored.") % {"name": sweep})
    return redirect("sweeps:sweep", *names, sweep.uid)
