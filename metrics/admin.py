"""Streams for operators: read only."""

from datetime import UTC, datetime

from django.contrib import admin

from accounts.operators.admin_actions import ServedAdmin
from metrics.models import Sequence, Stream


@admin.register(Stream)
class StreamAdmin(ServedAdmin[Stream]):
    """How far each run's streams are."""

    list_display = ["run", "kind", "next_row", "last_step", "last"]
    list_select_related = ["run"]
    list_filter = ["kind"]
    search_fields = ["run__uid", "run__display_name"]

    @admin.display(description="last timestamp", ordering="last_at")
    def last(self, stream: Stream) -> datetime | None:
        """Show when its last row was logged."""
        return None if stream.last_at is None else datetime.fromtimestamp(stream.last_at, UTC)


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
