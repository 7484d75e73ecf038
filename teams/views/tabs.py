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
    pages: frozenset[str] = frozenset()
    """Further routes that are under it; those under no tab are settings."""
    needs: str = ""
    is_rest: bool = False
    """Whether all pages that no other tab names are under it."""


_SERVICE = frozenset({"teams:service_accounts", "teams:service_account", "teams:service_account_key"})
_STORAGE = frozenset({"usage:team_storage", "usage:team_storage_project"})
_TABS = {
    SettingsScope.TEAM: (
        Tab(_("Overview"), "info", "runs:entity"),
        Tab(_("Members"), "users", "teams:members", _SERVICE | {"teams:invite", "teams:roles", "teams:explain"},
            TeamAction.VIEW),
        Tab(_("Registry"), "library", "artifacts:registries_of", needs=TeamAction.VIEW),
        Tab(_("Hosts"), "server", "metrics:hosts", needs=TeamAction.VIEW),
        Tab(_("Usage"), "chart-column", "usage:team_usage", _STORAGE),
        Tab(_("Settings"), "settings-2", "teams:settings", is_rest=True),
    ),
    SettingsScope.ORGANIZATION: (
        Tab(_("Overview"), "network", "runs:entity"),
        Tab(_("Members"), "users", "teams:organization", frozenset({"teams:organization_invite"}),
            OrganizationAction.VIEW),
        Tab(_("Teams"), "layers", "teams:organization_teams", needs=OrganizationAction.VIEW),
        Tab(_("Registry"), "library", "artifacts:registries_of", frozenset({"artifacts:new_registry"}),
            OrganizationAction.VIEW),
        Tab(_("Settings"), "settings-2", "teams:organization_settings", is_rest=True),
        Tab("", "", "billing:overview"),
    ),
}  # fmt: skip


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
    current = _current(place, here)
    shown = [
        ShownTab(str(named.label), named.icon, reverse(tab.route, args=[row.name]), tab is current)
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


def _current(place: SettingsScope, here: str) -> Tab | None:
    tabs = _TABS[place]
    if here.startswith(("billing:", "usage:")) and place is SettingsScope.ORGANIZATION:
        return tabs[-1]
    named = (tab for tab in tabs if here == tab.route or here in tab.pages)
    return next(named, None) or next(tab for tab in tabs if tab.is_rest)
