"""The signed-in user of a page, and the search page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.models import User
from common.errors import NotFound
from common.search import search as find_everywhere


def signed_in_user(request: HttpRequest) -> User:
    """Return the session's user; the route's declaration made sure of one."""
    if not isinstance(request.user, User):
        raise NotFound("Not signed in.")
    return request.user


@declare(Open.ANYONE)  # a stranger finds what is public
@never_cache
@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Answer the search of every page; a fragment for its dialog, else a page of its own (UI-1)."""
    text = request.GET.get("q", "")
    context = {"found": find_everywhere(actor_of(request), text), "q": text.strip()}
    part = "#hits" if request.headers.get("HX-Request") else ""
    return render(request, f"accounts/search.html{part}", context)
