"""The sections that teams add to the settings of people, teams and organizations."""

from django.utils.translation import gettext_lazy as _

from accounts.settings.sections import Section, SettingsScope, register_sections
from teams.access import OrganizationAction, TeamAction


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    words = _("organization members invitations join leave")
    limits, of_limits = _("Limits"), _("rate quota maximum 429 too many requests")
    register_sections(
        SettingsScope.USER,
        Section(_("Teams"), "users", "teams:mine", rank=20, words=words),
        Section(limits, "gauge", "teams:own_limits", rank=83, words=of_limits),
    )
    manages = OrganizationAction.MANAGE_SETTINGS
    service, explain = _("Service accounts"), _("Explain access")
    register_sections(
        SettingsScope.TEAM,
        Section(_("Members"), "users", "teams:members", rank=10),
        Section(_("Profile"), "image", "teams:profile", rank=20, needs=TeamAction.MANAGE_SETTINGS),
        Section(service, "terminal", "teams:service_accounts", 30, TeamAction.MANAGE_SERVICE_ACCOUNTS),
        Section(explain, "circle-help", "teams:explain", rank=35, needs=TeamAction.MANAGE_MEMBERS),
        Section(_("Privacy"), "lock", "teams:privacy", rank=40, needs=TeamAction.MANAGE_PRIVACY),
        Section(_("Team settings"), "settings-2", "teams:settings", 50, TeamAction.MANAGE_SETTINGS),
        Section(limits, "gauge", "teams:limits", rank=75, words=of_limits),
        Section(_("Delete team"), "trash-2", "teams:delete", rank=90, needs=TeamAction.DELETE),
    )
    people, roles = OrganizationAction.MANAGE_MEMBERS, OrganizationAction.MANAGE_ROLES
    of_roles = _("permissions custom role")
    register_sections(
        SettingsScope.ORGANIZATION,
        Section(_("Members"), "users", "teams:organization", rank=10),
        Section(_("Teams"), "layers", "teams:organization_teams", rank=20),
        Section(_("Roles"), "shield", "teams:organization_roles", rank=24, needs=roles, words=of_roles),
        Section(explain, "circle-help", "teams:organization_explain", rank=26, needs=people),
        Section(service, "terminal", "teams:organization_service_accounts", rank=30, needs=people),
        Section(_("API keys"), "key-round", "teams:organization_keys", rank=35, needs=people),
        Section(_("Privacy"), "lock", "teams:organization_privacy", rank=40, needs=manages),
        Section(_("Profile"), "image", "teams:organization_profile", rank=15, needs=manages),
        Section(
            _("Organization settings"), "settings-2", "teams:organization_settings", rank=50, needs=manages
        ),
        Section(_("Audit log"), "file-text", "teams:organization_audit", 70, OrganizationAction.VIEW_AUDIT),
        Section(
            _("Delete organization"), "trash-2", "teams:organization_delete", 90, OrganizationAction.DELETE
        ),
    )
