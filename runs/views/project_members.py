"""Who is in a restricted project, who asks to be, and the list of such projects for a team's admins (TEAM-24)."""

from collections.abc import Callable, Iterable

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.engine import can, visible
from access.routes import declare
from access.web.requests import actor_of
from accounts.models import User
from common.errors import Invalid, NotFound
from common.web.responses import fragment
from runs import selectors
from runs.access import ProjectAction
from runs.models import Project, ProjectAccessRequest, ProjectMember
from runs.projects import access_requests
from runs.projects import members as project_members
from runs.projects.visibility import choices_for
from teams.access import TeamAction
from teams.members.people import MemberFilter, matches_text
from teams.models import Role, Visibility
from teams.roles.builtin import roles_for
from teams.views.base import answer, number_in, team_of

MOST_FOUND = 20


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def members(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Show who is in a restricted project; who manages it, seen or not, also adds and removes people."""
    actor = actor_of(request)
    row = _render_members(request, entity, project)
    if row.visibility != Visibility.RESTRICTED:
        return redirect("runs:project_overview", entity, project)
    may_manage = can(actor, ProjectAction.MANAGE_MEMBERS, row)
    can_open = can(actor, ProjectAction.CHANGE_VISIBILITY, row)
    wanted = MemberFilter.of(request.GET.dict())
    found = _addable(row, wanted) if may_manage else User.objects.none()
    context = {
        "project": row,
        "team": row.team,
        "members": project_members.members_inside(row),
        "requests": _open_requests(row) if may_manage else [],
        "roles": list(roles_for(row.team.organization_id)),
        "wanted": wanted,
        "found": _with_roles(row, found[:MOST_FOUND]),
        "more": max(0, found.count() - MOST_FOUND),
        "may_manage": may_manage,
        "is_seen": can(actor, ProjectAction.VIEW, row),
        "can_open": can_open,
        "visibilities": choices_for(actor, row) if can_open else [],
    }
    return render(request, fragment(request, "runs/projects/members.html", "found"), context)


def _render_members(request: HttpRequest, entity: str, project: str) -> Project:
    """Return a project that the viewer manages or sees."""
    actor = actor_of(request)
    rows = Project.objects.live().filter(team__name=entity, name=project).select_related("team__organization")
    managed = visible(actor, ProjectAction.MANAGE_MEMBERS, rows).first()
    return managed or selectors.get_project(actor, entity, project)


def _addable(project: Project, wanted: MemberFilter) -> QuerySet[User]:
    """Return who can be added, by what was typed."""
    inside = project_members.members_inside(project).values("user_id")
    rows = project_members.candidates(project.team).exclude(pk__in=inside)
    rows = rows.filter(matches_text(wanted, "username", "display_name"))
    return rows.select_related("claim").order_by("username")


def _with_roles(project: Project, people: Iterable[User]) -> list[tuple[User, int]]:
    """Return people with the number of their role in the team, which the form offers first; 0 for none."""
    shown = list(people)
    roles = project_members.roles_in(project.team, [person.pk for person in shown])
    return [(person, roles[person.pk].pk if person.pk in roles else 0) for person in shown]


def _open_requests(project: Project) -> list[tuple[ProjectAccessRequest, int]]:
    """Return who asks to be let in, with the number of their role in the team."""
    rows = list(project_members.open_requests(project))
    numbers = _with_roles(project, [row.user for row in rows])
    return [(row, number) for row, (_user, number) in zip(rows, numbers, strict=True)]


@declare(ProjectAction.MANAGE_MEMBERS)
@require_POST
def perform_member_action(request: HttpRequest, entity: str, project: str, act: str) -> HttpResponse:
    """Add somebody, give them another role, take them out, or decline their request."""
    actor = actor_of(request)
    row = selectors.get_managed_project(actor, ProjectAction.MANAGE_MEMBERS, entity, project)
    do = _MEMBER_ACTIONS.get(act)
    if do is None:
        raise NotFound(_("Unknown action."))
    reply = answer(request, lambda: do(request, row), reverse("runs:project_members", args=[entity, project]))
    is_out = not any(can(actor, action, row) for action in (ProjectAction.VIEW, ProjectAction.MANAGE_MEMBERS))
    # who took themselves out sees the page no more
    return redirect("runs:entity", entity) if is_out and isinstance(reply, HttpResponseRedirect) else reply


def _add(request: HttpRequest, project: Project) -> str:
    rows = project_members.candidates(project.team)
    user = rows.filter(pk=number_in(request, "user")).first()
    if user is None:
        raise Invalid(_("They are no longer in the team."))
    role = _role(request, project)
    project_members.add_project_member(actor=actor_of(request), project=project, user=user, role=role)
    return _("%(who)s now has access as %(role)s.") % {"who": user, "role": role.label}


def _change_role(request: HttpRequest, project: Project) -> str:
    member, role = _member(request, project), _role(request, project)
    project_members.add_project_member(actor=actor_of(request), project=project, user=member.user, role=role)
    return _("%(who)s is now %(role)s.") % {"who": member.user, "role": role.label}


def _remove(request: HttpRequest, project: Project) -> str:
    member = _member(request, project)
    project_members.remove_project_member(actor=actor_of(request), member=member)
    return _("%(who)s no longer has access. Their runs are kept.") % {"who": member.user}


def _decline(request: HttpRequest, project: Project) -> str:
    rows = ProjectAccessRequest.objects.filter(project=project).select_related("project__team", "user")
    row = rows.filter(pk=number_in(request, "request")).first()
    if row is None:
        raise Invalid(_("This request has already been answered."))
    access_requests.decline_request(actor=actor_of(request), request=row)
    return _("Request of %(who)s declined. They are not notified.") % {"who": row.user}


_MEMBER_ACTIONS: dict[str, Callable[[HttpRequest, Project], str]] = {
    "add": _add, "role": _change_role, "remove": _remove, "decline": _decline,
}  # fmt: skip


def _member(request: HttpRequest, project: Project) -> ProjectMember:
    rows = ProjectMember.objects.filter(project=project).select_related("project__team", "user", "role")
    row = rows.filter(pk=number_in(request, "member")).first()
    if row is None:
        raise Invalid(_("They are no longer in the project."))
    return row


def _role(request: HttpRequest, project: Project) -> Role:
    role = roles_for(project.team.organization_id).filter(pk=number_in(request, "role")).first()
    if role is None:
        raise Invalid(_("Choose a role."))
    return role


@declare(TeamAction.VIEW)
@never_cache
@require_http_methods(["GET", "POST"])
def request_access(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Let a member of the team ask for access to a project that is hidden from them, or that does not exist."""
    actor, team = actor_of(request), team_of(request, entity)
    rows = Project.objects.live().filter(team=team, name=project)
    if visible(actor, ProjectAction.VIEW, rows).exists():
        return redirect("runs:project_overview", entity, project)
    if request.method == "POST":
        access_requests.request_access(actor=actor, team=team, name=project)
        messages.success(
            request,
            _("If this project exists, the people who manage it have been notified of your request."),
        )
        return redirect("runs:entity", entity)
    return render(request, "runs/projects/request_access.html", {"team": team, "name": project})


@declare(ProjectAction.MANAGE_MEMBERS)
@never_cache
@require_GET
def restricted_projects(request: HttpRequest, entity: str) -> HttpResponse:
    """List a team's restricted projects by name for its admins, who can let people in, themselves among them."""
    team = team_of(request, entity, ProjectAction.MANAGE_MEMBERS)
    rows = selectors.restricted_projects_of(actor_of(request)).filter(team=team).order_by("name")
    return render(request, "runs/projects/restricted.html", {"team": team, "projects": rows})
