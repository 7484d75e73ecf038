"""Actions on projects and runs; their rows of the matrix in TEAM-21."""

from enum import StrEnum

from django.db.models import Q

from access.actions import ActionSpec, presets, register_actions
from access.grants import register_grants
from access.resources import Resource, register_resource
from runs.grants import RestrictedProjectMembers
from runs.models import Visibility

PROJECT = ("runs.Project",)
RUN = ("runs.Run",)


class ProjectAction(StrEnum):
    """What is done to a project; it is created in a team."""

    VIEW = "project.view"
    CREATE = "project.create"
    UPDATE = "project.update"
    CHANGE_VISIBILITY = "project.change_visibility"
    MANAGE_MEMBERS = "project.manage_members"


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


def _open_project(_user_id: int) -> Q:
    return Q(visibility=Visibility.OPEN)


def _own_run_in_open_project(user_id: int) -> Q:
    """Strangers in an Open project log new runs and go on with their own, not with others'."""
    return Q(project__visibility=Visibility.OPEN, user_id=user_id)


def register() -> None:
    """Tell the engine."""
    seen_by_all, members, admins = presets("V M A O"), presets("M A O"), presets("A O")
    member = presets("M")
    register_actions(
        {
            ProjectAction.VIEW: ActionSpec(PROJECT, seen_by_all, public=True, label="See projects"),
            ProjectAction.CREATE: ActionSpec(("teams.Team",), members, label="Create projects"),
            ProjectAction.UPDATE: ActionSpec(PROJECT, members, label="Edit a project's overview"),
            ProjectAction.CHANGE_VISIBILITY: ActionSpec(PROJECT, admins, label="Change who sees a project"),
            ProjectAction.MANAGE_MEMBERS: ActionSpec(PROJECT, admins, label="Invite to restricted projects"),
            RunAction.VIEW: ActionSpec(RUN, seen_by_all, public=True, label="See runs, history, logs, files"),
            RunAction.LOG: ActionSpec(PROJECT + RUN, members, open=True, label="Log runs"),
            RunAction.UPDATE: ActionSpec(RUN, members, label="Rename, tag, annotate and group runs"),
            RunAction.STOP: ActionSpec(RUN, admins, own=RunAction.STOP_OWN, label="Stop any run"),
            RunAction.STOP_OWN: ActionSpec(RUN, member, label="Stop own runs"),
            RunAction.DELETE: ActionSpec(RUN, admins, own=RunAction.DELETE_OWN, label="Delete any run"),
            RunAction.DELETE_OWN: ActionSpec(RUN, member, label="Delete own runs"),
            RunAction.DELETE_FILES: ActionSpec(
                RUN, admins, own=RunAction.DELETE_OWN_FILES, label="Delete files of any run"
            ),
            RunAction.DELETE_OWN_FILES: ActionSpec(RUN, member, label="Delete files of own runs"),
        }
    )
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
    register_grants(RestrictedProjectMembers())
