"""Actions on organizations and teams; the rows of the matrix in TEAM-21 that concern them."""

from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.grants import register_grants
from access.resources import Resource, register_resource
from teams.grants import InviteSwitch, TeamRoles
from teams.naming import register_names

ORGANIZATION = ("teams.Organization",)
TEAM = ("teams.Team",)


class OrganizationAction(StrEnum):
    """What is done in an organization."""

    VIEW = "organization.view"
    MANAGE_MEMBERS = "organization.manage_members"
    MANAGE_ROLES = "organization.manage_roles"
    MANAGE_SETTINGS = "organization.manage_settings"
    VIEW_AUDIT = "organization.view_audit"
    CREATE_TEAM = "team.create"
    DELETE = "organization.delete"


class TeamAction(StrEnum):
    """What is done in a team."""

    VIEW = "team.view"
    INVITE = "team.invite"
    MANAGE_MEMBERS = "team.manage_members"
    MANAGE_SETTINGS = "team.manage_settings"
    MANAGE_SERVICE_ACCOUNTS = "team.manage_service_accounts"
    MANAGE_PRIVACY = "team.manage_privacy"
    VIEW_USAGE = "team.view_usage"
    DELETE = "team.delete"
    EXPORT = "team.export"


def register() -> None:
    """Tell the engine."""
    register_actions(_of_organizations(), group=_("Organization"))
    register_actions(_of_teams(), group=_("Team"))
    _register_resources()
    register_grants(TeamRoles())
    register_grants(InviteSwitch(TeamAction.INVITE))
    register_names()


def _of_organizations() -> dict[StrEnum, ActionSpec]:
    admins = presets("O")
    return {
        OrganizationAction.VIEW: ActionSpec(
            ORGANIZATION, presets("O Om Ov"), label=_("See the organization"),
            help=_("Its name, and who belongs to it."),
        ),
        OrganizationAction.MANAGE_MEMBERS: ActionSpec(
            ORGANIZATION, admins, label=_("Manage the organization’s members"),
            help=_("Invite to its teams, take people out, change their role and their access to products."),
        ),
        OrganizationAction.MANAGE_ROLES: ActionSpec(
            ORGANIZATION, admins, label=_("Define roles"),
            help=_("Make, change and delete the organization’s own roles."),
        ),
        OrganizationAction.MANAGE_SETTINGS: ActionSpec(
            ORGANIZATION, admins, label=_("Change the organization’s settings"),
            help=_("Its display name, its picture, the privacy of all its teams, and which API keys members make."),
        ),
        OrganizationAction.VIEW_AUDIT: ActionSpec(
            (*ORGANIZATION, "access.AuditEntry"), admins, label=_("Read the audit log"),
            help=_("Who did what, when and from where, in the organization and its teams."),
        ),
        OrganizationAction.CREATE_TEAM: ActionSpec(
            ORGANIZATION, admins, label=_("Create teams"), help=_("Make a new team in the organization."),
        ),
        OrganizationAction.DELETE: ActionSpec(
            ORGANIZATION, admins, label=_("Delete the organization"),
            help=_("Delete it for good, once it has no teams."),
        ),
    }  # fmt: skip


def _of_teams() -> dict[StrEnum, ActionSpec]:
    admins, organization_admins = presets("A O"), presets("O")
    return {
        TeamAction.VIEW: ActionSpec(
            TEAM, presets("V M A O"), label=_("See the team and its members"),
            help=_("Open the team’s page and the list of who is in it, with their roles."),
        ),
        TeamAction.INVITE: ActionSpec(
            TEAM, admins, label=_("Invite people"),
            help=_("Ask people into the team, with a role that is not above one’s own."),
        ),
        TeamAction.MANAGE_MEMBERS: ActionSpec(
            TEAM, admins, label=_("Remove members, change roles"),
            help=_("Take people out, take invitations back, and give roles that are not above one’s own."),
        ),
        TeamAction.MANAGE_SETTINGS: ActionSpec(
            TEAM, admins, label=_("Change team settings"),
            help=_("The team’s display name, type, picture and profile page."),
        ),
        TeamAction.MANAGE_SERVICE_ACCOUNTS: ActionSpec(
            TEAM, admins, label=_("Manage service accounts"),
            help=_("Make and remove the team’s service accounts, and make and revoke their API keys."),
        ),
        TeamAction.MANAGE_PRIVACY: ActionSpec(
            TEAM, organization_admins, label=_("Change privacy"),
            help=_("Decide whether projects can be public, whether the team is hidden, and who invites."),
        ),
        TeamAction.VIEW_USAGE: ActionSpec(
            TEAM, admins, label=_("See usage"), help=_("How many bytes the team keeps, by project."),
        ),
        TeamAction.DELETE: ActionSpec(
            TEAM, organization_admins, label=_("Delete and restore the team"),
            help=_("Delete the team with all its projects, and bring it back as long as it is kept."),
        ),
        TeamAction.EXPORT: ActionSpec(
            TEAM, admins, label=_("Export what the team owns"),
            help=_("Download everything of the team that one sees as one archive."),
        ),
    }  # fmt: skip


def _register_resources() -> None:
    register_resource(
        Resource(
            "teams.Organization",
            view=OrganizationAction.VIEW,
            organization="pk",
            live=Q(deleted_at__isnull=True),
        )
    )
    register_resource(
        Resource("access.AuditEntry", view=OrganizationAction.VIEW_AUDIT, organization="organization_id")
    )
    register_resource(
        Resource(
            "teams.Team",
            view=TeamAction.VIEW,
            team="pk",
            organization="organization",
            live=Q(deleted_at__isnull=True),
            reach_deleted=frozenset({TeamAction.DELETE}),
        )
    )
