"""Sweeps for operators: read only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.operators.admin_actions import ServedAdmin
from sweeps.models import Sweep, SweepAgent, Trial


@admin.register(Sweep)
class SweepAdmin(ServedAdmin[Sweep]):
    """Sweeps by state and age."""

    list_display = [
        "uid", "display_name", "project", "team", "method", "state", "is_stopped", "trial_count", "run_cap",
        "created_by", "created_at", "ended_at", "deleted_at",
    ]  # fmt: skip
    list_filter = ["state", "method", ("deleted_at", admin.EmptyFieldListFilter), "created_at"]
    list_select_related = ["project__team", "created_by"]
    search_fields = ["=uid", "display_name", "project__name", "project__team__name", "created_by__username"]
    date_hierarchy = "created_at"
    exclude = ["description"]
    related = (
        ("Agents", "sweeps_sweepagent", "sweep__id__exact"),
        ("Trials", "sweeps_trial", "sweep__id__exact"),
    )

    @admin.display(description="team", ordering="project__team__name")
    def team(self, sweep: Sweep) -> str:
        """Show whose project it is in."""
        return sweep.project.team.name


@admin.register(SweepAgent)
class SweepAgentAdmin(ServedAdmin[SweepAgent]):
    """Processes that ask for runs, by when they were last heard."""

    list_display = ["uid", "sweep", "host", "user", "created_at", "heartbeat_at", "exited_at"]
    list_filter = [("exited_at", admin.EmptyFieldListFilter), "heartbeat_at"]
    list_select_related = ["sweep", "user"]
    search_fields = ["=uid", "=sweep__uid", "host", "user__username"]
    date_hierarchy = "created_at"


@admin.register(Trial)
class TrialAdmin(ServedAdmin[Trial]):
    """Sets of arguments by what became of them."""

    list_display = [
        "id", "sweep", "number", "state", "attempts", "agent", "run_uid", "is_prior", "is_early_stop", "given_at",
        "heard_at",
    ]  # fmt: skip
    list_filter = ["state", "is_prior", "is_early_stop", "given_at"]
    list_select_related = ["sweep", "agent"]
    search_fields = ["=sweep__uid", "=run_uid"]
    date_hierarchy = "given_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Trial]:
        """Read with each the run that its page names."""
        return super().get_queryset(request).select_related("run")
