"""The sections that usage adds to the settings of people and teams."""

from django.utils.translation import gettext_lazy as _

from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
from teams.access import TeamAction


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    storage, usage, group = _("Storage"), TeamAction.VIEW_USAGE, SectionGroup.USAGE
    of_bytes, of_hours = _("bytes disk space files quota usage trash"), _("hours storage quota cost gpu")
    register_sections(
        SettingsScope.USER, Section(storage, "hard-drive", "usage:own_storage", group, 20, words=of_bytes)
    )
    register_sections(
        SettingsScope.TEAM,
        Section(_("Usage"), "chart-column", "usage:team_usage", group, 10, usage, of_hours),
        Section(storage, "hard-drive", "usage:team_storage", group, 20, usage, of_bytes),
    )
