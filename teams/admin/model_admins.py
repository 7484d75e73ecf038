"""Organizations, teams and who belongs to them, for operators (TEAM-21)."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html

from access.audit.log import record
from access.web.requests import actor_of
from accounts.operators.admin_actions import ActionContext, AdminAction, AuditedAdmin, ServedAdmin
from teams.admin import forms
from teams.invitations import services as invitations
from teams.members import services
from teams.models import (
    GroupMapping,
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    Role,
    ServiceAccount,
    Team,
)
from teams.organizations import services as organizations
from teams.organizations.services import create_organization
from teams.teams.deletion import delete_team, restore_team
from teams.teams.privacy import enforce_privacy, set_privacy
from teams.teams.services import change_team, create_team


def counted(model: Any, owner: str) -> Coalesce:
    """Return how many rows of a model have the listed row as their owner: one subquery, where joins would multiply."""
    rows = model._default_manager.filter(**{owner: OuterRef("pk")}).order_by().values(owner)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def _new_organization(doing: ActionContext[Organization]) -> Any:
    row = create_organization(actor=doing.actor, **doing.typed)
    return redirect("admin:teams_organization_change", row.pk)


def _new_team(doing: ActionContext[Organization]) -> Any:
    row = create_team(actor=doing.actor, organization=doing.row, **doing.typed)
    return redirect("admin:teams_team_change", row.pk)


def _enforce(doing: ActionContext[Organization]) -> None:
    values = {name: None if not value else value == "yes" for name, value in doing.typed.items()}
    enforce_privacy(actor=doing.actor, organization=doing.row, values=values)


def _invite(doing: ActionContext[Team]) -> None:
    who, role = doing.typed["who"].strip(), doing.typed["role"]
    name = {"email": who} if "@" in who else {"username": who}
    invitations.invite(actor=doing.actor, team=doing.row, role=role, **name)


def _is_pending(invitation: Invitation) -> bool:
    return invitation.state == InvitationState.PENDING


def _is_shared(team: Team) -> bool:
    return not team.is_personal and team.deleted_at is None


@admin.register(Organization)
class OrganizationAdmin(ServedAdmin[Organization]):
    """Organizations with their sizes."""

    list_display = ["name", "display_name", "team_count", "member_count", "api_keys_allowed", "created_at"]
    list_filter = ["api_keys_allowed", "created_at"]
    search_fields = ["name", "display_name"]
    date_hierarchy = "created_at"
    fields = [
        "name", "display_name", "enforced_privacy", "api_keys_allowed", "api_key_max_days", "roles", "created_at"
    ]  # fmt: skip
    creation = AdminAction(
        slug="add", label="Create an organization", form=forms.NewOrganizationForm, do=_new_organization
    )
    acts = (
        AdminAction(slug="settings", label="Change settings", form=forms.OrganizationSettingsForm,
            do=lambda doing: _done(organizations.change_organization(
                actor=doing.actor, organization=doing.row, **doing.typed))),
        AdminAction(slug="privacy", label="Enforce privacy", form=forms.EnforcedPrivacyForm, is_dangerous=True,
            text="What you set here applies to all teams of the organization at once.", do=_enforce),
        AdminAction(slug="new-team", label="Create a team", form=forms.NewTeamForm, do=_new_team),
    )  # fmt: skip
    related = (
        ("Organization members", "teams_organizationmember", "organization__id__exact"),
        ("Billing admins", "billing_billingadmin", "organization__id__exact"),
        ("Teams", "teams_team", "organization__id__exact"),
        ("Roles", "teams_role", "organization__id__exact"),
        ("Service accounts", "teams_serviceaccount", "organization__id__exact"),
        ("Audit log", "access_auditentry", "organization_id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        """Count in the list's own query."""
        n_teams, n_members = counted(Team, "organization"), counted(OrganizationMember, "organization")
        return super().get_queryset(request).annotate(n_teams=n_teams, n_members=n_members)

    @admin.display(description="teams", ordering="n_teams")
    def team_count(self, organization: Organization) -> int:
        """Show how many teams it owns."""
        return int(getattr(organization, "n_teams", 0))

    @admin.display(description="members", ordering="n_members")
    def member_count(self, organization: Organization) -> int:
        """Show how many people belong to it."""
        return int(getattr(organization, "n_members", 0))

    @admin.display(description="custom roles")
    def roles(self, organization: Organization) -> str:
        """Lead to where the organization's admins define roles."""
        url = f"{reverse('teams:organization', args=[organization.name])}/roles"
        return format_html('<a href="{}">Roles of {}</a> (only for its admins)', url, organization.name)


def _done(_row: object) -> None:
    """Drop the result: the admin says only that it is done."""


@admin.register(OrganizationMember)
class OrganizationMemberAdmin(ServedAdmin[OrganizationMember]):
    """Who belongs to which organization."""

    list_display = ["user", "organization", "role", "models_access", "weave_access", "created_at"]
    list_filter = ["role", "models_access", "weave_access"]
    list_select_related = ["user", "organization", "role"]
    search_fields = ["user__username", "user__email", "organization__name"]
    date_hierarchy = "created_at"
    acts = (
        AdminAction(slug="change", label="Change role and access", form=forms.OrganizationMemberForm, is_dangerous=True,
            do=lambda doing: _done(organizations.change_organization_member(
                actor=doing.actor, member=doing.row, **doing.typed))),
        AdminAction(slug="remove", label="Remove from organization", in_bulk=True,
            text="They also leave its teams, and are notified by email. The runs they logged stay.",
            do=lambda doing: organizations.remove_from_organization(actor=doing.actor, member=doing.row)),
    )  # fmt: skip


@admin.register(Team)
class TeamAdmin(ServedAdmin[Team]):
    """Teams, personal entities among them."""

    list_display = [
        "name", "kind", "organization", "member_count", "project_count", "public_projects_allowed", "is_hidden",
        "created_at", "deleted_at",
    ]  # fmt: skip
    list_filter = ["kind", ("deleted_at", admin.EmptyFieldListFilter), "public_projects_allowed", "is_hidden"]
    list_select_related = ["organization"]
    search_fields = ["name", "display_name", "organization__name"]
    date_hierarchy = "created_at"
    fields = [
        "name", "display_name", "kind", "organization", "is_hidden", "public_projects_allowed",
        "members_may_invite", "code_saving_default", "code_saving_allowed", "created_at", "deleted_at",
    ]  # fmt: skip
    acts = (
        AdminAction(slug="settings", label="Change settings", form=forms.TeamSettingsForm, fits=_is_shared,
            do=lambda doing: _done(change_team(actor=doing.actor, team=doing.row, **doing.typed))),
        AdminAction(slug="privacy", label="Change privacy", form=forms.PrivacyForm, fits=_is_shared, is_dangerous=True,
            do=lambda doing: _done(set_privacy(actor=doing.actor, team=doing.row, values=doing.typed))),
        AdminAction(slug="add-member", label="Add a member", form=forms.MemberForm, fits=_is_shared,
            text="They join at once, without an invitation.",
            do=lambda doing: _done(services.add_member(actor=doing.actor, team=doing.row, **doing.typed))),
        AdminAction(slug="invite", label="Invite a member", form=forms.InviteForm, fits=_is_shared, do=_invite),
        AdminAction(slug="delete", label="Delete team", form=forms.TypedNameForm, fits=_is_shared, is_dangerous=True,
            text="The team and everything it owns are hidden, and can be restored for some days.",
            do=lambda doing: _done(delete_team(actor=doing.actor, team=doing.row, typed=doing.typed["typed"]))),
        AdminAction(slug="restore", label="Restore team", in_bulk=True,
            fits=lambda team: team.deleted_at is not None and not team.is_personal,
            text="It comes back with everything that was deleted with it.",
            do=lambda doing: _done(restore_team(actor=doing.actor, team=doing.row))),
    )  # fmt: skip
    related = (
        ("Team members", "teams_membership", "team__id__exact"),
        ("Invitations", "teams_invitation", "team__id__exact"),
        ("Service accounts", "teams_serviceaccount", "team__id__exact"),
        ("Projects", "runs_project", "team__id__exact"),
        ("Audit log", "access_auditentry", "team_id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """Count in the list's own query."""
        projects = counted(Team._meta.get_field("projects").related_model, "team")
        return (
            super().get_queryset(request).annotate(n_members=counted(Membership, "team"), n_projects=projects)
        )

    @admin.display(description="members", ordering="n_members")
    def member_count(self, team: Team) -> int:
        """Show how many belong to it."""
        return int(getattr(team, "n_members", 0))

    @admin.display(description="projects", ordering="n_projects")
    def project_count(self, team: Team) -> int:
        """Show how many projects it holds, deleted ones among them."""
        return int(getattr(team, "n_projects", 0))


@admin.register(Membership)
class MembershipAdmin(ServedAdmin[Membership]):
    """Who is in which team."""

    list_display = ["user", "team", "role", "created_at"]
    list_filter = ["role__preset", "team__kind"]
    list_select_related = ["user", "team", "role"]
    search_fields = ["user__username", "user__email", "team__name"]
    date_hierarchy = "created_at"
    acts = (
        AdminAction(slug="role", label="Change role", form=forms.RoleForm, fits=lambda row: not row.team.is_personal,
            is_dangerous=True,
            do=lambda doing: _done(services.change_role(actor=doing.actor, membership=doing.row, **doing.typed))),
        AdminAction(slug="remove", label="Remove from team", in_bulk=True, fits=lambda row: not row.team.is_personal,
            text="They are notified by email. The runs they logged stay.",
            do=lambda doing: services.remove_member(actor=doing.actor, membership=doing.row)),
    )  # fmt: skip


@admin.register(Role)
class RoleAdmin(ServedAdmin[Role]):
    """Roles and what they give: built-in ones follow the code, custom ones are their organization's to change."""

    list_display = ["name", "level", "preset", "organization", "base", "action_count"]
    list_filter = ["level", ("organization", admin.EmptyFieldListFilter)]
    list_select_related = ["organization", "base"]
    search_fields = ["name", "organization__name"]
    fields = ["name", "level", "preset", "organization", "base", "actions_given", "edited"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Role]:
        """Count in the list's own query."""
        return super().get_queryset(request).annotate(n_actions=Count("grants"))

    @admin.display(description="actions", ordering="n_actions")
    def action_count(self, role: Role) -> int:
        """Show how many actions it gives."""
        return int(getattr(role, "n_actions", 0))

    @admin.display(description="permissions")
    def actions_given(self, role: Role) -> str:
        """Name the actions."""
        return ", ".join(role.grants.order_by("action").values_list("action", flat=True))

    @admin.display(description="managed on")
    def edited(self, role: Role) -> str:
        """Lead to where it is edited."""
        if role.organization is None:
            return "Built in; updated with every migration."
        url = f"{reverse('teams:organization', args=[role.organization.name])}/roles"
        return format_html('<a href="{}">Roles of {}</a> (only for its admins)', url, role.organization.name)


@admin.register(ServiceAccount)
class ServiceAccountAdmin(ServedAdmin[ServiceAccount]):
    """Programs with keys."""

    list_display = ["label", "user", "team", "organization", "role", "is_on", "key_count", "created_at"]
    list_filter = [("organization", admin.EmptyFieldListFilter), "user__is_active"]
    list_select_related = ["user", "team", "organization", "role"]
    search_fields = ["label", "user__username", "team__name", "organization__name"]
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ServiceAccount]:
        """Count in the list's own query."""
        return super().get_queryset(request).annotate(n_keys=Count("user__api_keys"))

    @admin.display(description="API keys", ordering="n_keys")
    def key_count(self, account: ServiceAccount) -> int:
        """Show how many keys it holds."""
        return int(getattr(account, "n_keys", 0))

    @admin.display(description="active", boolean=True, ordering="user__is_active")
    def is_on(self, account: ServiceAccount) -> bool:
        """Show whether its keys work."""
        return account.user.is_active


@admin.register(Invitation)
class InvitationAdmin(ServedAdmin[Invitation]):
    """Who was asked into which team or organization."""

    list_display = [
        "addressee", "team", "organization", "granted_role", "invited_by", "state", "last_sent_at", "expires_at",
        "closed_at",
    ]  # fmt: skip
    list_filter = ["state", "expires_at"]
    list_select_related = ["team", "organization", "user", "role", "base_role", "invited_by"]
    search_fields = ["email", "user__username", "team__name", "organization__name"]
    date_hierarchy = "created_at"
    exclude = ["token_hash"]
    acts = (
        AdminAction(slug="resend", label="Resend invitation", in_bulk=True, fits=_is_pending,
            text="The previous link ends, and the new one is valid for the full time.",
            do=lambda doing: _done(invitations.resend_invitation(actor=doing.actor, invitation=doing.row))),
        AdminAction(slug="revoke", label="Revoke invitation", in_bulk=True, fits=_is_pending,
            text="The link in the email ends at once.",
            do=lambda doing: invitations.revoke_invitation(actor=doing.actor, invitation=doing.row)),
    )  # fmt: skip


@admin.register(GroupMapping)
class GroupMappingAdmin(AuditedAdmin[GroupMapping]):
    """Which group of a sign-in provider leads to which team (ACC-21); counts from the next sign-in on."""

    list_display = ["provider", "group", "team", "role"]
    list_filter = ["provider"]
    list_select_related = ["team", "role"]
    search_fields = ["group", "team__name"]
    autocomplete_fields = ["team", "role"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[GroupMapping]:
        """Read with each what names it."""
        return super().get_queryset(request).select_related("team", "role")

    def save_model(self, request: HttpRequest, obj: GroupMapping, form: Any, change: bool) -> None:  # noqa: FBT001
        """Write down what it leads to."""
        super().save_model(request, obj, form, change)
        self._record(request, "group_mapping.save", obj)

    def delete_model(self, request: HttpRequest, obj: GroupMapping) -> None:
        """As for saving; who is in the team stays until their next sign-in."""
        self._record(request, "group_mapping.delete", obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[GroupMapping]) -> None:
        """As for one."""
        for row in queryset:
            self.delete_model(request, row)

    def _record(self, request: HttpRequest, action: str, row: GroupMapping) -> None:
        team = row.team
        values = {"team": team.name, "role": row.role.name}
        record(
            actor_of(request),
            action,
            row,
            after=values,
            organization_id=team.organization_id,
            team_id=team.pk,
        )
