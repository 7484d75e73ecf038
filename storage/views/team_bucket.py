"""Where a team's files lie, and its own bucket: a section of its settings (TEAM-9, TEAM-40)."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.routes import declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated
from common.errors import DomainError, Forbidden
from storage.tasks import move_contents_now
from storage.team_buckets import connector
from storage.team_buckets.forms import BucketForm, CredentialsForm
from storage.team_buckets.selectors import address_of, storage_of_team
from teams.access import TeamAction
from teams.models import Team
from teams.views.base import answer, team_of

_SECTION = "storage:team_bucket"


def _page(team: Team) -> str:
    return reverse(_SECTION, args=[team.name])


@declare(TeamAction.MANAGE_SETTINGS)
@never_cache
@require_GET
def section(request: HttpRequest, entity: str) -> HttpResponse:
    """Show where the files lie; HTMX polls the body while they are moved."""
    team = team_of(request, entity, TeamAction.MANAGE_SETTINGS)
    context = {"team": team, "storage": storage_of_team(actor_of(request), team)}
    part = "state" if request.headers.get("HX-Request") else "section"
    return render(request, f"storage/team_bucket/{part}.html", context)


@declare(TeamAction.MANAGE_STORAGE)
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@reauthenticated
def connect(request: HttpRequest, entity: str) -> HttpResponse:
    """Ask for a bucket, try it, and begin to move the team's files there."""
    team = team_of(request, entity, TeamAction.MANAGE_STORAGE)
    form = BucketForm(request.POST or None)
    if form.is_valid() and _is_done(
        form,
        lambda: connector.connect(
            actor=actor_of(request), team=team, url=form.url, credentials=form.credentials
        ),
    ):
        move_contents_now()
        messages.success(request, _("Bucket connected. Files are being moved there."))
        return redirect(_page(team))
    context = {
        "team": team, "section_route": _SECTION, "form": form, "storage": storage_of_team(actor_of(request), team),
    }  # fmt: skip
    return render(request, "storage/team_bucket/connect.html", context, status=422 if form.errors else 200)


@declare(TeamAction.MANAGE_STORAGE)
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@reauthenticated
def credentials(request: HttpRequest, entity: str) -> HttpResponse:
    """Ask for other credentials of the same bucket, and try them."""
    team = team_of(request, entity, TeamAction.MANAGE_STORAGE)
    address = address_of(connector.current_bucket(team))
    form = CredentialsForm(request.POST or None, kind=address.provider)
    if form.is_valid() and _is_done(
        form,
        lambda: connector.replace_credentials(
            actor=actor_of(request), team=team, credentials=form.credentials
        ),
    ):
        move_contents_now()
        messages.success(request, _("Credentials replaced."))
        return redirect(_page(team))
    context = {"team": team, "section_route": _SECTION, "form": form, "address": address}
    return render(
        request, "storage/team_bucket/credentials.html", context, status=422 if form.errors else 200
    )


def _is_done(form: CredentialsForm, act: Callable[[], object]) -> bool:
    """Do what a form asks for; a refusal stands by it, since a bucket tells in it which permission is missing."""
    try:
        act()
    except Forbidden:
        raise
    except DomainError as error:
        form.add_error(None, error.message)
        return False
    return True


@declare(TeamAction.MANAGE_STORAGE)
@require_POST
def perform(request: HttpRequest, entity: str) -> HttpResponse:
    """Check the bucket, move files back, or go on with a move, as the button ``act`` says."""
    team = team_of(request, entity, TeamAction.MANAGE_STORAGE)
    actor = actor_of(request)

    def check() -> str:
        bucket = connector.check_again(actor=actor, team=team)
        return _("The check found a problem.") if bucket.check_error else _("The check passed.")

    def disconnect() -> str:
        connector.disconnect(actor=actor, team=team)
        move_contents_now()
        return _("Files are being moved back to the default storage.")

    def retry() -> str:
        connector.retry(actor=actor, team=team)
        move_contents_now()
        return _("Retrying now.")

    actions: dict[str, Callable[[], str]] = {"check": check, "disconnect": disconnect, "retry": retry}
    action = actions.get(request.POST.get("act", ""))
    return answer(request, action, _page(team)) if action else redirect(_page(team))
