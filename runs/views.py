"""Home, project and run pages. Charts belong to ``metrics``."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django_htmx.middleware import HtmxDetails

from access.actor import Actor
from access.routes import Open, declare
from access.web import actor_of
from accounts import services as accounts
from accounts.models import User
from accounts.selectors import api_keys_of
from accounts.views import signed_in_user
from common.errors import NotFound
from runs import selectors
from runs.access import ProjectAction, RunAction
from runs.files import listed_file, preview_of
from runs.models import Run
from runs.overview import config_items, overview_rows, summary_items
from runs.pages import run_context
from runs.script import script_for
from runs.services import lifecycle
from storage import tickets
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
        "script": script_for(project="my-first-project"),
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
        "script": script_for(entity=row.team.name, project=row.name),
    }
    return render(request, _fragment(request, "runs/project.html", "rows"), context)


@declare(RunAction.VIEW)
@require_GET
def run_short(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Lead ``/entity/project/id`` to the run's page."""
    run = selectors.get_run(actor_of(request), entity, project, uid)
    return redirect("metrics:run_workspace", entity, project, run.uid)


def _run(request: HttpRequest, names: dict[str, str]) -> Run:
    return selectors.get_run(actor_of(request), names["entity"], names["project"], names["uid"])


def _tab(request: HttpRequest, run: Run, tab: str, **more: Any) -> HttpResponse:
    context = run_context(actor_of(request), run, tab=tab)
    return render(request, f"runs/run_{tab}.html", {**context, **more})


@declare(RunAction.VIEW)
@require_GET
def run_overview(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what the run is, its configuration and summary (RUN-40)."""
    run = _run(request, names)
    more = {"rows": overview_rows(run), "config": config_items(run), "summary": summary_items(run)}
    return _tab(request, run, "overview", **more)


@declare(RunAction.VIEW)
@require_GET
def run_logs(request: HttpRequest, **names: str) -> HttpResponse:
    """Show the console log."""
    run = _run(request, names)
    args = [names["entity"], names["project"], names["uid"]]
    urls = {
        "lines_url": reverse("runs:run_log_lines", args=args),
        "download_url": reverse("runs:run_log_download", args=args),
    }
    return _tab(request, run, "logs", **urls)


@declare(RunAction.VIEW)
@require_GET
def run_files(request: HttpRequest, **names: str) -> HttpResponse:
    """Show the run's files, one of them previewed."""
    run = _run(request, names)
    files = [listed_file(run, file) for file in selectors.files_of(run)]
    wanted = request.GET.get("preview", "")
    preview = preview_of(selectors.files_of(run).filter(name=wanted).first()) if wanted else None
    return _tab(request, run, "files", files=files, preview=preview)


@declare(RunAction.VIEW)
@require_GET
@never_cache
def run_file(request: HttpRequest, *, path: str, **names: str) -> HttpResponse:
    """Lead to a signed, expiring URL of one file."""
    run = _run(request, names)
    file = selectors.files_of(run).filter(name=path).first()
    if file is None:
        raise NotFound(f"The run has no file {path!r}.")
    return redirect(
        tickets.get_path(file.blob, name=file.name, content_type=file.content_type, download=True)
    )


@declare(RunAction.STOP)
@require_POST
def run_stop(request: HttpRequest, **names: str) -> HttpResponse:
    """Ask the run to stop."""
    run = _run(request, names)
    lifecycle.stop_run(actor=actor_of(request), run=run)
    messages.info(request, _("The run was asked to stop."))
    return redirect("metrics:run_workspace", names["entity"], names["project"], run.uid)
