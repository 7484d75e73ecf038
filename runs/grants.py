"""Grants in restricted projects: by invitation, with the role that the invitation gives (TEAM-24)."""

from django.db.models import F, Model, Q, QuerySet

from access.actor import Actor
from access.resources import Resource
from runs.models import ProjectMember, Visibility
from teams.grants import value_at

_NOTHING = Q(pk__in=())


def _invitations(action: str) -> QuerySet[ProjectMember]:
    """Return the invitations that give the action, of people who still belong to the project's team."""
    in_team = Q(user__memberships__team=F("project__team"))
    in_organization = Q(user__service_account__organization=F("project__team__organization"))
    return ProjectMember.objects.filter(
        in_team | in_organization, role__grants__action=action, project__visibility=Visibility.RESTRICTED
    )


class RestrictedProjectMembers:
    """Counts in restricted projects only; elsewhere the team's roles hold."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return rows of restricted projects the actor was invited to with the action."""
        if not resource.project:
            return _NOTHING
        invited = _invitations(action).filter(user_id=actor.lookup_id)
        return Q(**{f"{resource.project}__in": invited.values("project_id")})

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return who was invited to the row's project with the action."""
        if not resource.project:
            return _NOTHING
        invited = _invitations(action).filter(project_id=value_at(row, resource.project))
        return Q(pk__in=invited.values("user_id"))
