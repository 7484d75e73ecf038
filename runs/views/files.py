"""The Files tab."""

from urllib.parse import unquote

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import can, require
from access.routes import declare
from access.web.requests import actor_of
from common.errors import NotFound
from common.formats.numbers import int_param
from common.templatetags.runyard import number
from common.web.file_tree import FILES_A_PAGE
from common.web.responses import attachment
from runs import selectors
from runs.access import RunAction
from runs.files.announced_files import missing_files
from runs.files.browsing import find_files, folder_of, preview_of
from runs.files.services import delete_run_file
from runs.files.zip_download import zipped
from runs.lifecycle.participants import unfinished_outputs
from runs.run_page.context import run_context
from runs.secrets.reveal import is_revealed
from runs.states import ACTIVE
from runs.views.run import run_of
from storage.signed_urls import tickets

_MOST_FILES = 10**9
_MOST_DELETED = 1000


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_files(request: HttpRequest, **names: str) -> HttpResponse:
    """Show the run's files by folder, one of them previewed; HTMX asks for one folder, a search or a preview."""
    run, actor = run_of(request, names), actor_of(request)
    previewed, search = request.GET.get("preview", ""), request.GET.get("search", "").strip()
    context = {**run_context(actor, run, tab="files"), "search": search}
    if previewed:
        file = selectors.files_of(run).filter(name=previewed).first()
        context["preview"] = preview_of(file, revealed=is_revealed(request, run))
    context["can_delete_files"] = can(actor, RunAction.DELETE_FILES, run)
    if previewed and request.htmx:  # type: ignore[attr-defined]  # of HtmxMiddleware
        return render(request, "runs/files/preview.html", context)
    if search:
        context["found"] = find_files(run, search)
    folder, start = request.GET.get("folder", ""), int_param(request.GET, "start", 0, _MOST_FILES)
    context["folder"] = folder_of(run, folder, start)
    address = reverse("runs:run_files", args=[run.project.team.name, run.project.name, run.uid])
    context |= {"files_url": address, "file_row": "runs/files/row.html"}
    for kind, rows in (("refused", run.refused_files.all()), ("missing", missing_files(run))):
        shown = list(rows[:FILES_A_PAGE])
        count = rows.count() if len(shown) == FILES_A_PAGE else len(shown)
        context |= {f"{kind}_files": shown, f"{kind}_count": count}
    context["unfinished_outputs"] = [] if run.state in ACTIVE else unfinished_outputs(run)
    part = "runs/files/page.html"
    if request.htmx:  # type: ignore[attr-defined]
        part = "partials/file_list.html" if "search" in request.GET else "partials/file_branch.html"
    return render(request, part, context)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_file(request: HttpRequest, *, path: str, **names: str) -> HttpResponse:
    """Lead to a signed, expiring URL of one file."""
    run = run_of(request, names)
    file = selectors.files_of(run).filter(name=path).first()
    if file is None:
        raise NotFound(_("The run has no file “%(path)s”.") % {"path": path})
    masked = not is_revealed(request, run)
    return redirect(
        tickets.get_path(
            file.blob, name=file.name, content_type=file.content_type, download=True, is_masked=masked
        )
    )


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_files_zip(request: HttpRequest, **names: str) -> StreamingHttpResponse:
    """Stream all files, or those of one folder, as one archive."""
    run = run_of(request, names)
    files = list(selectors.files_of(run).filter(name__startswith=request.GET.get("folder", "")))
    reply = StreamingHttpResponse(
        zipped(files, revealed=is_revealed(request, run)), content_type="application/zip"
    )
    reply["Content-Disposition"] = attachment(f"{run.uid}-files.zip")
    return reply


@declare(RunAction.DELETE_FILES)
@require_POST
def run_files_delete(request: HttpRequest, **names: str) -> HttpResponse:
    """Delete the files named by repeated ``name``, and all in each ``folder``, which ends with a slash.

    Both are percent-encoded, because forms change the ends of lines.
    """
    run, actor = run_of(request, names), actor_of(request)
    require(actor, RunAction.DELETE_FILES, run)
    meant = Q(name__in=list(map(unquote, request.POST.getlist("name"))))
    for folder in map(unquote, request.POST.getlist("folder")):
        if folder.endswith("/"):
            meant |= Q(name__startswith=folder)
    files = selectors.files_of(run).filter(meant)
    count = files.count()
    if count > _MOST_DELETED:
        text = _(
            "At most %(most)s files can be deleted at once; %(count)s are selected. Nothing was deleted."
        )
        messages.error(request, text % {"most": number(_MOST_DELETED), "count": number(count)})
    else:
        for file in files:
            file.run = run
            delete_run_file(actor=actor, file=file)
        messages.success(
            request, ngettext("%(n)d file deleted.", "%(n)d files deleted.", count) % {"n": count}
        )
    return redirect("runs:run_files", names["entity"], names["project"], names["uid"])
