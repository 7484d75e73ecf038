"""Projects and runs for operators."""

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from access.web import actor_of
from common.admin import NotAddedHere, ReadOnly
from common.errors import Gone
from runs.models import Project, Run, RunFile, StateChange
from runs.services import deletion


@admin.register(Project)
class ProjectAdmin(NotAddedHere, admin.ModelAdmin[Project]):
    """Projects with their sizes."""

    list_display = ["name", "team", "visibility", "run_count", "last_active_at", "created_at"]
    list_filter = ["visibility"]
    list_select_related = ["team"]
    search_fields = ["name", "team__name"]
    readonly_fields = ["team", "name", "created_by", "runs_made", "last_active_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        """Count in the list's own query."""
        return super().get_queryset(request).annotate(n_runs=Count("runs"))

    def has_delete_permission(self, request: HttpRequest, obj: Project | None = None) -> bool:
        """Its runs would go with it, and neither their bytes in the ledger nor their segments."""
        return False

    @admin.display(description="runs", ordering="n_runs")
    def run_count(self, project: Project) -> int:
        """Show how many runs it holds."""
        return int(getattr(project, "n_runs", 0))


class StateChangeInline(NotAddedHere, admin.TabularInline[StateChange, Run]):
    """The run's life."""

    model = StateChange
    readonly_fields = ["state", "at", "noticed_at"]
    can_delete = False
    extra = 0


@admin.register(Run)
class RunAdmin(NotAddedHere, admin.ModelAdmin[Run]):
    """Runs by state, age and author."""

    list_display = [
        "display_name",
        "uid",
        "project",
        "state",
        "user",
        "created_at",
        "heartbeat",
        "deleted_at",
    ]
    list_filter = ["state", "created_at"]
    list_select_related = ["project__team", "user", "pulse"]
    search_fields = ["uid", "display_name", "project__name", "project__team__name", "user__username"]
    fields = ["display_name", "notes", "project", "uid", "user", "logged_by", "state", "exit_code", "started_at",
              "finished_at", "stop_requested_at", "deleted_at", "config_text"]  # fmt: skip
    readonly_fields = ["project", "uid", "user", "logged_by", "state", "exit_code", "started_at", "finished_at",
                       "stop_requested_at", "deleted_at", "config_text"]  # fmt: skip
    inlines = [StateChangeInline]
    actions = ["delete_runs", "restore_runs"]
    show_full_result_count = False

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        """Rows go by the purge alone, which settles bytes and segments; the action hides runs for it."""
        return False

    @admin.action(description="Delete the chosen runs", permissions=["change"])
    def delete_runs(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        """Hide runs, as their authors do."""
        for run in queryset:
            deletion.delete_run(actor=actor_of(request), run=run)

    @admin.action(description="Restore the chosen runs", permissions=["change"])
    def restore_runs(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        """Undo deletions (RUN-7)."""
        for run in queryset:
            try:
                deletion.restore_run(actor=actor_of(request), run=run)
            except Gone as error:
                self.message_user(request, error.message, messages.WARNING)

    @admin.display(description="last signal", ordering="pulse__heartbeat_at")
    def heartbeat(self, run: Run) -> str:
        """Show the last post; a purged run has none."""
        return "" if run.purged_at else f"{run.pulse.heartbeat_at:%Y-%m-%d %H:%M:%S}"


@admin.register(RunFile)
class RunFileAdmin(ReadOnly, admin.ModelAdmin[RunFile]):
    """Files of runs."""

    list_display = ["name", "run", "size_bytes", "updated_at"]
    list_select_related = ["run"]
    search_fields = ["name", "run__uid"]
    show_full_result_count = False
