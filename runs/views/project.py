"""A project's overview and settings, its deleted runs, and the comparison of some runs (RUN-20, RUN-7, RUN-29)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Conflict, Invalid
from common.templatetags.runyard import color_index
from runs import selectors
from runs.access import ProjectAction, RunAction
from runs.bulk_actions import deletion
from runs.highlights.selectors import project_highlights
from runs.lifecycle.purge import undo_ends_at
from runs.models import Run
from runs.projects import services as projects
from runs.projects.run_counts import run_counts
from runs.projects.visibility import choices_for
from runs.saved_views.selectors import working_view
from runs.table.comparison import ComparisonSection, compare_runs
from runs.table.environments import compare_environments
from runs.table.run_colors import run_colors
from teams.models import Visibility

MOST_COMPARED = 20
_RECENT = 12
_DELETED_SHOWN = 200


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def overview(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Show what the project is, and how much is in it."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    context = {
        "project": row,
        "team": row.team,
        "totals": selectors.totals_of(row),
        "highlights": project_highlights(actor, row, _RECENT),
        "can_update": can(actor, ProjectAction.UPDATE, row),
    }
    return render(request, "runs/projects/overview.html", context)


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def project_settings(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Show what is set for the project; who may change it finds the dialogs for it here."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    can_open = can(actor, ProjectAction.CHANGE_VISIBILITY, row)
    context = {
        "project": row,
        "team": row.team,
        "run_count": run_counts([row.pk])[row.pk].total(),
        "can_update": can(actor, ProjectAction.UPDATE, row),
        "can_delete": can(actor, ProjectAction.DELETE, row),
        "deleted_kept_days": settings.DELETED_KEPT_DAYS,
        "can_open": can_open,
        "visibilities": choices_for(actor, row) if can_open else [],
    }
    return render(request, "runs/projects/settings.html", context)


@declare(ProjectAction.UPDATE)
@require_POST
def update(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Change the description, or the tags that protect runs."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    tags = request.POST.get("protected_tags")
    projects.update_project(
        actor=actor,
        project=row,
        description=request.POST.get("description"),
        protected_tags=None if tags is None else [tag.strip() for tag in tags.split(",") if tag.strip()],
    )
    return redirect("runs:project_settings" if tags is not None else "runs:project_overview", entity, project)


@declare(ProjectAction.UPDATE)
@require_POST
def rename(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Give the project another name; addresses and scripts with the one before still lead to it."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    try:
        row = projects.rename_project(actor=actor, project=row, name=request.POST.get("name", ""))
    except (Conflict, Invalid) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Project renamed to %(name)s.") % {"name": row.name})
    return redirect("runs:project_settings", entity, row.name)


@declare(ProjectAction.CHANGE_VISIBILITY)
@require_POST
def change_visibility(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Open or close the project."""
    actor = actor_of(request)
    row = selectors.get_managed_project(actor, ProjectAction.CHANGE_VISIBILITY, entity, project)
    projects.change_visibility(
        actor=actor, project=row, visibility=request.POST.get("visibility", row.visibility)
    )
    messages.info(request, _("The project is now %(seen)s.") % {"seen": row.visibility_label})
    is_restricted = row.visibility == Visibility.RESTRICTED
    return redirect("runs:project_members" if is_restricted else "runs:project_settings", entity, project)


@declare(ProjectAction.VIEW)
@never_cache
@require_http_methods(["GET", "POST"])
def deleted(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """List deleted runs; POST restores those named by ``uid``, or gives them up for good."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    runs = selectors.deleted_runs_of(actor, row)
    if request.method == "POST":
        chosen = list(runs.filter(uid__in=request.POST.getlist("uid")).values_list("pk", flat=True))
        act = deletion.purge_now if request.POST.get("act") == "purge" else deletion.restore_runs
        for reason in act(actor=actor, run_ids=chosen).refused.values():
            messages.error(request, reason)
        return redirect("runs:deleted", entity, project)
    shown = list(runs[:_DELETED_SHOWN])
    context = {
        "project": row,
        "team": row.team,
        "waiting": [(run, undo_ends_at(run)) for run in shown if run.purge_began_at is None],
        "purging": [run for run in shown if run.purge_began_at is not None],
        "left_out": max(0, runs.count() - _DELETED_SHOWN),
    }
    part = "#lists" if request.headers.get("HX-Request") else ""
    return render(request, f"runs/projects/deleted_runs.html{part}", context)


_COMPARED: dict[str, Callable[[Sequence[Run]], list[ComparisonSection]]] = {
    "values": partial(compare_runs, with_equal=True),
    "environment": compare_environments,
}


@declare(RunAction.VIEW)
@require_GET
def compare(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Set chosen runs side by side; ``runs`` repeated, ``all=1`` also shows what is equal.

    ``part=values`` answers with the lines on what the runs logged alone, ``part=environment`` with those on machines
    and packages, which lie in files of the runs.
    """
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    uids = list(dict.fromkeys(request.GET.getlist("runs")))
    if len(uids) > MOST_COMPARED:
        raise Invalid(
            _("You can compare at most %(most)s runs at once, not %(count)s.")
            % {"most": MOST_COMPARED, "count": len(uids)}
        )
    found: dict[str, Run] = {run.uid: run for run in selectors.runs_of(actor, row).filter(uid__in=uids)}
    runs = [found[uid] for uid in uids if uid in found]
    context: dict[str, Any] = {"project": row, "team": row.team, "runs": runs}
    if part := _COMPARED.get(request.GET.get("part", "")):
        context["parts"] = part(runs)
        return render(request, "runs/table/comparison_parts.html", context)
    context |= {
        "heads": [(run, _address([other for other in runs if other is not run])) for run in runs],
        "parts": _COMPARED["values"](runs),
        "with_equal": bool(request.GET.get("all")),
        "missing": [uid for uid in uids if uid not in found],
        "can_add": len(runs) < MOST_COMPARED,
        "environment": f"{_address(runs)}&part=environment",
        "start": {
            "colors": run_colors(working_view(actor, row)).picked,
            "runs": [
                {
                    "uid": run.uid,
                    "name": run.display_name,
                    "state": run.state,
                    "color": color_index(run.number),
                }
                for run in runs
            ],
        },
    }
    return render(request, "runs/table/comparison.html", context)


def _address(runs: list[Run]) -> str:
    """Return the query of a comparison of these runs."""
    return "?" + urlencode({"runs": [run.uid for run in runs]}, doseq=True)
