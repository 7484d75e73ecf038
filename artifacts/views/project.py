"""A project's Artifacts page, and what was deleted there."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction
from artifacts.collections.services import restore_some_of_collection
from artifacts.pages.addresses import registry_page, trash_page
from artifacts.pages.code import first_code
from artifacts.pages.project import collections_listed, type_rows, with_latest
from artifacts.pages.trash import deleted_collections, deleted_versions, find_deleted
from artifacts.versions.deletion import restore_version
from artifacts.views.rows import project_of
from artifacts.views.steps import do_steps, reply_to, sent_time
from common.errors import Conflict, Gone, NotFound
from runs.models import Project

_A_PAGE = 50


@declare(ArtifactAction.VIEW)
@never_cache
@require_GET
def artifacts(request: HttpRequest, **names: str) -> HttpResponse:
    """List the collections of a project, by type."""
    project, actor = project_of(request, names), actor_of(request)
    if project.is_registry:
        return redirect(registry_page(project.registry))
    chosen, search = request.GET.get("type", ""), request.GET.get("search", "").strip()
    own, of_the_sdk = type_rows(actor, project, chosen)
    listed = collections_listed(actor, project, type_name=chosen, search=search)
    page = Paginator(listed, _A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "team": project.team,
        "types": own,
        "sdk_types": of_the_sdk,
        "chosen_type": chosen,
        "search": search,
        "page": page,
        "rows": with_latest(list(page.object_list)),
        "total": sum(row.count for row in own),
        "code": first_code(),
    }
    part = "artifacts/project/list.html" if request.htmx else "artifacts/project/page.html"  # type: ignore[attr-defined]  # of HtmxMiddleware
    return render(request, part, context)


@declare(ArtifactAction.DELETE)
@never_cache
@require_http_methods(["GET", "POST"])
def deleted(request: HttpRequest, **names: str) -> HttpResponse:
    """List deleted collections and versions that the viewer may restore; POST restores one."""
    project, actor = project_of(request, names), actor_of(request)
    if request.method == "POST":
        return _restore(request, project)
    rows = deleted_collections(actor, project) + deleted_versions(actor, project)
    context = {"project": project, "team": project.team, "rows": rows, "row_icon": "package"}
    return render(request, "artifacts/project/deleted.html", context)


def _restore(request: HttpRequest, project: Project) -> HttpResponse:
    """Restore a version, or in steps a collection; its later steps send when it was deleted."""
    actor, page = actor_of(request), trash_page(project)
    row = find_deleted(actor, project, request.POST.get("restore", ""), sent_time(request))
    if row is None:
        raise NotFound(_("This doesn’t exist, or it can no longer be restored."))

    def step() -> int:
        if row.version is None:
            return restore_some_of_collection(actor=actor, collection=row.collection, at=row.deleted_at)
        restore_version(actor=actor, version=row.version)
        return 0

    try:
        left = do_steps(request, step)
    except (Conflict, Gone) as refusal:
        messages.error(request, refusal.message)
        return reply_to(request, page)
    if not left:
        messages.success(request, _("“%(name)s” restored.") % {"name": row.name})
    return reply_to(request, page, at=row.deleted_at, left=left)
