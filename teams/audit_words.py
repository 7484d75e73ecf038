"""What the audit log says of organizations and teams."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.audit.values import Field, action_labels, register_fields
from access.audit.words import Kind, register_kind, register_words
from teams.access import OrganizationAction, TeamAction
from teams.models import ProductAccess, TeamKind, Visibility
from teams.roles.builtin import preset_names, stored_names
from teams.teams.privacy import SWITCHES

ORGANIZATIONS = {
    "organization.create": _("Created an organization"),
    "organization.change_settings": _("Changed the organization’s settings"),
    "organization.enforce_privacy": _("Set privacy for all teams"),
    "organization.add_member": _("Added a member to the organization"),
    "organization.change_member": _("Changed a member’s role or access in the organization"),
    "organization.remove_member": _("Removed a member from the organization"),
    "organization.leave": _("Left the organization"),
    OrganizationAction.DELETE: _("Deleted the organization"),
}
TEAMS = {
    OrganizationAction.CREATE_TEAM: _("Created a team"),
    TeamAction.DELETE: _("Deleted a team"),
    "team.restore": _("Restored a team"),
    "team.change_settings": _("Changed a team’s settings"),
    TeamAction.MANAGE_SETTINGS: _("Changed the profile of a team or organization"),
    OrganizationAction.MANAGE_SETTINGS: _("Changed the profile of a team or organization"),
    TeamAction.MANAGE_PRIVACY: _("Changed a team’s privacy"),
    "team.connect_bucket": _("Connected a bucket to a team"),
    "team.disconnect_bucket": _("Disconnected a team’s bucket"),
    "team.replace_bucket_credentials": _("Replaced the credentials of a team’s bucket"),
    "team.add_member": _("Added a member to a team"),
    "team.change_role": _("Changed a member’s role in a team"),
    "team.remove_member": _("Removed a member from a team"),
    "team.leave": _("Left a team"),
}
INVITATIONS = {
    TeamAction.INVITE: _("Invited someone to a team"),
    "team.revoke_invitation": _("Revoked an invitation"),
    "team.accept_invitation": _("Accepted an invitation"),
    "team.decline_invitation": _("Declined an invitation"),
    "organization.invite": _("Invited someone to the organization"),
    "organization.revoke_invitation": _("Revoked an invitation"),
    "organization.accept_invitation": _("Accepted an invitation"),
    "organization.decline_invitation": _("Declined an invitation"),
}
SERVICE_ACCOUNTS = {
    "service_account.create": _("Created a service account"),
    "service_account.change": _("Changed a service account"),
    "service_account.rotate_key": _("Created an API key for a service account"),
    "service_account.set_active": _("Activated or deactivated a service account"),
    "service_account.delete": _("Deleted a service account"),
}
ROLES = {
    "role.create": _("Created a role"),
    "role.change": _("Changed a role"),
    "role.delete": _("Deleted a role"),
}

SCIM = {
    "scim.save_user": _("An identity provider changed a user"),
    "scim.save_group": _("An identity provider changed a group"),
}


STATES = {"active": _("Active"), "inactive": _("Inactive"), "deleted": _("Deleted")}
"""What an identity provider wants of a person (`teams.models.ProvisionState`)."""


def register() -> None:
    """Tell the audit log."""
    _register_fields()
    register_words("organization", _("Organization"), ORGANIZATIONS)
    register_words("team", _("Teams and members"), TEAMS)
    register_words("invitation", _("Invitations"), INVITATIONS)
    register_words("scim", _("Identity provider (SCIM)"), SCIM)
    register_words("role", _("Roles"), ROLES)
    register_words("service_account", _("Service accounts"), SERVICE_ACCOUNTS)
    register_kind(
        "teams.Organization",
        _("Organization"),
        Kind(OrganizationAction.VIEW, lambda row: reverse("teams:organization", args=[row.name])),
    )
    register_kind(
        "teams.Team", _("Team"), Kind(TeamAction.VIEW, lambda row: reverse("teams:members", args=[row.name]))
    )
    register_kind("teams.ServiceAccount", _("Service account"))
    register_kind("teams.Role", _("Role"))


def _register_fields() -> None:
    access = dict(ProductAccess.choices)
    register_fields(
        {
            "admin": _("Admin"), "user": _("Person"), "invited": _("Invited"), "members": _("Members"),
            "teams": _("Teams"), "team": _("Team"), "group": _("Group"), "why": _("Reason"), "name": _("Name"),
            "description": _("Description"), "role": Field(_("Role"), choices=stored_names),
            "models_access": Field(_("Access to Models"), choices=access),
            "weave_access": Field(_("Access to Weave"), choices=access),
            "visibility": Field(_("Visibility"), choices=dict(Visibility.choices)),
            **{switch.name: switch.label for switch in SWITCHES},
        }
    )  # fmt: skip
    register_fields(
        {
            "kind": Field(_("Team type"), choices=dict(TeamKind.choices)),
            "bucket": _("Bucket"),
            "project_visibility": Field(_("Visibility of new projects"), choices=dict(Visibility.choices)),
        },
        scope="teams.Team",
    )
    register_fields(
        {
            "api_keys_allowed": _("Members can create API keys"), "api_keys_limited": _("API keys are limited"),
            "api_key_max_days": _("API keys expire within, days"),
        },
        scope="teams.Organization",
    )  # fmt: skip
    register_fields(
        {
            "base": Field(_("Based on"), choices=preset_names), "adds": Field(_("Adds"), choices=action_labels),
            "held": _("In use by"), "service_accounts": _("Service accounts"),
            "pending_invitations": _("Pending invitations"), "elsewhere": _("Elsewhere"),
        },
        scope="teams.Role",
    )  # fmt: skip
    register_fields(
        {
            "label": _("Name"), "description": _("Description"), "default_team": _("Default team"),
            "key": _("API key"), "overlap_hours": _("Hours until the old key expires"),
        },
        scope="teams.ServiceAccount",
    )  # fmt: skip
    register_fields(
        {
            "userName": _("Username"), "displayName": _("Display name"), "externalId": _("External ID"),
            "state": Field(_("State"), choices=STATES),
        },
        scope="scim.save_user",
    )  # fmt: skip
    register_fields({"externalId": _("External ID")}, scope="scim.save_group")
