"""People and keys for operators."""

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from access.web import actor_of
from accounts import services
from accounts.models import ApiKey, Name, User
from common.admin import NotAddedHere, ReadOnly


@admin.register(User)
class UserAdmin(NotAddedHere, admin.ModelAdmin[User]):
    """Users are made by sign-up, invitation or ``create_user``; here they are found and switched off."""

    list_display = [
        "username",
        "display_name",
        "email",
        "kind",
        "is_active",
        "is_operator",
        "key_count",
        "last_login",
    ]
    list_filter = ["is_active", "is_operator", "kind"]
    search_fields = ["username", "display_name", "email"]
    fields = [
        "username",
        "display_name",
        "email",
        "kind",
        "is_active",
        "is_operator",
        "last_login",
        "created_at",
    ]
    readonly_fields = ["username", "email", "kind", "last_login", "created_at"]
    actions = ["deactivate", "reactivate"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Count keys in the list's own query."""
        return super().get_queryset(request).annotate(keys=Count("api_keys"))

    @admin.display(description="API keys", ordering="keys")
    def key_count(self, user: User) -> int:
        """Show how many keys a user holds."""
        return int(getattr(user, "keys", 0))

    @admin.action(description="Deactivate: no sign-in, no keys")
    def deactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Switch accounts off; their runs stay."""
        for user in queryset.exclude(pk=request.user.pk or 0):
            services.set_active(actor=actor_of(request), user=user, is_active=False)

    @admin.action(description="Reactivate")
    def reactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Switch accounts on again."""
        for user in queryset.exclude(pk=request.user.pk or 0):
            services.set_active(actor=actor_of(request), user=user, is_active=True)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Deactivate instead: runs keep their author."""
        return False


@admin.register(ApiKey)
class ApiKeyAdmin(NotAddedHere, admin.ModelAdmin[ApiKey]):
    """Keys can be revoked here, not read and not made."""

    list_display = [
        "prefix",
        "label",
        "user",
        "created_at",
        "expires_at",
        "last_used_at",
        "last_used_address",
    ]
    list_select_related = ["user"]
    search_fields = ["prefix", "label", "user__username"]
    readonly_fields = [
        "user",
        "label",
        "prefix",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "last_used_address",
    ]
    exclude = ["hash"]

    def delete_model(self, request: HttpRequest, obj: ApiKey) -> None:
        """Revoke by the service: audited, and dropped from every cache at once."""
        services.delete_api_key(actor=actor_of(request), key=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """As for one."""
        for key in queryset.select_related("user"):
            services.delete_api_key(actor=actor_of(request), key=key)


@admin.register(Name)
class NameAdmin(ReadOnly, admin.ModelAdmin[Name]):
    """The one name space, read only."""

    list_display = ["text", "created_at"]
    search_fields = ["text"]
