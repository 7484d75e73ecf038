"""Who belongs where, with which role."""

from teams.models.invitations import Invitation, InvitationState
from teams.models.members import Membership, OrganizationMember, ProductAccess
from teams.models.organizations import Organization
from teams.models.provisioning import ProvisionedTeam, ProvisionedUser, ProvisionState, SuspendedMembership
from teams.models.roles import Role, RoleGrant, RoleLevel
from teams.models.service_accounts import ServiceAccount
from teams.models.sso_groups import GroupMapping, GroupMembership
from teams.models.teams import SHARED_KINDS, Team, TeamKind, Visibility

__all__ = [
    "SHARED_KINDS",
    "GroupMapping",
    "GroupMembership",
    "Invitation",
    "InvitationState",
    "Membership",
    "Organization",
    "OrganizationMember",
    "ProductAccess",
    "ProvisionState",
    "ProvisionedTeam",
    "ProvisionedUser",
    "Role",
    "RoleGrant",
    "RoleLevel",
    "ServiceAccount",
    "SuspendedMembership",
    "Team",
    "TeamKind",
    "Visibility",
]
