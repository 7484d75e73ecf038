"""What the audit log says of projects and runs."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.audit.values import Field, register_fields, show_size
from access.audit.words import Kind, register_kind, register_words
from runs.access import ChartAction, ProjectAction, RunAction
from runs.models import ChartAccess
from runs.states import RunState

PROJECTS = {
    ProjectAction.CREATE: _("Created a project"),
    "project.rename": _("Renamed a project"),
    ProjectAction.UPDATE: _("Changed a project"),
    ProjectAction.CHANGE_VISIBILITY: _("Changed project visibility"),
    ProjectAction.MANAGE_MEMBERS: _("Changed members of a restricted project"),
    "project.request_access": _("Requested access to a project"),
    "project.decline_request": _("Declined a request for access to a project"),
    ProjectAction.PIN: _("Pinned or unpinned a project"),
    ProjectAction.DELETE: _("Deleted a project"),
    "project.restore": _("Restored a project"),
    ChartAction.SAVE: _("Changed a custom chart"),
}
RUNS = {
    RunAction.UPDATE: _("Changed a run’s name, notes, tags or group"),
    RunAction.STOP: _("Stopped a run"),
    "run.change_state": _("Changed a run’s state manually"),
    RunAction.DELETE: _("Deleted a run"),
    "run.restore": _("Restored a run"),
    "run.purge": _("Permanently deleted a run"),
    "run.protect": _("Protected a run from deletion"),
    "run.unprotect": _("Unprotected a run"),
    "run.move": _("Moved a run to another project"),
    "run.rewind": _("Truncated a run’s history"),
    RunAction.DELETE_FILES: _("Deleted a file of a run"),
    "run.redact": _("Redacted values of a run"),
    "run.reveal_secrets": _("Revealed masked secrets of a run"),
}


DONE = {
    "created": _("Created"),
    "changed": _("Changed"),
    "deleted": _("Deleted"),
    "default changed": _("Changed the default"),
}


def register() -> None:
    """Tell the audit log."""
    _register_fields()
    register_words("project", _("Projects"), PROJECTS)
    register_words("run", _("Runs"), RUNS)
    register_kind(
        "runs.Project",
        _("Project"),
        Kind(
            ProjectAction.VIEW,
            lambda row: reverse("runs:project_overview", args=[row.team.name, row.name]),
            ("team",),
        ),
    )
    register_kind(
        "runs.Run",
        _("Run"),
        Kind(
            RunAction.VIEW,
            lambda row: reverse("runs:run_overview", args=[row.project.team.name, row.project.name, row.uid]),
            ("project__team",),
        ),
    )
    register_kind("runs.StoredChart", _("Custom chart"))


def _register_fields() -> None:
    register_fields(
        {
            "project": _("Project"), "protected_tags": _("Protected tags"), "pinned": _("Pinned"),
            "view": _("Shared view"), "chart": _("Custom chart"), "done": Field(_("What"), choices=DONE),
        }
    )  # fmt: skip
    register_fields(
        {
            "group": _("Group"), "job_type": _("Job type"), "tags": _("Tags"), "notes": _("Notes"),
            "state": Field(_("State"), choices=dict(RunState.choices)), "file": _("File"),
            "bytes": Field(_("Size"), show=show_size), "keys": _("Keys"), "step": _("Step"),
            "kept_in": _("Kept in run"),
        },
        scope="runs.Run",
    )  # fmt: skip
    access = {"access": Field(_("Available to"), choices=dict(ChartAccess.choices))}
    register_fields(access, scope="runs.StoredChart")
