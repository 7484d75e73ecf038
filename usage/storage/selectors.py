"""What a team or a person stores now.

Read from holdings, never from the ledger, and by the same few queries for any number of rows.
Deleted runs hold their bytes until they are purged; what they hold is shown apart, as the trash.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import BigIntegerField, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from access.actor import Actor
from access.engine import require, visible
from artifacts.retention.storage import ArtifactTrash, trash_by_project, uploading_by_project
from runs.access import ProjectAction
from runs.models import Project, Run
from runs.selectors import deleted_projects_of, runs_of
from storage.models import Holding
from teams.access import TeamAction
from teams.models import Team

CATEGORIES = ("file", "history", "log", "artifact")
"""In the order of pages; history has the system metrics with it."""
_BYTES = BigIntegerField()
_WAITS = Q(purge_began_at__isnull=True)
_COUNTED = {
    "size": Sum("stored"), "freeing": Sum("stored", filter=~_WAITS), "first": Min("deleted_at", filter=_WAITS),
    "last": Max("deleted_at", filter=_WAITS),
}  # fmt: skip


@dataclass(slots=True)
class Trash:
    """What deleted runs and artifacts hold until they are purged."""

    size_bytes: int = 0
    freeing_bytes: int = 0
    """Of those, what is being freed now, since somebody did not want to wait."""
    first: datetime | None = None
    """When the first of the rest is freed; it may be over, and the purge at work."""
    last: datetime | None = None

    def add(self, counted: Mapping[str, Any]) -> None:
        """Count some runs, as `_COUNTED` counts them."""
        retention = timedelta(days=settings.DELETED_KEPT_DAYS)
        self.size_bytes += counted["size"]
        self.freeing_bytes += counted["freeing"] or 0
        if counted["first"]:
            self.first = min(filter(None, (self.first, counted["first"] + retention)))
            self.last = max(filter(None, (self.last, counted["last"] + retention)))


@dataclass(slots=True)
class StoredBytes:
    """Bytes stored of one thing, by category."""

    sizes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CATEGORIES, 0))
    trash: Trash = field(default_factory=Trash)
    artifact_trash_bytes: int = 0
    """Of artifact versions that can be restored."""
    artifact_pending_bytes: int = 0
    """Of artifacts that nothing names any more, or not yet."""
    artifact_uploading_bytes: int = 0
    """Of artifacts, parts of files that are not complete; no plan counts them, so they are not in the other figures."""

    @property
    def total_bytes(self) -> int:
        """All of it, trash included: what counts against a plan."""
        return sum(self.sizes.values())

    @property
    def artifact_live_bytes(self) -> int:
        """Of artifact versions that are not deleted."""
        return max(0, self.sizes["artifact"] - self.artifact_trash_bytes - self.artifact_pending_bytes)

    def add_artifacts(self, found: ArtifactTrash) -> None:
        """Count what no live artifact version needs."""
        self.artifact_trash_bytes += found.trash_bytes
        self.artifact_pending_bytes += found.pending_bytes
        size = found.trash_bytes + found.pending_bytes
        times = {"first": found.first, "last": found.last}
        self.trash.add({"size": size, "freeing": found.pending_bytes, **times})

    @property
    def live_bytes(self) -> int:
        """All but the trash."""
        return max(0, self.total_bytes - self.trash.size_bytes)

    def share_of(self, whole_bytes: int) -> float:
        """Return how much of something it is, percent."""
        return 100 * self.total_bytes / whole_bytes if whole_bytes else 0.0


@dataclass(slots=True)
class ProjectStorage:
    """What is stored in a project."""

    project: Project
    kept: StoredBytes
    percent: float = 0.0
    """Of the largest."""


@dataclass(slots=True)
class Storage:
    """What a team or a person keeps."""

    kept: StoredBytes
    projects: list[ProjectStorage]
    """Those that the viewer may see, largest first; deleted ones among them that can be restored."""
    other: StoredBytes
    """Of all others: projects that the viewer may not see, or that are being freed."""
    other_count: int = 0


def _by_project(team: Team) -> dict[int, StoredBytes]:
    found: dict[int, StoredBytes] = defaultdict(StoredBytes)
    rows = Holding.objects.filter(team_id=team.pk).values_list("project_id", "category").order_by()
    for project_id, category, size in rows.annotate(size=Sum("size_bytes")):
        sizes = found[project_id].sizes
        sizes[category] = sizes.get(category, 0) + size
    return found


def stored_bytes_of_runs() -> Coalesce:
    """Return the expression, in queries on runs, for the bytes of a run."""
    of_run = Holding.objects.filter(run_id=OuterRef("pk")).values("run_id").order_by()
    return Coalesce(
        Subquery(of_run.annotate(stored=Sum("size_bytes")).values("stored"), output_field=_BYTES), 0
    )


def _add_trash(team: Team, found: dict[int, StoredBytes]) -> None:
    deleted = Run.objects.filter(project__team=team, deleted_at__isnull=False, purged_at__isnull=True)
    rows = (
        deleted.order_by().annotate(stored=stored_bytes_of_runs()).filter(stored__gt=0).values("project_id")
    )
    for row in rows.annotate(**_COUNTED):
        found[row["project_id"]].trash.add(row)
    for project_id, unneeded in trash_by_project(found).items():
        found[project_id].add_artifacts(unneeded)
    for project_id, size in uploading_by_project(Project.objects.filter(team=team)).items():
        found[project_id].artifact_uploading_bytes = size


def _total(some: list[StoredBytes]) -> StoredBytes:
    kept = StoredBytes()
    for one in some:
        for category, size in one.sizes.items():
            kept.sizes[category] = kept.sizes.get(category, 0) + size
        kept.artifact_trash_bytes += one.artifact_trash_bytes
        kept.artifact_pending_bytes += one.artifact_pending_bytes
        kept.artifact_uploading_bytes += one.artifact_uploading_bytes
        kept.trash.size_bytes += one.trash.size_bytes
        kept.trash.freeing_bytes += one.trash.freeing_bytes
        if one.trash.first and one.trash.last:
            kept.trash.first = min(filter(None, (kept.trash.first, one.trash.first)))
            kept.trash.last = max(filter(None, (kept.trash.last, one.trash.last)))
    return kept


def storage_of(actor: Actor, team: Team) -> Storage:
    """Return what a team or a person keeps, by project.

    Raises:
        Forbidden: the actor may not see it.
    """
    require(actor, TeamAction.VIEW_USAGE, team)
    found = _by_project(team)
    _add_trash(team, found)
    whole = _total(list(found.values()))
    named = list(visible(actor, ProjectAction.VIEW, Project.objects.live().filter(team=team)))
    named += deleted_projects_of(actor, team)
    projects = [ProjectStorage(row, found.pop(row.pk)) for row in named if row.pk in found]
    projects.sort(key=lambda one: (-one.kept.total_bytes, one.project.name))
    most = projects[0].kept.total_bytes if projects else 0
    for one in projects:
        one.percent = one.kept.share_of(most)
    return Storage(whole, projects, _total(list(found.values())), len(found))


def projects_by_size(actor: Actor, team: Team) -> QuerySet[Project]:
    """Return the visible projects of a team or a person, largest first, with ``stored``."""
    require(actor, TeamAction.VIEW_USAGE, team)
    of_project = (
        Holding.objects.filter(team_id=team.pk, project_id=OuterRef("pk")).values("project_id").order_by()
    )
    sums = of_project.annotate(stored=Sum("size_bytes")).values("stored")
    rows = Project.objects.live().filter(team=team).select_related("team")
    rows = rows.annotate(stored=Coalesce(Subquery(sums, output_field=_BYTES), 0)).order_by("-stored", "-pk")
    return visible(actor, ProjectAction.VIEW, rows)


def runs_by_size(actor: Actor, project: Project) -> QuerySet[Run]:
    """Return the visible runs of a project, largest first, with ``stored``; its team is loaded."""
    require(actor, TeamAction.VIEW_USAGE, project.team)
    rows = runs_of(actor, project).defer(
        "config_text", "config_flat", "pulse__summary_text", "pulse__summary_flat"
    )
    return rows.annotate(stored=stored_bytes_of_runs()).order_by("-stored", "-pk")


def stored_by(**of: list[int]) -> dict[int, StoredBytes]:
    """Return what is stored of each of some projects (``project_id``) or runs (``run_id``); one query."""
    [(name, pks)] = of.items()
    found = {pk: StoredBytes() for pk in pks}
    rows = Holding.objects.filter(**{f"{name}__in": pks}).values_list(name, "category").order_by()
    for pk, category, size in rows.annotate(size=Sum("size_bytes")):
        found[pk].sizes[category] = size
    return found


def stored_in_project(project: Project) -> StoredBytes:
    """Return what is stored of a project, with its trash."""
    kept = stored_by(project_id=[project.pk])[project.pk]
    deleted = Run.objects.filter(project=project, deleted_at__isnull=False, purged_at__isnull=True)
    row = (
        deleted.order_by().annotate(stored=stored_bytes_of_runs()).filter(stored__gt=0).aggregate(**_COUNTED)
    )
    if row["size"]:
        kept.trash.add(row)
    for unneeded in trash_by_project([project.pk]).values():
        kept.add_artifacts(unneeded)
    uploading = uploading_by_project(Project.objects.filter(pk=project.pk))
    kept.artifact_uploading_bytes = uploading.get(project.pk, 0)
    return kept
