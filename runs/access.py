"""Actions on projects and runs; their rows of the matrix in TEAM-21."""

from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.resources.registry import Resource, register_resource
from runs.models import ChartAccess
from runs.names.paths import register_names
from teams.models import Visibility

PROJECT = ("runs.Project",)
RUN = ("runs.Run",)
CHART = ("runs.StoredChart",)


class ProjectAction(StrEnum):
    """What is done to a project; it is created in a team."""

    VIEW = "project.view"
    CREATE = "project.create"
    UPDATE = "project.update"
    CHANGE_VISIBILITY = "project.change_visibility"
    MANAGE_MEMBERS = "project.manage_members"
    DELETE = "project.delete"
    PIN = "project.pin"


class RunAction(StrEnum):
    """What is done to a run; it is logged into a project."""

    VIEW = "run.view"
    LOG = "run.log"
    UPDATE = "run.update"
    STOP = "run.stop"
    STOP_OWN = "run.stop_own"
    DELETE = "run.delete"
    DELETE_OWN = "run.delete_own"
    DELETE_FILES = "run.delete_files"
    DELETE_OWN_FILES = "run.delete_own_files"


class ChartAction(StrEnum):
    """What is done to a chart that a team has stored."""

    VIEW = "chart.view"
    SAVE = "chart.save"


def _open_project(_user_id: int) -> Q:
    return Q(visibility=Visibility.OPEN)


def _own_run_in_open_project(user_id: int) -> Q:
    """Strangers in an Open project log new runs and go on with what they began, for whomever; not with others'."""
    return Q(project__visibility=Visibility.OPEN) & (Q(user_id=user_id) | Q(logged_by_id=user_id))


def register() -> None:
    """Tell the engine."""
    register_actions(_of_projects(), group=_("Projects"))
    register_actions(_of_runs(), group=_("Runs"))
    register_actions(_of_charts(), group=_("Charts"))
    _register_resources()
    register_names()


def _of_projects() -> dict[StrEnum, ActionSpec]:
    seen_by_all, members, admins = presets("V M A O"), presets("M A O"), presets("A O")
    return {
        ProjectAction.VIEW: ActionSpec(
            PROJECT, seen_by_all, public=True, label=_("View projects"),
            help=_("View projects, their overview, workspace and shared views."),
        ),
        ProjectAction.CREATE: ActionSpec(
            ("teams.Team",), members, label=_("Create projects"),
            help=_("Create projects in the team, including by logging a run to a new project."),
        ),
        ProjectAction.UPDATE: ActionSpec(
            PROJECT, members, label=_("Edit projects"),
            help=_("Edit a project’s name and description, and shared views and panels."),
        ),
        ProjectAction.CHANGE_VISIBILITY: ActionSpec(
            PROJECT, admins, label=_("Change project visibility"),
            help=_("Make a project visible to the team, to invited people only, or to everyone."),
        ),
        ProjectAction.MANAGE_MEMBERS: ActionSpec(
            ("teams.Team", *PROJECT), admins, label=_("Invite to restricted projects"),
            help=_("Choose who can access a restricted project, and with which role."),
        ),
        ProjectAction.DELETE: ActionSpec(
            PROJECT, admins, label=_("Delete and restore projects"),
            help=_("Delete projects with all their runs, and restore them while they are kept."),
        ),
        ProjectAction.PIN: ActionSpec(
            PROJECT, admins, label=_("Pin projects"),
            help=_("Choose which projects are listed first on the team’s page."),
        ),
    }  # fmt: skip


def _of_runs() -> dict[StrEnum, ActionSpec]:
    seen_by_all, members, admins, member = presets("V M A O"), presets("M A O"), presets("A O"), presets("M")
    return {
        RunAction.VIEW: ActionSpec(
            RUN, seen_by_all, public=True, label=_("View runs"),
            help=_("View and download charts, configuration, history, system metrics, logs and files of runs."),
        ),
        RunAction.LOG: ActionSpec(
            PROJECT + RUN, members, open=True, label=_("Log runs"),
            help=_("Log new runs to projects, and continue existing runs."),
        ),
        RunAction.UPDATE: ActionSpec(
            RUN, members, label=_("Edit runs"), help=_("Edit the name, notes, tags, group and job type of runs."),
        ),
        RunAction.STOP: ActionSpec(
            RUN, admins, own=RunAction.STOP_OWN, label=_("Stop any run"),
            help=_("Stop any run of the team, regardless of who logs it."),
        ),
        RunAction.STOP_OWN: ActionSpec(
            RUN, member, label=_("Stop own runs"), help=_("Stop own runs while they are logging."),
        ),
        RunAction.DELETE: ActionSpec(
            RUN, admins, own=RunAction.DELETE_OWN, label=_("Delete any run"),
            help=_("Delete, restore, protect and move any run of the team."),
        ),
        RunAction.DELETE_OWN: ActionSpec(
            RUN, member, label=_("Delete own runs"), help=_("Delete, restore, protect and move own runs."),
        ),
        RunAction.DELETE_FILES: ActionSpec(
            RUN, admins, own=RunAction.DELETE_OWN_FILES, label=_("Delete files of any run"),
            help=_("Permanently delete files from any run of the team."),
        ),
        RunAction.DELETE_OWN_FILES: ActionSpec(
            RUN, member, label=_("Delete files of own runs"),
            help=_("Permanently delete files from own runs."),
        ),
    }  # fmt: skip


def _of_charts() -> dict[StrEnum, ActionSpec]:
    return {
        ChartAction.VIEW: ActionSpec(
            CHART, presets("V M A O"), public=True, label=_("View stored charts"),
            help=_("Use the team’s stored custom charts."),
        ),
        ChartAction.SAVE: ActionSpec(
            ("teams.Team", *CHART), presets("M A O"), label=_("Store charts"),
            help=_("Store, edit and delete custom charts for the team."),
        ),
    }  # fmt: skip


def _register_resources() -> None:
    register_resource(
        Resource(
            "runs.Project",
            view=ProjectAction.VIEW,
            team="team",
            organization="team__organization",
            project="pk",
            withheld=Q(visibility=Visibility.RESTRICTED),
            always_reach=frozenset({ProjectAction.CHANGE_VISIBILITY, ProjectAction.MANAGE_MEMBERS}),
            public=Q(visibility__in=(Visibility.PUBLIC, Visibility.OPEN)),
            live=Q(deleted_at__isnull=True),
            reach_deleted=frozenset({ProjectAction.DELETE}),
            open=_open_project,
        )
    )
    register_resource(
        Resource(
            "runs.Run",
            view=RunAction.VIEW,
            team="project__team",
            organization="project__team__organization",
            project="project",
            owner="user_id",
            withheld=Q(project__visibility=Visibility.RESTRICTED),
            public=Q(project__visibility__in=(Visibility.PUBLIC, Visibility.OPEN)),
            open=_own_run_in_open_project,
        )
    )
    register_resource(
        Resource(
            "runs.StoredChart",
            view=ChartAction.VIEW,
            team="team",
            organization="team__organization",
            public=Q(access=ChartAccess.PUBLIC),
        )
    )
