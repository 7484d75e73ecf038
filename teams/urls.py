"""Routes of teams' and organizations' own pages."""

from django.urls import path

from teams.access import OrganizationAction, TeamAction
from teams.scim.routes import scim
from teams.scope import ScopedPages, organization_scope, team_scope, viewer_scope
from teams.views import (
    audit,
    creation,
    deletion,
    explain,
    general,
    invitations,
    limits,
    memberships,
    organization,
    organization_keys,
    privacy,
    profile,
    roles,
    service_accounts,
    team,
)

app_name = "teams"
_TEAM, _ORGANIZATION = "teams/<str:entity>", "organizations/<str:entity>"
_SERVICE_ACCOUNTS = ScopedPages(
    app_name,
    team_scope(f"{_TEAM}/service-accounts", TeamAction.MANAGE_SERVICE_ACCOUNTS),
    organization_scope(f"{_ORGANIZATION}/service-accounts", OrganizationAction.MANAGE_MEMBERS),
)
_PRIVACY = ScopedPages(
    app_name,
    team_scope(f"{_TEAM}/privacy", TeamAction.MANAGE_PRIVACY),
    organization_scope(f"{_ORGANIZATION}/privacy", OrganizationAction.MANAGE_SETTINGS),
)
_LIMITS = ScopedPages(
    app_name, viewer_scope("settings/limits"), team_scope(f"{_TEAM}/limits", TeamAction.VIEW)
)
_EXPLAIN = ScopedPages(
    app_name,
    viewer_scope("explain", named="{}_own"),
    team_scope(f"{_TEAM}/explain", TeamAction.MANAGE_MEMBERS),
    organization_scope(f"{_ORGANIZATION}/explain", OrganizationAction.MANAGE_MEMBERS),
)
urlpatterns = [
    path("teams/<str:entity>/delete", deletion.delete, name="delete"),
    path("teams/<str:entity>/restore", deletion.restore, name="restore"),
    path("teams/<str:entity>/profile", general.team_profile, name="profile"),
    path("teams/<str:entity>/profile/picture", profile.picture, name="profile_picture"),
    path("teams/<str:entity>/profile/intro", profile.intro, name="profile_intro"),
    path("organizations/<str:entity>/profile", general.organization_profile, name="organization_profile"),
    path(
        "organizations/<str:entity>/profile/picture",
        profile.organization_picture,
        name="organization_profile_picture",
    ),
    path(
        "organizations/<str:entity>/profile/intro",
        profile.organization_intro,
        name="organization_profile_intro",
    ),
    path("invitations/<str:token>", invitations.show, name="invitation"),
    path("invitations/<str:token>/accept", invitations.accept, name="invitation_accept"),
    path("invitations/<str:token>/decline", invitations.decline, name="invitation_decline"),
    path("settings/teams", memberships.mine, name="mine"),
    path("settings/teams/accept", invitations.accept_own, name="mine_accept"),
    path("settings/teams/decline", invitations.decline_own, name="mine_decline"),
    path("settings/teams/default", memberships.mine_default, name="mine_default"),
    path("settings/teams/invite", memberships.invite_your_team, name="invite_your_team"),
    path("teams/new", creation.new_team, name="new"),
    path("teams/new/name", creation.check_name, name="check_name"),
    path("teams/<str:entity>", team.members, name="members"),
    path("teams/<str:entity>/leave", memberships.leave, name="leave"),
    path("teams/<str:entity>/invite", team.invite, name="invite"),
    path("teams/<str:entity>/known", team.known, name="known"),
    path("teams/<str:entity>/resend", team.resend, name="resend"),
    path("teams/<str:entity>/revoke", team.revoke, name="revoke"),
    path("teams/<str:entity>/role", team.role, name="role"),
    path("teams/<str:entity>/remove", team.remove, name="remove"),
    *_PRIVACY.paths("privacy", "", privacy.privacy),
    *_PRIVACY.paths("privacy_close", "/close", privacy.close_projects),
    path("teams/<str:entity>/settings", general.team_settings, name="settings"),
    *_SERVICE_ACCOUNTS.paths("service_accounts", "", service_accounts.account_list),
    *_SERVICE_ACCOUNTS.paths("service_account", "/<int:pk>", service_accounts.account_detail),
    *_SERVICE_ACCOUNTS.paths("service_account_key", "/<int:pk>/keys", service_accounts.create_key),
    *_SERVICE_ACCOUNTS.paths("service_account_act", "/<int:pk>/act", service_accounts.change_account),
    path("organizations/<str:entity>/api-keys", organization_keys.keys, name="organization_keys"),
    path(
        "organizations/<str:entity>/api-keys/revoke",
        organization_keys.keys_revoke,
        name="organization_keys_revoke",
    ),
    path("organizations/new", creation.new_organization, name="new_organization"),
    path("organizations/<str:entity>", organization.members, name="organization"),
    path("organizations/<str:entity>/invite", organization.invite, name="organization_invite"),
    path("organizations/<str:entity>/resend", organization.resend, name="organization_resend"),
    path("organizations/<str:entity>/revoke", organization.revoke, name="organization_revoke"),
    path("organizations/<str:entity>/change", organization.change, name="organization_change"),
    path("organizations/<str:entity>/remove", organization.remove, name="organization_remove"),
    path("organizations/<str:entity>/teams", organization.teams, name="organization_teams"),
    path("organizations/<str:entity>/leave", memberships.leave_organization, name="organization_leave"),
    path("organizations/<str:entity>/delete", deletion.organization, name="organization_delete"),
    path("organizations/<str:entity>/audit", audit.organization, name="organization_audit"),
    path(
        "organizations/<str:entity>/audit/export",
        audit.organization_export,
        name="organization_audit_export",
    ),
    path("scim/v2/<str:entity>/<path:path>", scim, name="scim"),
    path("audit", audit.everything, name="audit"),
    path("audit/export", audit.everything_export, name="audit_export"),
    path("organizations/<str:entity>/settings", general.organization_settings, name="organization_settings"),
    path("organizations/<str:entity>/roles", roles.roles, name="organization_roles"),
    path("organizations/<str:entity>/roles/new", roles.new, name="organization_role_new"),
    path("organizations/<str:entity>/roles/<int:number>", roles.role, name="organization_role"),
    path(
        "organizations/<str:entity>/roles/<int:number>/delete",
        roles.delete,
        name="organization_role_delete",
    ),
    path("teams/<str:entity>/roles", roles.of_team, name="roles"),
    *_LIMITS.paths("limits", "", limits.limits),
    *_EXPLAIN.paths("explain", "", explain.explain),
]
