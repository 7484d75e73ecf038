"""What somebody's keys have logged: a part of other pages, fetched by them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from runs.access import RunAction
from runs.selectors import runs_logged_by

_SHOWN = 10


@declare(RunAction.VIEW)
@never_cache
@require_GET
def logged_by(request: HttpRequest, username: str) -> HttpResponse:
    """List the last runs that a user's or service account's keys logged, as far as the viewer may see them."""
    runs = runs_logged_by(actor_of(request), username)[:_SHOWN]
    return render(request, "runs/logged_by.html", {"runs": runs, "username": username})
