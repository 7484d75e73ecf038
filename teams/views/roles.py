"""Pages on which an organization's admins define roles, and the page that says what a team's roles may (TEAM-20)."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from access.actions import with_own
from access.routes import declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated_post
from common.errors import Conflict, Invalid
from common.web.responses import fragment
from teams.access import OrganizationAction, TeamAction
from teams.models import Membership, Organization, Role
from teams.plan_policy import has_feature
from teams.roles import custom
from teams.roles.builtin import roles_for
from teams.roles.custom import MOST_ROLES, custom_roles_of, role_of, uses_of
from teams.roles.editor import Editor, groups_of, with_labels
from teams.views.base import answer, organization_of, team_of

_SECTION = {"section_route": "teams:organization_roles"}


def _organization(request: HttpRequest, entity: str) -> Organization:
    return organization_of(request, entity, OrganizationAction.MANAGE_ROLES)


@declare(OrganizationAction.MANAGE_ROLES)
@never_cache
@require_GET
def roles(request: HttpRequest, entity: str) -> HttpResponse:
    """List the roles that people can have in the organization's teams."""
    organization = _organization(request, entity)
    own = custom_roles_of(organization)
    context = {
        "organization": organization,
        "built_in": roles_for(None),
        "own": with_labels(own),
        "has_plan": has_feature(organization, "custom_roles"),
        "is_full": len(own) >= MOST_ROLES,
        "most": MOST_ROLES,
    }
    return render(request, "teams/roles/organization.html", context)


@declare(OrganizationAction.MANAGE_ROLES)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def new(request: HttpRequest, entity: str) -> HttpResponse:
    """Define a role."""
    return _edit(request, _organization(request, entity), None)


@declare(OrganizationAction.MANAGE_ROLES)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def role(request: HttpRequest, entity: str, number: int) -> HttpResponse:
    """Change a role."""
    organization = _organization(request, entity)
    return _edit(request, organization, role_of(organization, number))


def _edit(request: HttpRequest, organization: Organization, row: Role | None) -> HttpResponse:
    """Show the form; HTMX loads its actions again when another base or other words are chosen."""
    problem = ""
    if request.method == "POST":
        editor = Editor.typed(request.POST)
        try:
            return _saved(request, organization, row, editor)
        except (Conflict, Invalid) as error:
            problem = error.message
    elif "base" in request.GET:
        editor = Editor.typed(request.GET)
    else:
        editor = Editor.of_role(row) if row else Editor().shown()
    context = {**_SECTION, "organization": organization, "role": row, "editor": editor, "problem": problem}
    page = fragment(request, "teams/roles/edit.html", "actions")
    return render(request, page, context, status=422 if problem else 200)


def _saved(
    request: HttpRequest, organization: Organization, row: Role | None, editor: Editor
) -> HttpResponse:
    if row is None:
        row = custom.create_role(actor=actor_of(request), organization=organization, fields=editor.fields)
        messages.success(request, _("Role “%(role)s” created. You can now assign it.") % {"role": row})
    else:
        row = custom.change_role_fields(actor=actor_of(request), role=row, fields=editor.fields)
        messages.success(request, _("Saved. Changes apply immediately to everyone with this role."))
    return redirect("teams:organization_roles", organization.name)


@declare(OrganizationAction.MANAGE_ROLES)
@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
def delete(request: HttpRequest, entity: str, number: int) -> HttpResponse:
    """Say who has the role and what becomes of them; then delete it."""
    organization = _organization(request, entity)
    row = role_of(organization, number)
    if request.method == "POST":

        def act() -> str:
            custom.delete_role(actor=actor_of(request), role=row, is_confirmed="confirm" in request.POST)
            return _("Role %(role)s deleted.") % {"role": row}

        return answer(request, act, reverse("teams:organization_roles", args=[organization.name]))
    context = {**_SECTION, "organization": organization, "role": row, "uses": uses_of(row)}
    return render(request, "teams/roles/delete.html", context)


@declare(TeamAction.VIEW)
@never_cache
@require_GET
def of_team(request: HttpRequest, entity: str) -> HttpResponse:
    """Say what a role may in the team: the viewer's own, or another one."""
    team = team_of(request, entity)
    rows = list(roles_for(team.organization_id).prefetch_related("grants"))
    mine = Membership.objects.filter(team=team, user=actor_of(request).lookup_id).values_list(
        "role", flat=True
    )
    number = request.GET.get("role", "")
    chosen = next((row for row in rows if str(row.pk) == number), None)
    chosen = chosen or next((row for row in rows if row.pk in mine), rows[0])
    added = {grant.action for grant in chosen.grants.all() if grant.is_added}
    given = with_own(grant.action for grant in chosen.grants.all()) - added
    context = {
        "section_route": "teams:members",
        "team": team,
        "roles": rows,
        "chosen": chosen,
        "is_mine": chosen.pk in mine,
        "groups": groups_of(given, added),
    }
    return render(request, fragment(request, "teams/roles/team.html", "actions"), context)
