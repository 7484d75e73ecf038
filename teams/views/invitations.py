"""Invitations: the page that a mailed link opens, and answering. The link is the credential; services check who may."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import Open, declare
from access.web.requests import actor_of
from common.errors import DomainError
from teams.invitations import answering
from teams.invitations.selectors import SESSION_KEY, inviter_of_link
from teams.models import Invitation, Membership, OrganizationMember
from teams.views.base import answer, number_in


def _refused(request: HttpRequest, token: str, error: DomainError) -> HttpResponse:
    """Say why an invitation cannot be answered, and what to do."""
    reason = (error.detail or {}).get("reason", "")
    inviter = inviter_of_link(token)
    context = {"error": error, "token": token, "reason": reason, "inviter": inviter}
    return render(request, "teams/invitations/refused.html", context, status=error.status)


@declare(Open.ANYONE)
@never_cache
@require_GET
def show(request: HttpRequest, token: str) -> HttpResponse:
    """Say who invites to what; who is signed out comes back here after signing in or up (TEAM-3)."""
    try:
        row = answering.invitation_of_link(token)
        if request.user.is_authenticated:
            answering.check_invited(actor_of(request), row)
        else:
            request.session[SESSION_KEY] = token
    except DomainError as error:
        return _refused(request, token, error)
    return render(request, "teams/invitations/page.html", {"invitation": row, "token": token})


def _answer_link(request: HttpRequest, token: str, act: Callable[[], tuple[str, str]]) -> HttpResponse:
    """Answer an invitation by its link; then open the page of what was joined, or the home page."""
    try:
        message, name = act()
    except DomainError as error:
        return _refused(request, token, error)
    request.session.pop(SESSION_KEY, None)
    messages.success(request, message)
    return redirect("runs:entity", name) if name else redirect("runs:home")


def _joined_message(place: Membership | OrganizationMember) -> tuple[str, str]:
    """Return what to say, and the name of the team or organization."""
    name = (place.team if isinstance(place, Membership) else place.organization).name
    return _("You are now a member of %(team)s.") % {"team": name}, name


def _declined_message(row: Invitation) -> str:
    return _("You declined the invitation to %(team)s.") % {"team": row.place}


@declare(Open.ANYONE)
@require_POST
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Join the team or organization and open its page."""
    return _answer_link(
        request,
        token,
        lambda: _joined_message(answering.accept_invitation(actor=actor_of(request), token=token)),
    )


@declare(Open.ANYONE)
@require_POST
def decline(request: HttpRequest, token: str) -> HttpResponse:
    """Decline the invitation."""
    return _answer_link(
        request,
        token,
        lambda: (_declined_message(answering.decline_invitation(actor=actor_of(request), token=token)), ""),
    )


@declare(Open.SIGNED_IN)
@require_POST
def accept_own(request: HttpRequest) -> HttpResponse:
    """Accept an invitation from the list of one's own."""

    def act() -> str:
        number = number_in(request, "invitation")
        return _joined_message(answering.accept_invitation(actor=actor_of(request), number=number))[0]

    return answer(request, act, "teams:mine")


@declare(Open.SIGNED_IN)
@require_POST
def decline_own(request: HttpRequest) -> HttpResponse:
    """Decline one of them."""

    def act() -> str:
        number = number_in(request, "invitation")
        return _declined_message(answering.decline_invitation(actor=actor_of(request), number=number))

    return answer(request, act, "teams:mine")
