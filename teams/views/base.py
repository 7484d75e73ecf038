"""What the views of teams and organizations share."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from access.web.requests import actor_of
from common.errors import Conflict, Gone, Invalid, NotFound
from common.formats.numbers import parse_int
from common.web.responses import as_json
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team
from teams.teams.selectors import organization_named, shared_team


def team_of(request: HttpRequest, name: str, action: str = TeamAction.VIEW) -> Team:
    """Return the shared team of a page; raises as `selectors.shared_team`."""
    return shared_team(actor_of(request), name, action)


def organization_of(request: HttpRequest, name: str, action: str = OrganizationAction.VIEW) -> Organization:
    """Return the organization of a page; raises as `selectors.shared_team`."""
    return organization_named(actor_of(request), name, action)


def answer(request: HttpRequest, act: Callable[[], str], back: str) -> HttpResponse:
    """Do an act and go back to its page with what it says; scripts get the same words as JSON.

    A state that does not allow it is shown as an error there; who may not do it gets the page of refusals.
    """
    is_script = "text/html" not in request.headers.get("Accept", "")
    try:
        message = act()
    except (Conflict, Gone, Invalid, NotFound) as error:  # its place is seen; what it is about may be gone
        if is_script:
            raise
        messages.error(request, error.message)
    else:
        if is_script:
            return as_json({"message": message})
        messages.success(request, message)
    return redirect(back)


def number_in(request: HttpRequest, name: str) -> int:
    """Return a key that a form posts, 0 for none."""
    return parse_int(request.POST.get(name, "")) or 0
