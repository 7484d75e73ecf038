"""Archives for operators (TEAM-21)."""

from django.contrib import admin

from accounts.operators.admin_actions import AdminAction, ServedAdmin
from exports.models import Export
from exports.services import cancel_export


@admin.register(Export)
class ExportAdmin(ServedAdmin[Export]):
    """Who asked for which archive, and what became of it; the archive itself is its asker's alone."""

    list_display = [
        "team",
        "asked_by",
        "state",
        "runs_done",
        "runs_total",
        "attempts",
        "created_at",
        "ended_at",
    ]
    list_filter = ["state", "created_at"]
    list_select_related = ["team", "asked_by"]
    search_fields = ["team__name", "asked_by__username", "error"]
    date_hierarchy = "created_at"
    acts = (
        AdminAction(slug="cancel", label="Cancel export", in_bulk=True, fits=lambda export: export.is_under_way,
            do=lambda doing: str(cancel_export(actor=doing.actor, export=doing.row).state_label)),
    )  # fmt: skip
