"""Actions on organizations and teams; the rows of the matrix in TEAM-21 that concern them."""

from enum import StrEnum

from access.actions import ActionSpec, presets, register_actions
from access.grants import register_grants
from access.resources import Resource, register_resource
from teams.grants import InviteSwitch, TeamRoles

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


def register() -> None:
    """Tell the engine."""
    admins, organization_admins = presets("A O"), presets("O")
    register_actions(
        {
            OrganizationAction.VIEW: ActionSpec(ORGANIZATION, presets("O Om"), label="See the organization"),
            OrganizationAction.MANAGE_MEMBERS: ActionSpec(
                ORGANIZATION, organization_admins, label="Manage members"
            ),
            OrganizationAction.MANAGE_ROLES: ActionSpec(
                ORGANIZATION, organization_admins, label="Define roles"
            ),
            OrganizationAction.MANAGE_SETTINGS: ActionSpec(
                ORGANIZATION, organization_admins, label="Change settings"
            ),
            OrganizationAction.VIEW_AUDIT: ActionSpec(
                ORGANIZATION, organization_admins, label="Read the audit log"
            ),
            OrganizationAction.CREATE_TEAM: ActionSpec(
                ORGANIZATION, organization_admins, label="Create teams"
            ),
            TeamAction.VIEW: ActionSpec(TEAM, presets("V M A O"), label="See the team and its members"),
            TeamAction.INVITE: ActionSpec(TEAM, admins, label="Invite people"),
            TeamAction.MANAGE_MEMBERS: ActionSpec(TEAM, admins, label="Remove members, change roles"),
            TeamAction.MANAGE_SETTINGS: ActionSpec(TEAM, admins, label="Change team settings"),
            TeamAction.MANAGE_SERVICE_ACCOUNTS: ActionSpec(TEAM, admins, label="Manage service accounts"),
            TeamAction.MANAGE_PRIVACY: ActionSpec(TEAM, organization_admins, label="Change privacy"),
            TeamAction.VIEW_USAGE: ActionSpec(TEAM, admins, label="See usage"),
            TeamAction.DELETE: ActionSpec(TEAM, organization_admins, label="Delete the team"),
        }
    )
    register_resource(Resource("teams.Organization", view=OrganizationAction.VIEW, organization="pk"))
    register_resource(Resource("teams.Team", view=TeamAction.VIEW, team="pk", organization="organization"))
    register_grants(TeamRoles())
    register_grants(InviteSwitch(TeamAction.INVITE))
