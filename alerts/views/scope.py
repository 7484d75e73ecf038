"""Whose destinations and secrets a page shows: a team's, or one's own, which belong to the personal team."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from access.engine import require
from access.web.requests import actor_of
from common.errors import NotFound
from teams.models import Team
from teams.teams.selectors import personal_team_of
from teams.views.base import team_of


@dataclass(frozen=True, slots=True)
class Place:
    """A team's settings, or one's own."""

    team: Team

    @property
    def is_own(self) -> bool:
        """Whether it is the viewer's own."""
        return self.team.is_personal

    def url(self, route: str, *args: Any) -> str:
        """Return the path of one of its pages."""
        if self.is_own:
            return reverse(f"alerts:own_{route}", args=args)
        return reverse(f"alerts:{route}", args=[self.team.name, *args])

    def context(self, section: str) -> dict[str, Any]:
        """Return what frames and templates need; ``section`` is the page of the rail that it belongs to."""
        frame = "settings/user.html" if self.is_own else "settings/team.html"
        section_route = "alerts:own_destinations" if self.is_own else f"alerts:{section}"
        return {"team": self.team, "frame": frame, "place": self, "section_route": section_route}

    @property
    def destinations_url(self) -> str:
        """The list's path."""
        return self.url("destinations")

    @property
    def secrets_url(self) -> str:
        """The secrets' path."""
        return self.url("secrets")


def place_of_team(request: HttpRequest, entity: str, action: str) -> Place:
    """Return the place of a team whose page it is; raises as `teams.teams.selectors.shared_team`."""
    return Place(team_of(request, entity, action))


def own_place(request: HttpRequest, action: str) -> Place:
    """Return the viewer's own.

    Raises:
        NotFound: a service account has none.
    """
    actor = actor_of(request)
    team = personal_team_of(actor)
    if team is None:
        raise NotFound(_("This account has no personal entity."))
    require(actor, action, team)
    return Place(team)
