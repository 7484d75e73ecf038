"""Pages of one organization: members, teams, settings. `{entity}` is the organization's name."""

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
from accounts.sign_in.reauthentication import reauthenticated
from common.errors import Invalid
from common.web.responses import fragment
from teams.access import OrganizationAction
from teams.invitations import services as invitations
from teams.invitations.bulk import InvitationResults, invite_within, people_in
from teams.members.people import (
    MemberFilter,
    differ_in_access,
    members_of_organization,
    teams_with_counts,
)
from teams.members.selectors import admin_names
from teams.models import Invitation, Organization, OrganizationMember, ProductAccess, Role, Team
from teams.organizations import services as organizations
from teams.roles.builtin import built_in, organization_roles, roles_for
from teams.teams.deletion import deleted_teams_of, restorable_until
from teams.views.base import answer, number_in, organization_of


def _members_page(organization: Organization) -> str:
    return reverse("teams:organization", args=[organization.name])


@declare(OrganizationAction.VIEW)
@never_cache
@require_GET
def members(request: HttpRequest, entity: str) -> HttpResponse:
    """Show who belongs to the organization; its admins see and change roles, access and teams (TEAM-1)."""
    actor, organization = actor_of(request), organization_of(request, entity)
    wanted = MemberFilter.of(request.GET.dict())
    admins, people = admin_names(organization), members_of_organization(actor, organization, wanted)
    may_manage = can(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    context = {
        "organization": organization,
        "wanted": wanted,
        "people": people,
        "roles": list(organization_roles()),
        "levels": ProductAccess.choices,
        "sole_admin": admins[0] if len(admins) == 1 else "",
        "may_manage": may_manage,
        "shows_access": may_manage and ("access" in request.GET or differ_in_access(people.rows)),
    }
    return render(request, fragment(request, "teams/members/organization.html", "list"), context)


@declare(OrganizationAction.MANAGE_MEMBERS)
@never_cache
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, entity: str) -> HttpResponse:
    """Invite people to teams of the organization, with a role in each, or to the organization alone."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)
    teams = list(organization.teams.shared().select_related("claim").order_by("name"))
    roles = list(roles_for(organization.pk))
    chosen = _chosen(request, teams, roles)
    context: dict[str, Any] = {"text": "", "told": None, "problem": "", "section_route": "teams:organization"}
    if request.method == "POST":
        context |= _invited(request, organization, chosen)
    lines = [{"team": team, "chosen": chosen[team].pk if team in chosen else 0} for team in teams]
    context |= {
        "organization": organization,
        "lines": lines,
        "roles": roles,
        "organization_roles": list(organization_roles()),
        "chosen_role": _organization_role(request).pk,
    }
    return render(request, "teams/invitations/organization.html", context)


def _chosen(request: HttpRequest, teams: list[Team], roles: list[Role]) -> dict[Team, Role]:
    by_key = {role.pk: role for role in roles}
    numbers = {team: number_in(request, f"role-{team.pk}") for team in teams}
    return {team: by_key[number] for team, number in numbers.items() if number in by_key}


def _invited(request: HttpRequest, organization: Organization, chosen: dict[Team, Role]) -> dict[str, Any]:
    text, results, problem = request.POST.get("people", ""), InvitationResults(), ""
    try:
        results = invite_within(
            actor=actor_of(request), organization=organization, role=_organization_role(request),
            people=people_in(text), teams=chosen.items(),
        )  # fmt: skip
        text = results.left
    except Invalid as error:
        problem = error.message
    return {"text": text, "told": results, "problem": problem}


def _organization_role(request: HttpRequest) -> Role:
    chosen = organization_roles().filter(pk=number_in(request, "role")).first()
    return chosen or built_in(Preset.ORGANIZATION_MEMBER)


def _invitation(request: HttpRequest, organization: Organization) -> Invitation:
    rows = Invitation.objects.within(organization)
    rows = rows.select_related("team", "organization", "user", "role", "base_role")
    row = rows.filter(pk=number_in(request, "invitation")).first()
    if row is None:
        raise Invalid(_("This invitation has already been answered or revoked."))
    return row


@declare(OrganizationAction.MANAGE_MEMBERS)
@require_POST
def resend(request: HttpRequest, entity: str) -> HttpResponse:
    """Mail an invitation to the organization or one of its teams again, with a new link."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)

    def act() -> str:
        row = invitations.resend_invitation(
            actor=actor_of(request), invitation=_invitation(request, organization)
        )
        return _("A new link was sent to %(who)s; the previous one no longer works.") % {"who": row.addressee}

    return answer(request, act, _members_page(organization))


@declare(OrganizationAction.MANAGE_MEMBERS)
@require_POST
def revoke(request: HttpRequest, entity: str) -> HttpResponse:
    """Take an invitation to the organization or one of its teams back."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)

    def act() -> str:
        row = _invitation(request, organization)
        invitations.revoke_invitation(actor=actor_of(request), invitation=row)
        return _("Invitation of %(who)s revoked.") % {"who": row.addressee}

    return answer(request, act, _members_page(organization))


def _member(request: HttpRequest, organization: Organization) -> OrganizationMember:
    rows = OrganizationMember.objects.select_related("organization", "user", "role")
    row = rows.filter(organization=organization, pk=number_in(request, "member")).first()
    if row is None:
        raise Invalid(_("They are no longer in the organization."))
    return row


@declare(OrganizationAction.MANAGE_MEMBERS)
@require_POST
@reauthenticated
def change(request: HttpRequest, entity: str) -> HttpResponse:
    """Change a member's role or access; each select of a row posts what it holds."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)

    def act() -> str:
        row = _member(request, organization)
        organizations.change_organization_member(
            actor=actor_of(request), member=row,
            role=organization_roles().filter(pk=number_in(request, "role")).first(),
            models_access=request.POST.get("models_access"), weave_access=request.POST.get("weave_access"),
        )  # fmt: skip
        names = {"who": row.user, "role": row.role.label, "models": row.get_models_access_display()}
        return _("%(who)s: %(role)s, Models %(models)s.") % names

    return answer(request, act, _members_page(organization))


@declare(OrganizationAction.MANAGE_MEMBERS)
@require_POST
def remove(request: HttpRequest, entity: str) -> HttpResponse:
    """Take a member out of the organization and all its teams; their runs stay."""
    organization = organization_of(request, entity, OrganizationAction.MANAGE_MEMBERS)

    def act() -> str:
        row = _member(request, organization)
        organizations.remove_from_organization(actor=actor_of(request), member=row)
        names = {"who": row.user, "organization": organization}
        return _("%(who)s was removed from %(organization)s and its teams. Their runs are kept.") % names

    return answer(request, act, _members_page(organization))


@declare(OrganizationAction.VIEW)
@never_cache
@require_GET
def teams(request: HttpRequest, entity: str) -> HttpResponse:
    """List the organization's teams that the viewer may see."""
    actor, organization = actor_of(request), organization_of(request, entity)
    context = {
        "organization": organization,
        "teams": teams_with_counts(actor, organization),
        "may_create": can(actor, OrganizationAction.CREATE_TEAM, organization),
        "deleted_teams": [(team, restorable_until(team)) for team in deleted_teams_of(actor, organization)],
    }
    return render(request, "teams/organizations/teams.html", context)
