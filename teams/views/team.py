"""Pages of one team: members, invitations, settings. `{entity}` is the team's name."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.actions import Preset
from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Invalid
from common.web.responses import fragment
from teams.access import TeamAction
from teams.invitations import services as invitations
from teams.invitations.bulk import InvitationResults, invite_people, people_in
from teams.members import services
from teams.members.people import MemberFilter, colleagues_to_invite, members_of
from teams.members.selectors import team_admins
from teams.models import Invitation, Membership, Role, Team
from teams.roles.builtin import built_in, roles_for
from teams.views.base import answer, number_in, team_of


def _members_page(team: Team) -> str:
    return reverse("teams:members", args=[team.name])


@declare(TeamAction.VIEW)
@never_cache
@require_GET
def members(request: HttpRequest, entity: str) -> HttpResponse:
    """Show who is in the team and who is invited (TEAM-3); others than admins see the list alone (TEAM-11)."""
    actor, team = actor_of(request), team_of(request, entity)
    wanted = MemberFilter.of(request.GET.dict())
    admins = list(team_admins([team]).values_list("user_id", flat=True)[:2])
    people, may_manage = members_of(actor, team, wanted), can(actor, TeamAction.MANAGE_MEMBERS, team)
    context = {
        "team": team,
        "wanted": wanted,
        "people": people,
        "roles": list(roles_for(team.organization_id)),
        "sole_admin": admins[0] if len(admins) == 1 else 0,
        "may_manage": may_manage,
        "may_invite": can(actor, TeamAction.INVITE, team),
    }
    return render(request, fragment(request, "teams/members/team.html", "list"), context)


@declare(TeamAction.INVITE)
@never_cache
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, entity: str) -> HttpResponse:
    """Invite several at once; each is answered on their own (TEAM-3)."""
    team = team_of(request, entity, TeamAction.INVITE)
    context: dict[str, Any] = {
        "text": "",
        "told": None,
        "problem": "",
        "role": 0,
        "section_route": "teams:members",
    }
    if request.method == "POST":
        context |= _invited(request, team)
    roles = list(roles_for(team.organization_id))
    context |= {"team": team, "roles": roles, "role": context["role"] or built_in(Preset.MEMBER).pk}
    context["may_make_services"] = can(actor_of(request), TeamAction.MANAGE_SERVICE_ACCOUNTS, team)
    return render(request, "teams/invitations/team.html", context)


def _invited(request: HttpRequest, team: Team) -> dict[str, Any]:
    text, number = request.POST.get("people", ""), number_in(request, "role")
    results, problem = InvitationResults(), ""
    try:
        role = _role(team, number)
        results = invite_people(actor=actor_of(request), team=team, role=role, people=people_in(text))
        text = results.left
    except Invalid as error:
        problem = error.message
    return {"text": text, "told": results, "problem": problem, "role": number}


def _role(team: Team, number: int) -> Role:
    role = roles_for(team.organization_id).filter(pk=number).first()
    if role is None:
        raise Invalid(_("Choose a role."))
    return role


@declare(TeamAction.INVITE)
@never_cache
@require_GET
def known(request: HttpRequest, entity: str) -> HttpResponse:
    """Offer colleagues of the organization who are not in the team, while a name is typed."""
    team = team_of(request, entity, TeamAction.INVITE)
    people = colleagues_to_invite(actor_of(request), team, request.GET.get("q", "")[:200])
    return render(
        request, "teams/invitations/suggestions.html", {"people": people, "q": request.GET.get("q", "")}
    )


def _invitation(request: HttpRequest, team: Team) -> Invitation:
    rows = Invitation.objects.pending().select_related("team", "user", "role", "base_role")
    row = rows.filter(team=team, pk=number_in(request, "invitation")).first()
    if row is None:
        raise Invalid(_("This invitation has already been answered or revoked."))
    return row


@declare(TeamAction.INVITE)
@require_POST
def resend(request: HttpRequest, entity: str) -> HttpResponse:
    """Mail an invitation again, with a new link."""
    team = team_of(request, entity, TeamAction.INVITE)

    def act() -> str:
        row = invitations.resend_invitation(actor=actor_of(request), invitation=_invitation(request, team))
        return _("A new link was sent to %(who)s; the previous one no longer works.") % {"who": row.addressee}

    return answer(request, act, _members_page(team))


@declare(TeamAction.MANAGE_MEMBERS)
@require_POST
def revoke(request: HttpRequest, entity: str) -> HttpResponse:
    """Take an invitation back."""
    team = team_of(request, entity, TeamAction.MANAGE_MEMBERS)

    def act() -> str:
        row = _invitation(request, team)
        invitations.revoke_invitation(actor=actor_of(request), invitation=row)
        return _("Invitation of %(who)s revoked.") % {"who": row.addressee}

    return answer(request, act, _members_page(team))


def _membership(request: HttpRequest, team: Team) -> Membership:
    rows = Membership.objects.select_related("team__organization", "user", "role")
    row = rows.filter(team=team, pk=number_in(request, "member")).first()
    if row is None:
        raise Invalid(_("They are no longer in the team."))
    return row


@declare(TeamAction.MANAGE_MEMBERS)
@require_POST
def role(request: HttpRequest, entity: str) -> HttpResponse:
    """Change a member's role."""
    team = team_of(request, entity, TeamAction.MANAGE_MEMBERS)

    def act() -> str:
        row = _membership(request, team)
        services.change_role(
            actor=actor_of(request), membership=row, role=_role(team, number_in(request, "role"))
        )
        return _("%(who)s is now %(role)s.") % {"who": row.user, "role": row.role.label}

    return answer(request, act, _members_page(team))


@declare(TeamAction.MANAGE_MEMBERS)
@require_POST
def remove(request: HttpRequest, entity: str) -> HttpResponse:
    """Take a member out; their runs stay."""
    team = team_of(request, entity, TeamAction.MANAGE_MEMBERS)

    def act() -> str:
        row = _membership(request, team)
        services.remove_member(actor=actor_of(request), membership=row)
        return _("%(who)s was removed from %(team)s. Their runs are kept.") % {"who": row.user, "team": team}

    return answer(request, act, _members_page(team))
