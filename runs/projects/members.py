"""Who is in a restricted project: whoever restricted it, and the people and service accounts invited (TEAM-24)."""

from collections.abc import Collection
from functools import partial

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor, ActorKind
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.mail import sending
from accounts.models import User
from common.errors import Invalid
from runs.access import ProjectAction
from runs.models import Project, ProjectAccessRequest, ProjectMember
from runs.projects.grants import invitations_that_count
from teams.members.services import check_role
from teams.models import Membership, OrganizationMember, Role, RoleLevel, ServiceAccount, Team, Visibility
from teams.roles.builtin import built_in
from teams.roles.escalation import check_rank


def _admins_of_organization(team: Team) -> QuerySet[OrganizationMember]:
    """Return the admins of the team's organization, who count as in each of its teams (TEAM-21)."""
    rows = OrganizationMember.objects.filter(organization=team.organization_id or 0)
    return rows.filter(role__preset=Preset.ORGANIZATION_ADMIN)


def candidates(team: Team) -> QuerySet[User]:
    """Return who may be in a restricted project of the team.

    They are its members, service accounts among them, the organization's service accounts and its admins.
    """
    members = Membership.objects.filter(team=team)
    programs = ServiceAccount.objects.filter(organization=team.organization_id or 0)
    sources = (members, programs, _admins_of_organization(team))
    condition = Q()
    for rows in sources:
        condition |= Q(pk__in=rows.values("user_id"))
    return User.objects.filter(condition, is_active=True)


def members_inside(project: Project) -> QuerySet[ProjectMember]:
    """Return the invitations that count: of people who still belong to the project's team."""
    rows = invitations_that_count().filter(project=project, user__is_active=True).distinct()
    return rows.select_related("project__team__organization", "user__claim", "role").order_by(
        "user__username"
    )


def open_requests(project: Project) -> QuerySet[ProjectAccessRequest]:
    """Return who asks to be let in, the one who waits longest first."""
    rows = ProjectAccessRequest.objects.filter(project=project)
    rows = rows.filter(user__in=candidates(project.team).values("pk"))
    return rows.select_related("project__team__organization", "user__claim").order_by("created_at", "pk")


def roles_in(team: Team, user_ids: Collection[int]) -> dict[int, Role]:
    """Return the role that each of these has in all of a team's projects; whoever is not in it is left out."""
    sources = (
        ServiceAccount.objects.filter(organization=team.organization_id or 0, role__isnull=False),
        Membership.objects.filter(team=team),
        _admins_of_organization(team),
    )
    found: dict[int, Role] = {}
    for rows in sources:  # the last counts most
        for row in rows.filter(user__in=user_ids).select_related("role"):
            if row.role is not None:
                is_of_team = row.role.level == RoleLevel.TEAM
                found[row.user_id] = row.role if is_of_team else built_in(Preset.ADMIN)
    return found


def invite_self(actor: Actor, project: Project) -> None:
    """Invite whoever makes a project restricted, so that it does not close behind them.

    Runs in the transaction of that; operators and the system belong to no team and stay out.
    """
    role = roles_in(project.team, [actor.lookup_id]).get(actor.lookup_id)
    if role is not None:
        _invite(actor, project, User.objects.get(pk=actor.lookup_id), role)


def count_losing_access(actor: Actor, project: Project) -> tuple[int, int]:
    """Return how many people and service accounts have no access once the actor restricts the project."""
    invited = ProjectMember.objects.filter(project=project).values("user_id")
    rows = candidates(project.team).exclude(pk__in=invited).exclude(pk=actor.lookup_id)
    counts = rows.aggregate(
        people=Count("pk", filter=Q(kind="person")), programs=Count("pk", filter=~Q(kind="person"))
    )
    return counts["people"], counts["programs"]


@transaction.atomic
def add_project_member(*, actor: Actor, project: Project, user: User, role: Role) -> ProjectMember:
    """Invite a member of the team to a restricted project; a second invitation changes the role.

    Whoever is new is told by mail, and so are those who are in it when somebody decides who is not. It answers a
    request for access.

    Raises:
        Invalid: the user is not in the team, or the project is not restricted.
    """
    require(actor, ProjectAction.MANAGE_MEMBERS, project)
    if project.visibility != Visibility.RESTRICTED:
        raise Invalid(
            _("%(project)s is not restricted; team members have access by their roles.")
            % {"project": project}
        )
    team = project.team
    check_role(team, role)
    check_rank(actor, team, role, action=ProjectAction.MANAGE_MEMBERS)
    if not candidates(team).filter(pk=user.pk).exists():
        raise Invalid(_("%(user)s is not a member of %(team)s.") % {"user": user, "team": team})
    if not members_inside(project).filter(user=user).exists():
        _send_mails(actor, project, user, role)
    return _invite(actor, project, user, role)


def _invite(actor: Actor, project: Project, user: User, role: Role) -> ProjectMember:
    before = ProjectMember.objects.filter(project=project, user=user).select_related("role").first()
    member, _created = ProjectMember.objects.update_or_create(
        project=project, user=user, defaults={"role": role}
    )
    ProjectAccessRequest.objects.filter(project=project, user=user).delete()
    record(
        actor,
        ProjectAction.MANAGE_MEMBERS,
        project,
        organization_id=project.team.organization_id,
        team_id=project.team_id,
        before={"user": user.username, "role": before.role.name} if before else None,
        after={"user": user.username, "role": role.name},
    )
    transaction.on_commit(partial(rights_changed.send, ProjectMember))
    return member


def _send_mails(actor: Actor, project: Project, user: User, role: Role) -> None:
    """Mail who is let in, and, where somebody from outside decides it, those inside; what commands do is not told."""
    if actor.kind is ActorKind.SYSTEM:
        return
    known = {
        "by": actor.name or _("An operator"),
        "who": user.username,
        "path": f"{project.team.name}/{project.name}",
        "role": role,
        "project": project,
    }
    if user.pk != actor.user_id:
        sending.send("runs/email/invited", user, known)
    inside = members_inside(project)
    if not inside.filter(user=actor.lookup_id).exists():
        for member in inside:
            sending.send("runs/email/joined", member.user, known)


@transaction.atomic
def remove_project_member(*, actor: Actor, member: ProjectMember) -> None:
    """Take somebody out of a restricted project; the runs they logged stay.

    Nobody has to stay: admins of the team and of its organization can let people in again.
    """
    project = member.project
    require(actor, ProjectAction.MANAGE_MEMBERS, project)
    record(
        actor,
        ProjectAction.MANAGE_MEMBERS,
        project,
        organization_id=project.team.organization_id,
        team_id=project.team_id,
        before={"user": member.user.username, "role": member.role.name},
    )
    member.delete()
    transaction.on_commit(partial(rights_changed.send, ProjectMember))
