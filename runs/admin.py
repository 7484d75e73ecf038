"""Projects, runs and what belongs to them, for operators (TEAM-21)."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import redirect

from accounts.models import User
from accounts.operators.admin_actions import ActionContext, AdminAction, AdminActionForm, ServedAdmin
from common.admin import ReadOnlyMixin
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.models import (
    FormerProjectName,
    Project,
    ProjectMember,
    Run,
    RunFile,
    SavedView,
    StateChange,
    StoredChart,
)
from runs.projects import deletion as project_deletion
from runs.projects import members
from runs.projects import services as projects
from runs.states import RunState
from teams.admin.model_admins import counted
from teams.models import Role, Visibility
from teams.roles.builtin import roles_for


class VisibilityForm(AdminActionForm):
    """Who sees a project."""

    visibility = forms.ChoiceField(choices=Visibility.choices)

    def prepare(self) -> None:
        """Fill in what there is."""
        self.initial["visibility"] = self.row.visibility


class InviteForm(AdminActionForm):
    """Who is let into a restricted project."""

    username = forms.CharField(max_length=150, help_text="Of a team member or a service account.")
    role = forms.ModelChoiceField(Role.objects.none())

    def prepare(self) -> None:
        """Offer the roles of the team."""
        field = self.fields["role"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = roles_for(self.row.team.organization_id)

    def clean_username(self) -> User:
        """Find them in the team."""
        user = members.candidates(self.row.team).filter(username=self.cleaned_data["username"]).first()
        if user is None:
            raise forms.ValidationError("The team has no member with this name.")
        return user


def _invite(doing: ActionContext[Project]) -> str:
    user, role = doing.typed["username"], doing.typed["role"]
    members.add_project_member(actor=doing.actor, project=doing.row, user=user, role=role)
    return f"{user} now has access as {role.label}."


def _is_restricted(row: Project) -> bool:
    return row.deleted_at is None and row.visibility == Visibility.RESTRICTED


def _show_project(doing: ActionContext[Project]) -> Any:
    projects.change_visibility(actor=doing.actor, project=doing.row, **doing.typed)
    return redirect("admin:runs_project_change", doing.row.pk)


def _no_message(_row: object) -> None:
    """Say no more than that it is done."""


def _is_live(row: Project | Run) -> bool:
    return row.deleted_at is None


def _is_deleted(row: Project | Run) -> bool:
    return row.deleted_at is not None


class MemberInline(ReadOnlyMixin, admin.TabularInline[ProjectMember, Project]):
    """Who is in it where it is restricted."""

    model = ProjectMember
    fields = ["user", "role", "created_at"]
    readonly_fields = ["created_at"]
    extra = 0


class FormerNameInline(ReadOnlyMixin, admin.TabularInline[FormerProjectName, Project]):
    """What it was called before."""

    model = FormerProjectName
    fields = ["name", "created_at"]
    readonly_fields = ["created_at"]
    extra = 0


@admin.register(Project)
class ProjectAdmin(ServedAdmin[Project]):
    """Projects with their sizes."""

    list_display = [
        "name",
        "team",
        "visibility",
        "run_count",
        "created_by",
        "last_active_at",
        "created_at",
        "deleted_at",
    ]
    list_filter = ["visibility", ("deleted_at", admin.EmptyFieldListFilter), "last_active_at"]
    list_select_related = ["team", "created_by"]
    search_fields = ["name", "team__name", "created_by__username"]
    date_hierarchy = "created_at"
    exclude = ["description"]
    inlines = [MemberInline, FormerNameInline]
    acts = (
        AdminAction(slug="visibility", label="Change visibility", form=VisibilityForm, fits=_is_live, is_dangerous=True,
            do=_show_project),
        AdminAction(slug="invite", label="Grant access", form=InviteForm, fits=_is_restricted, is_dangerous=True,
            do=_invite, text="A team member gets access to the restricted project; its members are notified by email."),
        AdminAction(slug="delete", label="Delete project", fits=_is_live, is_dangerous=True,
            text="The project and its runs are hidden, and can be restored for some days.",
            do=lambda doing: _no_message(project_deletion.delete_project(actor=doing.actor, project=doing.row))),
        AdminAction(slug="restore", label="Restore project", fits=_is_deleted, in_bulk=True,
            text="It comes back with the runs that were deleted with it.",
            do=lambda doing: _no_message(project_deletion.restore_project(actor=doing.actor, project=doing.row))),
    )  # fmt: skip
    related = (
        ("Runs", "runs_run", "project__id__exact"),
        ("Saved views", "runs_savedview", "project__id__exact"),
        ("Storage entries", "storage_byteentry", "project_id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        """Count in the list's own query."""
        return super().get_queryset(request).annotate(n_runs=counted(Run, "project"))

    @admin.display(description="runs", ordering="n_runs")
    def run_count(self, project: Project) -> int:
        """Show how many runs it holds."""
        return int(getattr(project, "n_runs", 0))


class StateChangeInline(ReadOnlyMixin, admin.TabularInline[StateChange, Run]):
    """The run's life."""

    model = StateChange
    fields = ["state", "at", "noticed_at"]
    extra = 0


@admin.register(Run)
class RunAdmin(ServedAdmin[Run]):
    """Runs by state, age and author."""

    list_display = [
        "display_name", "uid", "project", "team", "state", "user", "logged_by", "created_at", "heartbeat", "deleted_at"
    ]  # fmt: skip
    list_filter = ["state", ("deleted_at", admin.EmptyFieldListFilter), "is_protected", "created_at"]
    list_select_related = ["project__team", "user", "logged_by", "pulse"]
    search_fields = ["uid", "display_name", "project__name", "project__team__name", "user__username"]
    date_hierarchy = "created_at"
    fields = [
        "display_name", "notes", "project", "uid", "user", "logged_by", "state", "exit_code", "started_at",
        "synced_at", "finished_at", "stop_requested_at", "is_protected", "deleted_at", "purge_began_at", "purged_at",
        "host", "program", "git_remote", "git_commit",
    ]  # fmt: skip
    inlines = [StateChangeInline]
    acts = (
        AdminAction(slug="stop", label="Stop run", in_bulk=True, fits=lambda run: run.state == RunState.RUNNING,
            text="Its process is asked to stop at its next heartbeat.",
            do=lambda doing: _no_message(lifecycle.stop_run(actor=doing.actor, run=doing.row))),
        AdminAction(slug="protect", label="Protect from deletion", in_bulk=True, fits=lambda run: not run.is_protected,
            do=lambda doing: _no_message(deletion.protect_runs(actor=doing.actor, run_ids=[doing.row.pk]))),
        AdminAction(slug="unprotect", label="Remove protection", in_bulk=True, fits=lambda run: run.is_protected,
            do=lambda doing: _no_message(deletion.unprotect_runs(actor=doing.actor, run_ids=[doing.row.pk]))),
        AdminAction(slug="delete", label="Delete run", in_bulk=True, fits=_is_live,
            text="It is hidden, and can be restored for some days.",
            do=lambda doing: _no_message(deletion.delete_run(actor=doing.actor, run=doing.row))),
        AdminAction(slug="restore", label="Restore run", in_bulk=True, fits=_is_deleted,
            do=lambda doing: _no_message(deletion.restore_run(actor=doing.actor, run=doing.row))),
    )  # fmt: skip
    related = (
        ("Run files", "runs_runfile", "run__id__exact"),
        ("Storage entries", "storage_byteentry", "run_id"),
        ("Metric streams", "metrics_stream", "run__id__exact"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        """Leave the large texts of configurations out: lists show none, and pages mask secrets."""
        return super().get_queryset(request).defer("config_text", "config_flat")

    @admin.display(description="team", ordering="project__team__name")
    def team(self, run: Run) -> str:
        """Show whose project it is in."""
        return run.project.team.name

    @admin.display(description="last heartbeat", ordering="pulse__heartbeat_at")
    def heartbeat(self, run: Run) -> str:
        """Show the last post; a purged run has none."""
        return "" if run.purged_at else f"{run.pulse.heartbeat_at:%Y-%m-%d %H:%M:%S}"


@admin.register(RunFile)
class RunFileAdmin(ServedAdmin[RunFile]):
    """Files of runs."""

    list_display = ["name", "run", "project", "size_bytes", "updated_at"]
    list_select_related = ["run__project"]
    search_fields = ["name", "run__uid"]

    @admin.display(description="project", ordering="run__project__name")
    def project(self, file: RunFile) -> str:
        """Show which project's run has it."""
        return file.run.project.name


@admin.register(SavedView)
class SavedViewAdmin(ServedAdmin[SavedView]):
    """What people keep of projects' tables and workspaces."""

    list_display = ["name_or_state", "project", "user", "version", "updated_at"]
    list_filter = [("user", admin.EmptyFieldListFilter)]
    list_select_related = ["project", "user"]
    search_fields = ["name", "project__name", "user__username"]

    @admin.display(description="view", ordering="name")
    def name_or_state(self, view: SavedView) -> str:
        """Show its name; the working state has none."""
        return str(view)


@admin.register(StoredChart)
class StoredChartAdmin(ServedAdmin[StoredChart]):
    """Custom charts of teams."""

    list_display = ["name", "display_name", "team", "access", "created_by", "updated_at"]
    list_filter = ["access"]
    list_select_related = ["team", "created_by"]
    search_fields = ["name", "display_name", "team__name"]
