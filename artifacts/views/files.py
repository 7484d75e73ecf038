"""The files of a version: a tree, previews, and downloads."""

import mimetypes

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction, require_for
from artifacts.pages.addresses import version_page
from artifacts.pages.files import find_entries, find_entry, folder_of
from artifacts.pages.preview import preview_of
from artifacts.selectors import entries_of
from artifacts.views.rows import place_of
from artifacts.views.version import version_context
from common.errors import NotFound
from common.formats.numbers import int_param
from storage.signed_urls import tickets

_MOST_FILES = 10**9


@declare(ArtifactAction.VIEW)
@never_cache
@require_GET
def files(request: HttpRequest, **names: str) -> HttpResponse:
    """Show the files by folder, one of them previewed; HTMX asks for one folder, a search or a preview."""
    place, actor = place_of(request, names), actor_of(request)
    version, search = place.version, request.GET.get("search", "").strip()
    context = {**version_context(request, place, tab="files"), "search": search}
    previewed = request.GET.get("preview", "")
    if previewed:
        entry = find_entry(version, previewed)
        if entry is not None and context["can_download"]:
            context["preview"] = preview_of(actor, version, entry, request.GET, place.collection.project)
    if previewed and request.htmx:  # type: ignore[attr-defined]  # of HtmxMiddleware
        return render(request, "artifacts/files/preview.html", context)
    if search:
        context["found"] = list(find_entries(version, search))
    start = int_param(request.GET, "start", 0, _MOST_FILES)
    context["folder"] = folder_of(version, request.GET.get("folder", ""), start)
    context |= {"files_url": version_page(place, "files"), "file_row": "artifacts/files/row.html"}
    part = "artifacts/files/page.html"
    if request.htmx:  # type: ignore[attr-defined]
        part = "partials/file_list.html" if "search" in request.GET else "partials/file_branch.html"
    return render(request, part, context)


@declare(ArtifactAction.DOWNLOAD)
@never_cache
@require_GET
def file(request: HttpRequest, *, path: str, **names: str) -> HttpResponse:
    """Lead to a signed, expiring address of one file."""
    version = place_of(request, names).version
    entry = entries_of(version, [path]).first()
    if entry is None or entry.content is None:
        raise NotFound(_("The version has no file “%(path)s”.") % {"path": path})
    require_for(actor_of(request), ArtifactAction.DOWNLOAD, version)
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return redirect(tickets.get_path(entry.content.blob, name=path, content_type=kind, download=True))
