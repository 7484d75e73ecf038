"""Grants in restricted projects: by invitation, with the role that the invitation gives (TEAM-24)."""

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor
from access.grants import GrantScope, Reason, met, unmet
from access.resources.registry import NOBODY, Resource, value_at
from common.database.compiled_sql import KeysOf
from runs.models import Project, ProjectMember
from teams.explain.reasons import limited, roles_with
from teams.grants import limit_on, within_access
from teams.models import OrganizationMember, Visibility

_KIND = "restricted project"


def invitations_that_count() -> QuerySet[ProjectMember]:
    """Return the invitations of people who still belong to the project's team, as admins of its organization do."""
    in_team = Q(user__memberships__team=F("project__team"))
    in_organization = Q(user__service_account__organization=F("project__team__organization"))
    admins = OrganizationMember.objects.filter(
        user=OuterRef("user_id"),
        organization=OuterRef("project__team__organization"),
        role__preset=Preset.ORGANIZATION_ADMIN,
    )
    return ProjectMember.objects.filter(in_team | in_organization | Q(Exists(admins)))


def _invitations(action: str) -> QuerySet[ProjectMember]:
    """Return the invitations that count and give the action."""
    return invitations_that_count().filter(
        within_access(action, "user_id", "project__team__organization_id"),
        role__grants__action=action,
        project__visibility=Visibility.RESTRICTED,
    )


def _invited_to(user_id: int, action: str) -> QuerySet[Any, Any]:
    return _invitations(action).filter(user_id=user_id).values("project_id")


class RestrictedProjectMembers:
    """Counts in restricted projects only; elsewhere the team's roles hold."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return rows of restricted projects the actor was invited to with the action."""
        if not resource.project:
            return NOBODY
        return Q(**{f"{resource.project}__in": KeysOf(_invited_to, actor.lookup_id, action)})

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return who was invited to the row's project with the action."""
        if not resource.project:
            return NOBODY
        invited = _invitations(action).filter(project_id=value_at(row, resource.project))
        return Q(pk__in=invited.values("user_id"))

    def holders(
        self, action: str, places: Collection[GrantScope], among: Collection[int] | None
    ) -> Iterator[tuple[GrantScope, int]]:
        """Yield who was invited with the action to each restricted project."""
        by_project = {place.project_id: place for place in places if place.project_id is not None}
        invited = _invitations(action).filter(user__is_active=True, project__in=by_project)
        chosen = invited if among is None else invited.filter(user__in=among)
        for project_id, user_id in chosen.values_list("project_id", "user_id"):
            yield by_project[project_id], user_id

    def reasons(self, actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
        """Say what the actor's invitation to the row's project gives them, if it has one that is restricted."""
        if not resource.project:
            return []
        projects = Project.objects.select_related("team__organization")
        project = projects.filter(pk=value_at(row, resource.project)).first()
        if project is None or project.visibility != Visibility.RESTRICTED:
            return []
        invited = ProjectMember.objects.filter(project=project, user_id=actor.lookup_id)
        member = invited.select_related("role__base").first()
        holds = _invitations(action).filter(user_id=actor.lookup_id, project=project).exists()
        return [_invitation_reason(actor, action, project, member, holds=holds)]


def _invitation_reason(
    actor: Actor, action: str, project: Project, member: ProjectMember | None, *, holds: bool
) -> Reason:
    roles = ", ".join(role.full_label for role in roles_with(action, project.team.organization))
    names = {
        "who": actor.name,
        "project": project.name,
        "team": project.team,
        "action": action,
        "roles": roles,
    }
    invite = _(
        "Once %(who)s is in the team, an admin of %(team)s can invite them with a role that includes "
        "it: %(roles)s."
    )
    help_ = invite % names if roles else ""
    if member is None:
        return unmet(_KIND, _("%(who)s is not invited to the restricted project %(project)s.") % names, help_)
    names["role"] = member.role.full_label
    text = _("%(who)s is invited to the restricted project %(project)s as %(role)s.") % names
    if holds:
        included = _("This role includes %(action)s.") % names
        return met(_KIND, f"{text} {included}")
    if not member.role.grants.filter(action=action).exists():
        lacking = _("This role does not include %(action)s.") % names
        return unmet(_KIND, f"{text} {lacking}", help_)
    limit = limit_on(action, actor.lookup_id, project.team.organization_id)
    if limit is not None:
        return limited(actor, action, limit)
    gone = _("But %(who)s is no longer in the team %(team)s.") % names
    return unmet(_KIND, f"{text} {gone}", help_)
