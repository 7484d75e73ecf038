"""Artifacts for operators: read only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.operators.admin_actions import ServedAdmin
from artifacts.models import (
    Alias,
    Collection,
    Content,
    Membership,
    ProtectedAlias,
    Registry,
    RegistryMember,
    RetentionPolicy,
    Version,
)
from common.admin import ReadOnlyMixin


class AliasInline(ReadOnlyMixin, admin.TabularInline[Alias, Collection]):
    """Names of its versions."""

    model = Alias
    fields = ["name", "membership", "created_at"]
    readonly_fields = ["created_at"]
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Alias]:
        """Read with each the version that it names."""
        return super().get_queryset(request).select_related("membership")


@admin.register(Collection)
class CollectionAdmin(ServedAdmin[Collection]):
    """Collections with what is in them."""

    list_display = [
        "name", "project", "team", "type", "kind", "next_index", "ttl_s", "is_protected", "created_by", "updated_at",
        "deleted_at",
    ]  # fmt: skip
    list_filter = ["kind", ("deleted_at", admin.EmptyFieldListFilter), "is_protected", "updated_at"]
    list_select_related = ["project__team", "type", "created_by"]
    search_fields = ["name", "type__name", "project__name", "project__team__name"]
    date_hierarchy = "created_at"
    exclude = ["description"]
    inlines = [AliasInline]
    related = (("Versions", "artifacts_version", "collection__id__exact"),)

    @admin.display(description="team", ordering="project__team__name")
    def team(self, collection: Collection) -> str:
        """Show whose project it is in."""
        return collection.project.team.name


class MembershipInline(ReadOnlyMixin, admin.TabularInline[Membership, Version]):
    """Where it is: its own collection, and those that it is linked into."""

    model = Membership
    fields = ["collection", "label", "created_by", "created_at"]
    readonly_fields = ["label", "created_at"]
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        """Read with each what names it."""
        return super().get_queryset(request).select_related("collection", "created_by")


@admin.register(Version)
class VersionAdmin(ServedAdmin[Version]):
    """Versions and drafts by state, size and age."""

    list_display = [
        "id", "collection", "project", "state", "size_bytes", "file_count", "reference_count", "run", "created_by",
        "committed_at", "expires_at", "deleted_at",
    ]  # fmt: skip
    list_filter = [
        "state",
        ("deleted_at", admin.EmptyFieldListFilter),
        ("expires_at", admin.EmptyFieldListFilter),
        "created_at",
    ]
    list_select_related = ["collection__project", "run", "created_by"]
    search_fields = [
        "=id", "digest", "collection__name", "collection__project__name", "collection__project__team__name",
        "run__uid", "created_by__username",
    ]  # fmt: skip
    date_hierarchy = "created_at"
    fields = [
        "collection", "state", "digest", "size_bytes", "file_count", "reference_count", "history_step", "ttl_s",
        "run", "created_by", "distributed_id", "base", "manifest", "merged_into", "is_protected", "created_at",
        "updated_at", "committed_at", "expires_at", "is_expiry_announced", "deleted_at", "purge_began_at",
    ]  # fmt: skip
    inlines = [MembershipInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Version]:
        """Leave the large texts out: neither lists nor pages show them."""
        return super().get_queryset(request).defer("metadata_text", "description")

    @admin.display(description="project", ordering="collection__project__name")
    def project(self, version: Version) -> str:
        """Show where it was logged."""
        return version.project.name


@admin.register(Content)
class ContentAdmin(ServedAdmin[Content]):
    """Bytes that projects hold for artifacts."""

    list_display = ["md5", "project", "size_bytes", "live_count", "trash_count", "created_at", "seen_at"]
    list_filter = ["created_at", "seen_at"]
    list_select_related = ["project", "blob"]
    search_fields = ["=md5", "project__name", "=blob__digest"]
    date_hierarchy = "created_at"


@admin.register(RetentionPolicy)
class RetentionPolicyAdmin(ServedAdmin[RetentionPolicy]):
    """How long the artifacts of teams are kept."""

    list_display = ["team", "ttl_s", "updated_at"]
    list_select_related = ["team"]
    search_fields = ["team__name"]


class ProtectedAliasInline(ReadOnlyMixin, admin.TabularInline[ProtectedAlias, Registry]):
    """Aliases that its registry admins alone give and take."""

    model = ProtectedAlias
    fields = ["name", "created_at"]
    readonly_fields = ["created_at"]
    extra = 0


@admin.register(Registry)
class RegistryAdmin(ServedAdmin[Registry]):
    """Registries of organizations, and teams' own model registries."""

    list_display = ["name", "team", "everyone_role", "all_types_allowed", "created_at", "deleted_at"]
    list_filter = [
        "everyone_role",
        "all_types_allowed",
        ("project__deleted_at", admin.EmptyFieldListFilter),
        "created_at",
    ]
    list_select_related = ["project__team"]
    search_fields = ["project__name", "project__team__name"]
    date_hierarchy = "created_at"
    inlines = [ProtectedAliasInline]
    related = (("Members", "artifacts_registrymember", "registry__id__exact"),)

    @admin.display(description="organization or team", ordering="project__team__name")
    def team(self, registry: Registry) -> str:
        """Show whose it is."""
        return registry.project.team.name

    @admin.display(description="deleted at", ordering="project__deleted_at")
    def deleted_at(self, registry: Registry) -> object:
        """Show when it was deleted."""
        return registry.project.deleted_at


@admin.register(RegistryMember)
class RegistryMemberAdmin(ServedAdmin[RegistryMember]):
    """People and teams with a role in a registry."""

    list_display = ["registry", "user", "team", "role", "created_at"]
    list_filter = ["role", "created_at"]
    list_select_related = ["registry__project", "user", "team"]
    search_fields = ["registry__project__name", "user__username", "team__name"]
    date_hierarchy = "created_at"


@admin.register(ProtectedAlias)
class ProtectedAliasAdmin(ServedAdmin[ProtectedAlias]):
    """Aliases that registry admins alone give and take."""

    list_display = ["name", "registry", "created_at"]
    list_filter = ["created_at"]
    list_select_related = ["registry__project"]
    search_fields = ["name", "registry__project__name"]
