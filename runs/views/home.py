"""The home page."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.api_keys import services as key_services
from accounts.api_keys.selectors import api_keys_of
from accounts.views.base import signed_in_user
from common.errors import Forbidden
from common.web.responses import fragment
from runs import selectors
from runs.highlights.selectors import own_highlights
from runs.projects.quickstart import script_for, server_address
from runs.projects.run_counts import counted_lately
from teams.teams.selectors import teams_of

_NEW = timedelta(days=1)
"""So long nobody is mailed that the first page made a key: who has just signed up reads it there. Who has an account
for longer, and finds a key made by somebody with their session, is."""


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def first_run(request: HttpRequest) -> HttpResponse:
    """Show the three lines to copy; a person without any key gets a first one made here (UI-2)."""
    actor, user = actor_of(request), signed_in_user(request)
    secret, why_none = "", ""
    known_key = api_keys_of(actor).first()
    if not actor.impersonated_by and known_key is None:
        is_old = timezone.now() - user.created_at > _NEW
        try:
            _row, secret = key_services.create_api_key(
                actor=actor, owner=user, label=_("First run"), is_mailed=is_old
            )
        except Forbidden:  # by the policy of an organization, which may want a shorter or limited one
            why_none = key_services.why_no_new_key(user)
    context = {
        "base_url": server_address(request),
        "api_key": secret,
        "no_new_key": why_none,
        "known_key": known_key,
        "script": script_for(project="my-first-project"),  # as in README
    }
    return render(request, "runs/first_run.html", context)


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show what of mine runs, recent projects, my teams."""
    actor = actor_of(request)
    projects = counted_lately(selectors.recent_projects(actor))
    if not projects:
        return first_run(request)
    context = {
        "own": own_highlights(actor),
        "recent_projects": projects,
        "teams": teams_of(actor),
    }
    return render(request, fragment(request, "runs/home.html", "runs"), context)
