"""The ledgers of usage in the Django admin: read only (BIL-4).

What was used and what gateways said is history: nobody adds, changes or deletes it, here least of all.
"""

from datetime import UTC, datetime

from django.contrib import admin

from accounts.operators.admin_actions import ServedAdmin
from usage.models import (
    GpuClaim,
    HardwareShift,
    HardwareUse,
    IngestionEntry,
    InternalPrices,
    MeterState,
    ReportedTime,
    TeamDay,
    TrackedInterval,
    UsageDay,
)

_OF = ["=team_id", "=project_id", "=run_id", "=user_id"]
_HARDWARE = (
    "day",
    "run_id",
    "team_id",
    "project_id",
    "user_id",
    "gpu_s",
    "energy_j",
    "is_host",
    "is_counted",
)


@admin.register(InternalPrices)
class InternalPricesAdmin(ServedAdmin[InternalPrices]):
    """What organizations charge their own teams; they set it on their pages."""

    list_display = ["organization", "currency", "gpu_hour_price", "storage_gb_price", "kwh_price"]
    list_select_related = ["organization"]
    search_fields = ["organization__name"]


@admin.register(TrackedInterval)
class TrackedIntervalAdmin(ServedAdmin[TrackedInterval]):
    """The ledger of tracked hours."""

    list_display = ["run_id", "team_id", "project_id", "user_id", "began_at", "ended_at", "counted_to"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter), "began_at"]
    date_hierarchy = "began_at"
    search_fields = _OF


@admin.register(ReportedTime)
class ReportedTimeAdmin(ServedAdmin[ReportedTime]):
    """The ledger of time that runs told of later, such as when they were synced."""

    list_display = ["run_id", "team_id", "project_id", "user_id", "at", "seconds", "is_counted"]
    list_filter = ["is_counted", "at"]
    date_hierarchy = "at"
    search_fields = _OF


@admin.register(IngestionEntry)
class IngestionEntryAdmin(ServedAdmin[IngestionEntry]):
    """The ledger of trace data taken in."""

    list_display = ["at", "team_id", "project_id", "user_id", "size_bytes", "token", "is_counted"]
    list_filter = ["is_counted", "at"]
    date_hierarchy = "at"
    search_fields = ["=team_id", "=project_id", "=user_id", "token"]


@admin.register(HardwareUse)
class HardwareUseAdmin(ServedAdmin[HardwareUse]):
    """The ledger of GPU time and energy."""

    list_display = [*_HARDWARE]
    list_filter = ["is_host", "is_counted", "day"]
    date_hierarchy = "day"
    search_fields = _OF


@admin.register(HardwareShift)
class HardwareShiftAdmin(ServedAdmin[HardwareShift]):
    """What changed hands of it afterwards."""

    list_display = [*_HARDWARE]
    list_filter = ["is_host", "is_counted", "day"]
    date_hierarchy = "day"
    search_fields = _OF


@admin.register(GpuClaim)
class GpuClaimAdmin(ServedAdmin[GpuClaim]):
    """Which run each GPU counts for, and when."""

    list_display = ["gpu", "run_id", "team_id", "project_id", "user_id", "rank", "began", "ended"]
    list_filter = ["rank"]
    search_fields = [*_OF, "gpu"]

    @admin.display(description="began at", ordering="began_at")
    def began(self, claim: GpuClaim) -> datetime:
        """Show when it began."""
        return datetime.fromtimestamp(claim.began_at, UTC)

    @admin.display(description="ended at", ordering="ended_at")
    def ended(self, claim: GpuClaim) -> datetime:
        """Show when it ended."""
        return datetime.fromtimestamp(claim.ended_at, UTC)


@admin.register(UsageDay)
class UsageDayAdmin(ServedAdmin[UsageDay]):
    """What the ledgers add up to by day, as pages and invoices read it."""

    list_display = [
        "day", "team_id", "project_id", "user_id", "tracked_s", "delta_bytes", "byte_seconds", "ingested_bytes",
        "gpu_s", "energy_j", "host_gpu_s", "host_energy_j",
    ]  # fmt: skip
    list_filter = ["day"]
    date_hierarchy = "day"
    search_fields = ["=team_id", "=project_id", "=user_id"]


@admin.register(TeamDay)
class TeamDayAdmin(ServedAdmin[TeamDay]):
    """What days by person and project add up to by team."""

    list_display = [
        "day",
        "team_id",
        "tracked_s",
        "delta_bytes",
        "byte_seconds",
        "ingested_bytes",
        "gpu_s",
        "energy_j",
        "host_gpu_s",
        "host_energy_j",
    ]
    list_filter = ["day"]
    date_hierarchy = "day"
    search_fields = ["=team_id"]


@admin.register(MeterState)
class MeterStateAdmin(ServedAdmin[MeterState]):
    """How far the meter came. `manage.py rebuild_usage` counts everything anew."""

    list_display = ["metered_at", "opened_month"]
