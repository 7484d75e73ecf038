"""The sections that teams add to the settings of people, teams and organizations."""

from django.utils.translation import gettext_lazy as _

from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
from teams.access import OrganizationAction, TeamAction

_GENERAL, _SERVICE, _EXPLAIN = _("General"), _("Service accounts"), _("Explain access")
_LIMITS, _OF_LIMITS = _("Limits"), _("rate quota maximum 429 too many requests")


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    words = _("organization members invitations join leave")
    register_sections(
        SettingsScope.USER,
        Section(_("Teams"), "users", "teams:mine", SectionGroup.ACCESS, rank=20, words=words),
        Section(_LIMITS, "gauge", "teams:own_limits", SectionGroup.USAGE, rank=30, words=_OF_LIMITS),
    )
    _register_of_teams()
    _register_of_organizations()


def _register_of_teams() -> None:
    people, general, usage = SectionGroup.PEOPLE, SectionGroup.GENERAL, SectionGroup.USAGE
    services, members = TeamAction.MANAGE_SERVICE_ACCOUNTS, TeamAction.MANAGE_MEMBERS
    page = "teams:settings"
    register_sections(
        SettingsScope.TEAM,
        Section(_("Members"), "users", "teams:members", people, rank=10),
        Section(_SERVICE, "terminal", "teams:service_accounts", people, 20, services),
        Section(_EXPLAIN, "circle-help", "teams:explain", people, 30, members),
        Section(_GENERAL, "settings-2", page, general, 10, TeamAction.MANAGE_SETTINGS),
        Section(_("Privacy"), "lock", "teams:privacy", general, 20, TeamAction.MANAGE_PRIVACY),
        Section(_LIMITS, "gauge", "teams:limits", usage, rank=40, words=_OF_LIMITS),
        Section(_("Delete team"), "trash-2", "teams:delete", general, 90, TeamAction.DELETE, under=page),
    )


def _register_of_organizations() -> None:
    people, general = SectionGroup.PEOPLE, SectionGroup.GENERAL
    members, roles = OrganizationAction.MANAGE_MEMBERS, OrganizationAction.MANAGE_ROLES
    manages, audits = OrganizationAction.MANAGE_SETTINGS, OrganizationAction.VIEW_AUDIT
    of_roles, page = _("permissions custom role"), "teams:organization_settings"
    deletes = OrganizationAction.DELETE
    register_sections(
        SettingsScope.ORGANIZATION,
        Section(_("Members"), "users", "teams:organization", people, rank=10),
        Section(_("Teams"), "layers", "teams:organization_teams", people, rank=20),
        Section(_("Roles"), "shield", "teams:organization_roles", people, 30, roles, of_roles),
        Section(_SERVICE, "terminal", "teams:organization_service_accounts", people, 40, members),
        Section(_("API keys"), "key-round", "teams:organization_keys", people, 50, members),
        Section(_EXPLAIN, "circle-help", "teams:organization_explain", people, 60, members),
        Section(_GENERAL, "settings-2", page, general, 10, manages),
        Section(_("Privacy"), "lock", "teams:organization_privacy", general, 20, manages),
        Section(_("Audit log"), "file-text", "teams:organization_audit", general, 30, audits),
        Section(
            _("Delete organization"), "trash-2", "teams:organization_delete", general, 90, deletes, under=page
        ),
    )
