"""REST: the pictures of teams and organizations."""

from typing import ClassVar

from rest_framework.request import Request

from access.rest.policy import actor_of
from access.routes import declare
from accounts.api.pictures import PictureViewSet
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team
from teams.teams.selectors import organization_named, shared_team


@declare(TeamAction.VIEW)
class TeamPictureViewSet(PictureViewSet):
    """A team's picture (TEAM-6)."""

    tag = "Teams"
    object_actions: ClassVar[dict[str, str]] = {
        "retrieve": TeamAction.VIEW, "update": TeamAction.MANAGE_SETTINGS, "destroy": TeamAction.MANAGE_SETTINGS,
    }  # fmt: skip

    def row(self, request: Request) -> Team:
        """Return the team."""
        return shared_team(actor_of(request), self.kwargs["team"], self.object_actions[self.action])


@declare(OrganizationAction.VIEW)
class OrganizationPictureViewSet(PictureViewSet):
    """An organization's picture."""

    tag = "Organizations"
    object_actions: ClassVar[dict[str, str]] = {
        "retrieve": OrganizationAction.VIEW, "update": OrganizationAction.MANAGE_SETTINGS,
        "destroy": OrganizationAction.MANAGE_SETTINGS,
    }  # fmt: skip

    def row(self, request: Request) -> Organization:
        """Return the organization."""
        needed = self.object_actions[self.action]
        return organization_named(actor_of(request), self.kwargs["organization"], needed)
