"""Blobs and the ledger for operators: read only."""

from django.contrib import admin

from common.admin import ReadOnly
from storage.models import Blob, ByteEntry


@admin.register(Blob)
class BlobAdmin(ReadOnly, admin.ModelAdmin[Blob]):
    """Content by digest."""

    list_display = ["digest", "size_bytes", "created_at", "seen_at"]
    search_fields = ["digest", "md5"]
    show_full_result_count = False


@admin.register(ByteEntry)
class ByteEntryAdmin(ReadOnly, admin.ModelAdmin[ByteEntry]):
    """The ledger of bytes."""

    list_display = ["at", "team_id", "project_id", "run_id", "category", "delta_bytes"]
    list_filter = ["category"]
    search_fields = ["=team_id", "=project_id", "=run_id"]
    show_full_result_count = False
