"""The sections that alerts add to the settings of people and teams."""

from django.utils.translation import gettext_lazy as _

from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
from alerts.access import AlertAction


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    found_by = _("notifications email slack webhook crashed finished mute")
    group = SectionGroup.NOTIFICATIONS
    register_sections(
        SettingsScope.USER, Section(_("Alerts"), "bell", "alerts:own", group, 10, words=found_by)
    )
    words = _("slack webhook teams discord ntfy pagerduty feishu channel")
    register_sections(
        SettingsScope.USER,
        Section(_("Destinations"), "webhook", "alerts:own_destinations", group, 30, words=words),
    )
    manage, secrets = AlertAction.MANAGE, AlertAction.MANAGE_SECRETS
    register_sections(
        SettingsScope.TEAM,
        Section(_("Alerts"), "bell", "alerts:team", group, 10, manage, found_by),
        Section(_("Destinations"), "webhook", "alerts:destinations", group, 30, manage, words),
        Section(_("Secrets"), "key-round", "alerts:secrets", group, 40, secrets),
    )
