"""Whose pages are shown: a team's, or the viewer's own, which belong to their personal entity."""

from typing import Any

from teams.models import Team
from teams.scope import PageScope


def scope_of_team(team: Team) -> PageScope:
    """Return the scope of a team's pages, or of one's own for a personal entity."""
    if team.is_personal:
        return PageScope("alerts", "own_{}", (), team=team)
    return PageScope("alerts", "{}", (team.name,), team=team)


def team_in(scope: PageScope) -> Team:
    """Return the team whose pages they are."""
    assert scope.team is not None  # noqa: S101 - organizations have no such pages
    return scope.team


def page_context(scope: PageScope, section: str) -> dict[str, Any]:
    """Return what pages of destinations and secrets share; one's own are all in one section."""
    return {
        **scope.context("destinations" if scope.is_own else section),
        "destinations_url": scope.url("destinations"),
        "secrets_url": scope.url("secrets"),
    }
