"""The tabs of a team's and of an organization's pages."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import can
from accounts.settings.sections import SettingsScope, all_sections, section_at
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab; without a label it is called as its section.

    ``needs`` is the action without which it is not shown, "" where the section of its route says that.
    """

    label: str | Promise
    icon: str
    route: str
    needs: str = ""


_TABS = {
    SettingsScope.TEAM: (
        Tab(_("Overview"), "info", "runs:entity"),
        Tab(_("Members"), "users", "teams:members", TeamAction.VIEW),
        Tab(_("Registry"), "library", "artifacts:registries_of", TeamAction.VIEW),
        Tab(_("Hosts"), "server", "metrics:hosts", TeamAction.VIEW),
        Tab(_("Usage"), "chart-column", "usage:team_usage"),
        Tab(_("Settings"), "settings-2", "teams:settings"),
    ),
    SettingsScope.ORGANIZATION: (
        Tab(_("Overview"), "info", "runs:entity"),
        Tab(_("Members"), "users", "teams:organization", OrganizationAction.VIEW),
        Tab(_("Teams"), "layers", "teams:organization_teams", OrganizationAction.VIEW),
        Tab(_("Registry"), "library", "artifacts:registries_of", OrganizationAction.VIEW),
        Tab(_("Settings"), "settings-2", "teams:organization_settings"),
        Tab("", "", "billing:overview"),
    ),
}


@dataclass(frozen=True, slots=True)
class ShownTab:
    """A tab as a page shows it."""

    label: str
    icon: str
    url: str
    is_here: bool


def tabs_of(actor: Actor, row: Team | Organization, here: str) -> list[ShownTab]:
    """Return the tabs that the actor may open, nothing where that is only the page itself.

    Args:
        actor: Who looks.
        row: A team or organization that the actor sees something of.
        here: The route of the page that is shown.
    """
    place = SettingsScope.TEAM if isinstance(row, Team) else SettingsScope.ORGANIZATION
    shown = [
        ShownTab(str(named.label), named.icon, reverse(tab.route, args=[row.name]), tab.route == here)
        for tab in _allowed(actor, row, place)
        if (named := tab if tab.label else section_at(actor, place, tab.route, row))
    ]
    return shown if len(shown) > 1 else []


def _allowed(actor: Actor, row: Team | Organization, place: SettingsScope) -> Iterator[Tab]:
    """Yield the tabs that the actor may open; one query for each action that they need."""
    needs = {section.route: section.needs for section in all_sections(place)}
    allowed: dict[str, bool] = {"": True}
    for tab in _TABS[place]:
        action = tab.needs or needs.get(tab.route, "")
        if action not in allowed:
            allowed[action] = can(actor, action, row)
        if allowed[action]:
            yield tab
