"""The page that an invitation's link opens, and one's own teams. The link is the credential; services check who may."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import visible
from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.views.base import signed_in_user
from common.errors import DomainError
from teams.access import OrganizationAction, TeamAction
from teams.invitations import services as invitations
from teams.members import services
from teams.members.selectors import led_alone_by, organizations_of, places_of, sole_admin_of
from teams.models import Invitation, Membership, OrganizationMember, Team
from teams.organizations import services as organizations
from teams.teams import creation, default_team
from teams.teams.selectors import default_team_of
from teams.views.base import answer, number_in, organization_of, team_of


def _refused(request: HttpRequest, token: str, error: DomainError) -> HttpResponse:
    """Say why an invitation cannot be answered, and what to do."""
    reason = (error.detail or {}).get("reason", "")
    inviter = invitations.inviter_of(token)
    context = {"error": error, "token": token, "reason": reason, "inviter": inviter}
    return render(request, "teams/invitations/refused.html", context, status=error.status)


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
    return render(request, "teams/invitations/page.html", {"invitation": row, "token": token})


def _answered(request: HttpRequest, token: str, act: Callable[[], tuple[str, str]]) -> HttpResponse:
    """Answer an invitation by its link; then open the page of what was joined, or the home page."""
    try:
        said, name = act()
    except DomainError as error:
        return _refused(request, token, error)
    request.session.pop(invitations.SESSION_KEY, None)
    messages.success(request, said)
    return redirect("runs:entity", name) if name else redirect("runs:home")


def _joined(place: Membership | OrganizationMember) -> tuple[str, str]:
    """Return what to say, and the name of the team or organization."""
    name = (place.team if isinstance(place, Membership) else place.organization).name
    return _("You are now a member of %(team)s.") % {"team": name}, name


def _declined(row: Invitation) -> str:
    return _("You declined the invitation to %(team)s.") % {"team": row.place}


@declare(Open.ANYONE)
@require_POST
def invitation_accept(request: HttpRequest, token: str) -> HttpResponse:
    """Join the team or organization and open its page."""
    return _answered(
        request, token, lambda: _joined(invitations.accept(actor=actor_of(request), token=token))
    )


@declare(Open.ANYONE)
@require_POST
def invitation_decline(request: HttpRequest, token: str) -> HttpResponse:
    """Answer no."""
    return _answered(
        request, token, lambda: (_declined(invitations.decline(actor=actor_of(request), token=token)), "")
    )


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def mine(request: HttpRequest) -> HttpResponse:
    """Settings, section Teams: where I belong, with which role, and what I am invited to (ACC-10)."""
    actor = actor_of(request)
    places = places_of(actor)
    context = {
        "places": places,
        "sole": sole_admin_of(actor, [place.team for place in places]),
        "organizations": (belongs := list(organizations_of(actor))),
        "led_alone": led_alone_by(actor, [place.organization_id for place in belongs]),
        "invitations": invitations.invitations_for(actor),
        "creating": creation.rights_of(actor),
        "default_team": default_team_of(actor),
    }
    return render(request, "settings/teams.html", context)


@declare(Open.SIGNED_IN)
@require_POST
def mine_accept(request: HttpRequest) -> HttpResponse:
    """Accept an invitation from the list of one's own."""

    def act() -> str:
        number = number_in(request, "invitation")
        return _joined(invitations.accept(actor=actor_of(request), number=number))[0]

    return answer(request, act, "teams:mine")


@declare(Open.SIGNED_IN)
@require_POST
def mine_decline(request: HttpRequest) -> HttpResponse:
    """Decline one of them."""

    def act() -> str:
        number = number_in(request, "invitation")
        return _declined(invitations.decline(actor=actor_of(request), number=number))

    return answer(request, act, "teams:mine")


@declare(Open.SIGNED_IN)
@require_POST
def mine_default(request: HttpRequest) -> HttpResponse:
    """Choose where one's runs go that name no entity."""

    def act() -> str:
        name, user = request.POST.get("default_team", ""), signed_in_user(request)
        default_team.choose_default_team(actor=actor_of(request), user=user, name=name)
        return _("Runs that do not specify a team now go to %(team)s.") % {"team": name or user.username}

    return answer(request, act, "teams:mine")


@declare(TeamAction.VIEW)
@require_POST
def leave(request: HttpRequest, entity: str) -> HttpResponse:
    """Leave a team."""
    team = team_of(request, entity)

    def act() -> str:
        services.leave_team(actor=actor_of(request), team=team)
        return _("You have left %(team)s.") % {"team": team}

    return answer(request, act, "teams:mine")


@declare(OrganizationAction.VIEW)
@require_POST
def leave_organization(request: HttpRequest, entity: str) -> HttpResponse:
    """Leave an organization and all its teams."""
    organization = organization_of(request, entity)

    def act() -> str:
        organizations.leave_organization(actor=actor_of(request), organization=organization)
        return _("You have left %(organization)s and its teams.") % {"organization": organization}

    return answer(request, act, "teams:mine")


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def invite_your_team(request: HttpRequest) -> HttpResponse:
    """Lead from the top bar to the team to invite to, to a choice of several, or to making the first (TEAM-11)."""
    teams = visible(
        actor_of(request), TeamAction.INVITE, Team.objects.shared().select_related("claim", "organization")
    )
    choices = list(teams[:200])
    if not choices:
        return redirect("teams:new")
    if len(choices) == 1:
        return redirect("teams:invite", choices[0].name)
    return render(request, "teams/invitations/choose_team.html", {"teams": choices})
