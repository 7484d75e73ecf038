"""Where automations have their pages: in a project, or in the settings of a team or a person for all projects."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from access.engine import can, require
from access.web.requests import actor_of
from automations.access import AutomationAction
from automations.models import Automation
from runs.models import Project
from runs.selectors import get_project, get_team
from teams.models import Team


@dataclass(frozen=True, slots=True)
class Place:
    """A project, or all projects of a team."""

    team: Team
    project: Project | None

    @property
    def row(self) -> Project | Team:
        """What permissions are asked on."""
        return self.project or self.team

    def url(self, route: str, *args: Any) -> str:
        """Return the path of one of its pages: ``""``, ``"s"`` for the list, ``"_new"``, ``"_edit"``, ``"_act"``."""
        if self.project is not None:
            return reverse(f"automations:automation{route}", args=[self.team.name, self.project.name, *args])
        return reverse(f"automations:team_automation{route}", args=[self.team.name, *args])

    @property
    def list_url(self) -> str:
        """The list's path."""
        return self.url("s")

    @property
    def context(self) -> dict[str, Any]:
        """What its frame and templates need."""
        if self.project is not None:
            return {
                "frame": "automations/project_frame.html",
                "project": self.project,
                "team": self.team,
                "place": self,
            }
        if self.team.is_personal:
            return {
                "frame": "settings/user.html",
                "section_route": "automations:own_automations",
                "place": self,
            }
        return {
            "frame": "settings/team.html", "section_route": "automations:team_automations", "team": self.team,
            "place": self,
        }  # fmt: skip


def place_of(request: HttpRequest, entity: str, project: str = "", action: str = "") -> Place:
    """Return the place that an address names, where the viewer may do the action; "" asks for none.

    Raises:
        NotFound: there is none, or the viewer may not see it.
        Forbidden: they see it, but lack the action.
    """
    actor = actor_of(request)
    if project:
        row = get_project(actor, entity, project)
        place = Place(row.team, row)
    else:
        place = Place(get_team(actor, entity), None)
    if action:
        require(actor, action, place.row)
    return place


def home_of(automation: Automation) -> Place:
    """Return where the page of an automation is."""
    return Place(automation.team, automation.project)


def may_create(request: HttpRequest, place: Place) -> bool:
    """Say whether the viewer may make automations there."""
    return can(actor_of(request), AutomationAction.CREATE, place.row)
