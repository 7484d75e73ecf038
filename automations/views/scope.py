"""Where automations have their pages: in a project, or in the settings of a team or a person for all projects."""

from django.http import HttpRequest

from access.engine import can, require
from access.web.requests import actor_of
from automations.access import AutomationAction
from automations.models import Automation
from runs.models import Project
from runs.selectors import get_project, get_team
from teams.models import Team
from teams.scope import PageScope, ScopedPages, ScopeRoute


def scope_of(team: Team, project: Project | None = None) -> PageScope:
    """Return the scope of a project's pages, or of those for all projects of a team."""
    if project is not None:
        return PageScope("automations", "{}", (team.name, project.name), team.organization, team, project)
    return PageScope("automations", "team_{}", (team.name,), team.organization, team)


def find_project(request: HttpRequest, entity: str, project: str, *, action: str) -> Project:
    """Return the project or registry that an address names; raises as `runs.selectors.get_project` and `require`."""
    row = get_project(actor_of(request), entity, project, registries=True)
    if action:
        require(actor_of(request), action, row)
    return row


def find_team(request: HttpRequest, entity: str, *, action: str) -> Team:
    """Return the team or personal entity that an address names; raises as `runs.selectors.get_team` and `require`."""
    team = get_team(actor_of(request), entity)
    if action:
        require(actor_of(request), action, team)
    return team


def scoped_pages(needs: AutomationAction) -> ScopedPages:
    """Return where pages of automations are that need an action."""
    return ScopedPages(
        "automations",
        ScopeRoute("teams/<str:entity>/automations", "team_{}", needs, find_team),
        ScopeRoute("<str:entity>/<str:project>/automations", "{}", needs, find_project),
    )


def home_of(automation: Automation) -> PageScope:
    """Return where the page of an automation is."""
    return scope_of(automation.team, automation.project)


def may_create(request: HttpRequest, scope: PageScope) -> bool:
    """Say whether the viewer may make automations there."""
    return can(actor_of(request), AutomationAction.CREATE, scope.row)
