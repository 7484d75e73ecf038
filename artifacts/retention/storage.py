"""What the artifacts of projects take: in use, in the trash, waiting for the collector; and what takes most of it.

Counted by contents, so that files which several versions have count once, as in the ledger.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet, Sum

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import Collection, Content, Membership, PartsUpload, Use, Version
from artifacts.selectors import own_memberships
from runs.models import Project
from storage import parts

LISTED = 10


@dataclass(slots=True)
class ArtifactTrash:
    """What no live version of a project needs."""

    trash_bytes: int = 0
    """Of versions that can be restored."""
    pending_bytes: int = 0
    """Named by nothing, until the collector comes; files of drafts are among it."""
    first: datetime | None = None
    """When the first version that can be restored was deleted."""
    last: datetime | None = None


def trash_by_project(projects: Iterable[int]) -> dict[int, ArtifactTrash]:
    """Return what no live version of these projects needs, in two queries; projects without any are left out."""
    pks = list(projects)
    deleted = Q(project__deleted_at__isnull=False)
    pending = Q(live_count=0, trash_count=0)
    unneeded = Content.objects.filter(Q(live_count=0) | deleted, project__in=pks).order_by()
    sums = unneeded.values("project_id", "project__deleted_at").annotate(
        trash=Sum("size_bytes", filter=~pending), pending=Sum("size_bytes", filter=pending)
    )
    found = {
        row["project_id"]: ArtifactTrash(
            row["trash"] or 0, row["pending"] or 0, row["project__deleted_at"], row["project__deleted_at"]
        )
        for row in sums
    }
    gone = Version.objects.deleted().filter(collection__project__in=list(found)).order_by()
    times = gone.values_list("collection__project_id").annotate(Min("deleted_at"), Max("deleted_at"))
    for project_id, first, last in times:
        one = found[project_id]
        one.first = min(filter(None, (one.first, first)))
        one.last = max(filter(None, (one.last, last)))
    return found


def uploading_by_project(projects: QuerySet[Project]) -> dict[int, int]:
    """Return the bytes of files that come in parts and are not complete, by project; the ledger has them only then."""
    sizes = parts.sizes()
    found: dict[int, int] = {}
    if not sizes:
        return found
    uploads = PartsUpload.objects.filter(key__in=list(sizes), version__collection__project__in=projects)
    for project_id, key in uploads.values_list("version__collection__project_id", "key"):
        found[project_id] = found.get(project_id, 0) + sizes[key]
    return found


def _seen(actor: Actor, project: Project) -> QuerySet[Version]:
    return visible(
        actor, ArtifactAction.VIEW, Version.objects.live().filter(collection__project=project)
    ).order_by()


def largest_collections(actor: Actor, project: Project) -> list[Collection]:
    """Return the collections of a project whose versions are the largest, with ``stored``."""
    rows = Collection.objects.live().filter(project=project).select_related("type", "project__team")
    sized = visible(actor, ArtifactAction.VIEW, rows).annotate(
        stored=Sum("versions__size_bytes", filter=Q(versions__deleted_at__isnull=True))
    )
    return list(sized.filter(stored__gt=0).order_by("-stored", "pk")[:LISTED])


def largest_versions(actor: Actor, project: Project) -> list[Membership]:
    """Return the largest versions of a project."""
    rows = own_memberships(_seen(actor, project).filter(size_bytes__gt=0))
    return list(rows.order_by("-version__size_bytes", "pk")[:LISTED])


def oldest_unused(actor: Actor, project: Project) -> list[Membership]:
    """Return the versions that no run has used, oldest first."""
    unused = _seen(actor, project).filter(~Exists(Use.objects.filter(version=OuterRef("pk"))))
    return list(own_memberships(unused).order_by("version__committed_at", "pk")[:LISTED])
