"""The Export sections of people and teams."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.actor import Actor
from access.engine import require, visible
from access.routes import Open, declare
from access.web.requests import actor_of
from common.errors import DomainError, Gone, NotFound
from exports import services
from exports.access import ExportAction
from exports.archive import contents
from exports.models import Export
from exports.tasks import make_exports
from storage.signed_urls.tickets import get_path
from teams.access import TeamAction
from teams.models import Team
from teams.teams.selectors import personal_team_of
from teams.views.base import team_of

_SHOWN = 10


def _section(request: HttpRequest, team: Team, template: str) -> HttpResponse:
    """Show a team's exports of the viewer's, or ask for one; HTMX polls the list while one is made."""
    actor = actor_of(request)
    require(actor, TeamAction.EXPORT, team)
    if request.method == "POST":
        try:
            services.request_export(actor=actor, team=team)
            make_exports.delay()
        except DomainError as refusal:
            messages.error(request, refusal.message)
        return redirect(request.path)
    mine = visible(actor, ExportAction.USE, Export.objects.filter(team=team)).select_related("team", "blob")
    exports = list(mine[:_SHOWN])
    context: dict[str, Any] = {
        "team": team,
        "exports": exports,
        "under_way": any(export.is_under_way for export in exports),
        "left_out": contents.projects_left_out(actor, team),
        "kept_days": services.KEPT.days,
        "action": request.path,
    }
    return render(request, "exports/list.html" if request.headers.get("HX-Request") else template, context)


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """Settings, section Export: what the viewer's personal entity holds."""
    team = personal_team_of(actor_of(request))
    if team is None:
        raise NotFound(_("This account has no personal entity."))
    return _section(request, team, "exports/own.html")


@declare(TeamAction.EXPORT)
@never_cache
@require_http_methods(["GET", "POST"])
def team_exports(request: HttpRequest, entity: str) -> HttpResponse:
    """Team settings, section Export (TEAM-12)."""
    team = team_of(request, entity)
    return _section(request, team, "exports/team.html")


def _export(request: HttpRequest, pk: int) -> Export:
    exports = Export.objects.select_related("team", "blob")
    export = visible(actor_of(request), ExportAction.USE, exports.filter(pk=pk)).first()
    if export is None:
        raise NotFound(_("This export doesn’t exist."))
    return export


@declare(ExportAction.USE)
@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop an export that waits or runs."""
    export = services.cancel_export(actor=actor_of(request), export=_export(request, pk))
    return redirect(_section_of(export))


def _section_of(export: Export) -> str:
    """Return the address of the section that lists an export."""
    return (
        reverse("exports:own")
        if export.team.is_personal
        else reverse("exports:team", args=[export.team.name])
    )


def _missing_archive(request: HttpRequest, export: Export, error: Gone) -> HttpResponse:
    """Say why an archive cannot be downloaded, with the way to another."""
    context = {
        "export": export,
        "error": error,
        "section": _section_of(export),
        "kept_days": services.KEPT.days,
    }
    return render(request, "exports/not_there.html", context, status=error.status)


@declare(ExportAction.USE)
@never_cache
def download(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the browser to the archive, by a link that is good for a while and lets downloads be resumed."""
    export = _export(request, pk)
    try:
        return redirect(archive_path(actor_of(request), export))
    except Gone as error:
        return _missing_archive(request, export, error)


def archive_path(actor: Actor, export: Export) -> str:
    """Return the signed address of an archive; raises as `services.download_export`."""
    blob = services.download_export(actor=actor, export=export)
    ended_at = export.ended_at or timezone.now()
    name = f"{export.team.name}-{ended_at:%Y-%m-%d}.zip"
    return get_path(blob, name=name, content_type="application/zip", download=True)
