"""Streams for operators: read only."""

from django.contrib import admin

from accounts.admin_acts import ServedAdmin
from metrics.models import Sequence, Stream


@admin.register(Stream)
class StreamAdmin(ServedAdmin[Stream]):
    """How far each run's streams are."""

    list_display = ["run", "kind", "next_row", "last_step", "last_at"]
    list_select_related = ["run"]
    list_filter = ["kind"]
    search_fields = ["run__uid", "run__display_name"]


@admin.register(Sequence)
class SequenceAdmin(ServedAdmin[Sequence]):
    """Where writers' offsets lie: for looking into a sync that went strangely."""

    list_display = [
        "run",
        "kind",
        "writer",
        "lifetime",
        "first_offset",
        "base_row",
        "row_count",
        "gap_before",
    ]
    list_select_related = ["run"]
    search_fields = ["run__uid"]
