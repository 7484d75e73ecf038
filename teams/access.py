"""Actions on organizations and teams; the rows of the matrix in TEAM-21 that concern them."""

from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.resources.registry import Resource, register_resource
from teams.models import TeamKind
from teams.paths import register_names

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
    MANAGE_STORAGE = "team.manage_storage"
    DELETE = "team.delete"
    EXPORT = "team.export"


def register() -> None:
    """Tell the engine."""
    register_actions(_of_organizations(), group=_("Organization"))
    register_actions(_of_teams(), group=_("Team"))
    _register_resources()
    register_names()


def _of_organizations() -> dict[StrEnum, ActionSpec]:
    admins = presets("O")
    return {
        OrganizationAction.VIEW: ActionSpec(
            ORGANIZATION, presets("O Om Ov"), label=_("View organization"),
            help=_("View its name and members."),
        ),
        OrganizationAction.MANAGE_MEMBERS: ActionSpec(
            ORGANIZATION, admins, label=_("Manage the organization’s members"),
            help=_("Invite people to its teams, remove them, and change their roles and product access."),
        ),
        OrganizationAction.MANAGE_ROLES: ActionSpec(
            ORGANIZATION, admins, label=_("Define roles"),
            help=_("Create, edit and delete the organization’s custom roles."),
        ),
        OrganizationAction.MANAGE_SETTINGS: ActionSpec(
            ORGANIZATION, admins, label=_("Manage organization settings"),
            help=_("Display name, picture, privacy of all its teams, and which API keys members can create."),
        ),
        OrganizationAction.VIEW_AUDIT: ActionSpec(
            (*ORGANIZATION, "access.AuditEntry"), admins, label=_("View audit log"),
            help=_("Who did what, when and from where, in the organization and its teams."),
        ),
        OrganizationAction.CREATE_TEAM: ActionSpec(
            ORGANIZATION, admins, label=_("Create teams"), help=_("Create new teams in the organization."),
        ),
        OrganizationAction.DELETE: ActionSpec(
            ORGANIZATION, admins, label=_("Delete organization"),
            help=_("Delete the organization permanently, once it has no teams."),
        ),
    }  # fmt: skip


def _of_teams() -> dict[StrEnum, ActionSpec]:
    admins, organization_admins = presets("A O"), presets("O")
    return {
        TeamAction.VIEW: ActionSpec(
            TEAM, presets("V M A O"), label=_("View team and members"),
            help=_("View the team’s page and its members with their roles."),
        ),
        TeamAction.INVITE: ActionSpec(
            TEAM, admins, label=_("Invite people"),
            help=_("Invite people to the team with a role up to your own."),
        ),
        TeamAction.MANAGE_MEMBERS: ActionSpec(
            TEAM, admins, label=_("Remove members, change roles"),
            help=_("Remove people, revoke invitations, and assign roles up to your own."),
        ),
        TeamAction.MANAGE_SETTINGS: ActionSpec(
            TEAM, admins, label=_("Change team settings"),
            help=_("Change the team’s display name, type, picture and profile page."),
        ),
        TeamAction.MANAGE_SERVICE_ACCOUNTS: ActionSpec(
            TEAM, admins, label=_("Manage service accounts"),
            help=_("Create and delete the team’s service accounts, and create and revoke their API keys."),
        ),
        TeamAction.MANAGE_PRIVACY: ActionSpec(
            TEAM, organization_admins, label=_("Change privacy"),
            help=_("Choose whether projects can be public, whether the team is hidden, and who can invite."),
        ),
        TeamAction.VIEW_USAGE: ActionSpec(
            TEAM, admins, label=_("View usage"), help=_("View the team’s storage by project."),
        ),
        TeamAction.MANAGE_STORAGE: ActionSpec(
            TEAM, organization_admins, label=_("Manage the team’s bucket"),
            help=_("Connect a bucket for the team’s files, change its credentials, and move files back."),
        ),
        TeamAction.DELETE: ActionSpec(
            TEAM, organization_admins, label=_("Delete and restore the team"),
            help=_("Delete the team with all its projects, and restore it while it is kept."),
        ),
        TeamAction.EXPORT: ActionSpec(
            TEAM, admins, label=_("Export what the team owns"),
            help=_("Download everything you can see in the team as one archive."),
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
            # the entity of an organization is no team: who may what with its registries, the registries say
            live=Q(deleted_at__isnull=True) & ~Q(kind=TeamKind.ORGANIZATION),
            reach_deleted=frozenset({TeamAction.DELETE}),
        )
    )
