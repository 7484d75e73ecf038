"""Buckets, blobs and the ledger for operators: read only."""

from django.contrib import admin

from accounts.operators.admin_actions import ServedAdmin
from storage.models import Blob, Bucket, BucketMove, ByteEntry, Holding


@admin.register(Bucket)
class BucketAdmin(ServedAdmin[Bucket]):
    """Places of bytes outside the data folder; no credentials."""

    list_display = ["url", "team", "created_at", "checked_at", "check_error"]
    list_select_related = ["team"]
    search_fields = ["url"]


@admin.register(BucketMove)
class BucketMoveAdmin(ServedAdmin[BucketMove]):
    """Contents of teams on their way to another bucket."""

    list_display = [
        "team",
        "source",
        "target",
        "started_at",
        "finished_at",
        "files_done",
        "files_left",
        "error",
    ]
    list_select_related = ["team", "source", "target"]


@admin.register(Blob)
class BlobAdmin(ServedAdmin[Blob]):
    """Content by digest."""

    list_display = ["digest", "size_bytes", "bucket", "created_at", "seen_at"]
    list_select_related = ["bucket"]
    list_filter = ["created_at"]
    search_fields = ["digest", "md5"]
    date_hierarchy = "created_at"


@admin.register(ByteEntry)
class ByteEntryAdmin(ServedAdmin[ByteEntry]):
    """The ledger of bytes."""

    list_display = ["at", "team_id", "project_id", "run_id", "category", "delta_bytes"]
    list_filter = ["category", "at"]
    date_hierarchy = "at"
    search_fields = ["=team_id", "=project_id", "=run_id"]


@admin.register(Holding)
class HoldingAdmin(ServedAdmin[Holding]):
    """What runs hold now."""

    list_display = ["run_id", "category", "size_bytes", "team_id", "project_id"]
    list_filter = ["category"]
    search_fields = ["=team_id", "=project_id", "=run_id"]
