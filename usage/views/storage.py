"""What a team or a person keeps: the sections Storage (ACC-8, TEAM-4), and one of their projects."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from access.engine import require, visible
from access.web.requests import actor_of
from artifacts.retention.storage import largest_collections, largest_versions, oldest_unused
from runs.access import RunAction
from runs.bulk_actions.deletion import WITH_ARTIFACTS, delete_runs
from runs.models import Project
from runs.selectors import get_project, runs_of
from teams.access import TeamAction
from teams.scope import PageScope, scoped, scoped_by
from usage.policy import usage_policy
from usage.storage.selectors import (
    CATEGORIES,
    StoredBytes,
    runs_by_size,
    storage_of,
    stored_by,
    stored_in_project,
)

_PROJECTS, _RUNS = 25, 25
_LABELS: dict[str, tuple[Promise, Promise, str]] = {
    "file": (gettext_lazy("Files"), gettext_lazy("Files saved by runs, including media"), "file"),
    "history": (gettext_lazy("History"), gettext_lazy("Metrics and hardware samples"), "chart-line"),
    "log": (gettext_lazy("Logs"), gettext_lazy("Console output"), "terminal"),
    "artifact": (gettext_lazy("Artifacts"), gettext_lazy("Versions of data and models"), "box"),
}


def _context(scope: PageScope) -> dict[str, Any]:
    return {
        **scope.context("storage"),
        "is_own": scope.is_own,
        "list_url": scope.url("storage"),
        "kept_days": settings.DELETED_KEPT_DAYS,
    }


def _categories(kept: StoredBytes) -> list[dict[str, Any]]:
    """Return what is kept by category; a category that this version does not know comes last, by its own name."""
    rows = []
    for category in dict.fromkeys((*CATEGORIES, *kept.sizes)):
        label, text, icon = _LABELS.get(category, (category, "", "square"))
        size = kept.sizes.get(category, 0)
        percent = 100 * size / kept.total_bytes if kept.total_bytes else 0.0
        rows.append({"label": label, "text": text, "icon": icon, "size": size, "percent": percent})
    return rows


@never_cache
@require_GET
@scoped
def storage(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Show what a team (TEAM-4) or one's own entity keeps, against its plan (ACC-8)."""
    found = storage_of(actor_of(request), scope.row)
    allowance = usage_policy().allowance_of(actor_of(request), scope.row)
    page = Paginator(found.projects, _PROJECTS).get_page(request.GET.get("page"))
    context = {
        **_context(scope),
        "storage": found,
        "kept": found.kept,
        "categories": _categories(found.kept),
        "page": page,
        "projects": [(one, scope.url("storage_project", one.project.name)) for one in page.object_list],
        "allowance": allowance,
        "live_percent": allowance.share_of(found.kept.live_bytes),
        "trash_percent": allowance.share_of(found.kept.trash.size_bytes),
    }
    return render(request, "usage/storage/storage.html", context)


def _delete(request: HttpRequest, project: Project) -> None:
    """Delete the chosen runs, and say what became of them."""
    actor = actor_of(request)
    chosen = runs_of(actor, project).filter(uid__in=request.POST.getlist("uid")[:1000])
    outcome = delete_runs(
        actor=actor,
        run_ids=list(chosen.values_list("pk", flat=True)),
        with_artifacts=WITH_ARTIFACTS in request.POST.getlist("value"),
    )
    if done := len(outcome.done):
        days = settings.DELETED_KEPT_DAYS
        words = ngettext(
            "%(n)d run deleted. It stays under Recently deleted and counts toward storage until it is erased "
            "after %(days)d days.",
            "%(n)d runs deleted. They stay under Recently deleted and count toward storage until they are erased "
            "after %(days)d days.",
            done,
        )
        messages.success(request, words % {"n": done, "days": days})
    for uid, reason in list(outcome.refused.items())[:5]:
        messages.error(request, f"{uid}: {reason}")
    for reason in outcome.kept[:5]:
        messages.error(request, reason)


@never_cache
@require_http_methods(["GET", "POST"])
@scoped_by("")
def project_storage(request: HttpRequest, scope: PageScope, project: str) -> HttpResponse:
    """Show what a project keeps, by run; POST deletes the runs named by ``uid``."""
    actor = actor_of(request)
    row = get_project(actor, scope.row.name, project)
    require(actor, TeamAction.VIEW_USAGE, scope.row)
    if request.method == "POST":
        _delete(request, row)
        return redirect(request.get_full_path())
    page = Paginator(runs_by_size(actor, row), _RUNS).get_page(request.GET.get("page"))
    runs = list(page.object_list)
    kept = stored_in_project(row)
    sizes = stored_by(run_id=[run.pk for run in runs])
    most = max((one.total_bytes for one in sizes.values()), default=0)
    deletable = visible(actor, RunAction.DELETE, runs_of(actor, row).filter(pk__in=[run.pk for run in runs]))
    may_delete = set(deletable.values_list("pk", flat=True))
    context = {
        **_context(scope),
        "project": row,
        "kept": kept,
        "categories": _categories(kept),
        "page": page,
        "rows": [(run, sizes[run.pk], sizes[run.pk].share_of(most), run.pk in may_delete) for run in runs],
        "may_delete": bool(may_delete),
        "largest_collections": largest_collections(actor, row),
        "version_lists": [
            (gettext("Largest artifact versions"), largest_versions(actor, row)),
            (gettext("Oldest artifact versions that no run has used"), oldest_unused(actor, row)),
        ],
    }
    return render(request, "usage/storage/project.html", context)
