"""The audit log in the Django admin: read only."""

from django.contrib import admin

from access.models import AuditEntry
from common.admin import ReadOnlyMixin


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyMixin, admin.ModelAdmin[AuditEntry]):
    """Who did what; nobody edits it."""

    list_display = [
        "at", "actor_name", "actor_kind", "action", "object_type", "object_name", "organization_id", "team_id",
        "address",
    ]  # fmt: skip
    list_filter = ["at", "actor_kind", "object_type", "action"]
    search_fields = ["actor_name", "action", "object_name", "=object_id", "address"]
    date_hierarchy = "at"
    show_full_result_count = False
