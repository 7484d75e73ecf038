"""The home page."""

from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import Open, declare
from access.web import actor_of
from accounts import services as accounts
from accounts.selectors import api_keys_of
from accounts.views.base import signed_in_user
from common.answers import fragment
from common.errors import Forbidden
from runs import selectors
from runs.script import script_for
from teams.selectors import teams_of

_RECENT = 12


def _base_url(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def first_run(request: HttpRequest) -> HttpResponse:
    """Show the three lines to copy; a person without any key gets a first one made here (UI-2)."""
    actor, user, secret = actor_of(request), signed_in_user(request), ""
    if not actor.impersonated_by and not api_keys_of(actor).exists():
        with suppress(Forbidden):  # by the policy of an organization, which the page of keys explains
            _row, secret = accounts.create_api_key(actor=actor, owner=user, label=_("First run"))
    context = {
        "base_url": _base_url(request),
        "api_key": secret,
        "script": script_for(project="my-first-project"),  # as in README
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
        return first_run(request)
    context = {
        "running_runs": selectors.running_runs(actor),
        "recent_runs": selectors.own_runs(actor)[:_RECENT],
        "recent_projects": projects,
        "teams": teams_of(actor),
    }
    return render(request, fragment(request, "runs/home.html", "runs"), context)
