"""Organizations, teams and roles for operators."""

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from access.web import actor_of
from common.admin import NotAddedHere, ReadOnly
from teams import invitations
from teams.models import (
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    Role,
    RoleGrant,
    ServiceAccount,
    Team,
)


class OrganizationMemberInline(ReadOnly, admin.TabularInline[OrganizationMember, Organization]):
    """Who belongs to the organization; changed by services alone, which guard the last admin."""

    model = OrganizationMember
    raw_id_fields = ["user"]
    extra = 0


class MembershipInline(ReadOnly, admin.TabularInline[Membership, Team]):
    """Who belongs to the team; as for organizations."""

    model = Membership
    raw_id_fields = ["user"]
    extra = 0


@admin.register(Organization)
class OrganizationAdmin(NotAddedHere, admin.ModelAdmin[Organization]):
    """Organizations with their sizes."""

    list_display = ["name", "display_name", "team_count", "member_count", "created_at"]
    search_fields = ["name", "display_name"]
    readonly_fields = ["claim", "name", "created_at"]
    inlines = [OrganizationMemberInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        """Count in the list's own query."""
        counted = {"n_teams": Count("teams", distinct=True), "n_members": Count("members", distinct=True)}
        return super().get_queryset(request).annotate(**counted)

    @admin.display(description="teams", ordering="n_teams")
    def team_count(self, organization: Organization) -> int:
        """Show how many teams it owns."""
        return int(getattr(organization, "n_teams", 0))

    @admin.display(description="members", ordering="n_members")
    def member_count(self, organization: Organization) -> int:
        """Show how many people belong to it."""
        return int(getattr(organization, "n_members", 0))


@admin.register(Team)
class TeamAdmin(NotAddedHere, admin.ModelAdmin[Team]):
    """Teams, personal entities among them."""

    list_display = ["name", "kind", "organization", "member_count", "public_projects_allowed", "created_at"]
    list_filter = ["kind", "public_projects_allowed"]
    list_select_related = ["organization"]
    search_fields = ["name", "organization__name"]
    readonly_fields = ["claim", "name", "kind", "organization", "created_at"]
    inlines = [MembershipInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """Count in the list's own query."""
        return super().get_queryset(request).annotate(n_members=Count("memberships"))

    @admin.display(description="members", ordering="n_members")
    def member_count(self, team: Team) -> int:
        """Show how many belong to it."""
        return int(getattr(team, "n_members", 0))


class RoleGrantInline(admin.TabularInline[RoleGrant, Role]):
    """What the role gives."""

    model = RoleGrant
    extra = 0


@admin.register(Role)
class RoleAdmin(NotAddedHere, admin.ModelAdmin[Role]):
    """Roles and their grants; built-in ones follow the code and are read only."""

    list_display = ["name", "level", "preset", "organization", "base"]
    list_filter = ["level"]
    list_select_related = ["organization", "base"]
    search_fields = ["name", "organization__name"]
    inlines = [RoleGrantInline]

    def has_change_permission(self, request: HttpRequest, obj: Role | None = None) -> bool:
        """Built-in roles are rewritten after every migration, so nobody edits them."""
        return obj is not None and not obj.preset and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Role | None = None) -> bool:
        """As for changing."""
        return obj is not None and not obj.preset and super().has_delete_permission(request, obj)


@admin.register(ServiceAccount)
class ServiceAccountAdmin(NotAddedHere, admin.ModelAdmin[ServiceAccount]):
    """Programs with keys."""

    list_display = ["label", "user", "team", "organization", "role", "created_at"]
    list_select_related = ["user", "team", "organization", "role"]
    search_fields = ["label", "user__username", "team__name", "organization__name"]
    readonly_fields = ["user", "label", "team", "organization", "role"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnly, admin.ModelAdmin[Invitation]):
    """Who was asked into which team; an operator can only take an invitation back."""

    list_display = ["addressee", "team", "granted_role", "invited_by", "state", "last_sent_at", "expires_at"]
    list_filter = ["state"]
    list_select_related = ["team", "user", "role", "base_role", "invited_by"]
    search_fields = ["email", "user__username", "team__name"]
    exclude = ["token_hash"]
    actions = ["revoke"]

    @admin.action(description="Revoke: the mailed link ends at once")
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        """Take back those that are pending."""
        for invitation in queryset.filter(state=InvitationState.PENDING):
            invitations.revoke(actor=actor_of(request), invitation=invitation)
