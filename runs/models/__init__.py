"""Projects, runs, and what belongs to a run besides its points."""

from runs.models.change import RunChange
from runs.models.file import AnnouncedFile, RefusedFile, RunFile
from runs.models.log import BadLine, LogBlock, RefusedPosts
from runs.models.project import (
    FormerProjectName,
    Project,
    ProjectAccessRequest,
    ProjectMember,
    ProjectQuerySet,
)
from runs.models.run import (
    HOST_JOB_TYPE,
    Pulse,
    Run,
    RunAlert,
    RunAlias,
    RunHost,
    RunQuerySet,
    RunWriter,
    StateChange,
    is_listed,
)
from runs.models.saved_view import ChartAccess, SavedView, StoredChart, ViewDraft, ViewVersion

__all__ = [
    "HOST_JOB_TYPE",
    "AnnouncedFile",
    "BadLine",
    "ChartAccess",
    "FormerProjectName",
    "LogBlock",
    "Project",
    "ProjectAccessRequest",
    "ProjectMember",
    "ProjectQuerySet",
    "Pulse",
    "RefusedFile",
    "RefusedPosts",
    "Run",
    "RunAlert",
    "RunAlias",
    "RunChange",
    "RunFile",
    "RunHost",
    "RunQuerySet",
    "RunWriter",
    "SavedView",
    "StateChange",
    "StoredChart",
    "ViewDraft",
    "ViewVersion",
    "is_listed",
]
