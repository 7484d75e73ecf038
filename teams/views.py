"""The page that an invitation's link opens. The link is the credential; services check who may answer."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.routes import Open, declare
from access.web import actor_of
from common.errors import DomainError
from teams import invitations


def _refused(request: HttpRequest, token: str, error: DomainError) -> HttpResponse:
    """Say why an invitation cannot be answered, and what to do."""
    return render(
        request, "teams/invitation_refused.html", {"error": error, "token": token}, status=error.status
    )


@declare(Open.ANYONE)
@never_cache
@require_GET
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Say who invites to what; who is signed out comes back here after signing in or up (TEAM-3)."""
    try:
        row = invitations.open_invitation(token)
        if request.user.is_authenticated:
            invitations.check_invited(actor_of(request), row)
        else:
            request.session[invitations.SESSION_KEY] = token
    except DomainError as error:
        return _refused(request, token, error)
    return render(request, "teams/invitation.html", {"invitation": row, "token": token})


@declare(Open.ANYONE)
@require_POST
def invitation_accept(request: HttpRequest, token: str) -> HttpResponse:
    """Join the team and open its page."""
    try:
        membership = invitations.accept(actor=actor_of(request), token=token)
    except DomainError as error:
        return _refused(request, token, error)
    request.session.pop(invitations.SESSION_KEY, None)
    messages.success(request, _("You are now a member of %(team)s.") % {"team": membership.team})
    return redirect("runs:entity", membership.team.name)


@declare(Open.ANYONE)
@require_POST
def invitation_decline(request: HttpRequest, token: str) -> HttpResponse:
    """Answer no."""
    try:
        row = invitations.decline(actor=actor_of(request), token=token)
    except DomainError as error:
        return _refused(request, token, error)
    request.session.pop(invitations.SESSION_KEY, None)
    messages.success(request, _("You declined the invitation to %(team)s.") % {"team": row.team})
    return redirect("runs:home")
