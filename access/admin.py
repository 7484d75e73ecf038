"""The audit log in the Django admin: read only."""

from django.contrib import admin

from access.models import AuditEntry
from common.admin import ReadOnly


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly, admin.ModelAdmin[AuditEntry]):
    """Who did what; nobody edits it."""

    list_display = ["at", "actor_name", "actor_kind", "action", "object_type", "object_name", "address"]
    list_filter = ["action", "object_type", "actor_kind"]
    search_fields = ["actor_name", "object_name", "object_id", "address"]
    date_hierarchy = "at"
    show_full_result_count = False
