"""What was deleted in a project and can be restored."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import Collection, Membership, Version
from artifacts.versions.deletion import kept_until
from common.formats.numbers import parse_int
from runs.models import Project

_MOST = 200


@dataclass(frozen=True, slots=True)
class Deleted:
    """A deleted collection, or a version that was deleted by itself."""

    name: str
    collection: Collection
    version: Version | None
    size_bytes: int
    deleted_at: datetime
    kept_until: datetime

    @property
    def key(self) -> str:
        """What the form that restores it sends."""
        return f"version-{self.version.pk}" if self.version else f"collection-{self.collection.pk}"


def deleted_collections(actor: Actor, project: Project) -> list[Deleted]:
    """Return the deleted collections that the actor may restore, last deleted first."""
    since = timezone.now() - timedelta(days=settings.DELETED_KEPT_DAYS)
    rows = Collection.objects.filter(project=project, deleted_at__gt=since).select_related("type")
    found = []
    for row in visible(actor, ArtifactAction.DELETE, rows).order_by("-deleted_at")[:_MOST]:
        at = row.deleted_at or timezone.now()
        found.append(Deleted(row.name, row, None, 0, at, at + timedelta(days=settings.DELETED_KEPT_DAYS)))
    return found


def deleted_versions(actor: Actor, project: Project) -> list[Deleted]:
    """Return the versions of live collections that the actor may restore, last deleted first."""
    gone = Version.objects.deleted().filter(collection__project=project, collection__deleted_at__isnull=True)
    seen = visible(actor, ArtifactAction.DELETE, gone)
    places = Membership.objects.filter(version__in=seen, collection_id=F("version__collection_id"))
    rows = places.select_related("version__collection__project__team", "collection")
    return [
        Deleted(
            f"{place.collection.name}:{place.label}", place.collection, place.version, place.version.size_bytes,
            place.version.deleted_at or timezone.now(), kept_until(place.version),
        )
        for place in rows.order_by("-version__deleted_at")[:_MOST]
    ]  # fmt: skip


def find_deleted(actor: Actor, project: Project, key: str, at: datetime | None) -> Deleted | None:
    """Return what a form's ``restore`` names, be it a collection deleted at a time that is not wholly back yet."""
    rows = deleted_collections(actor, project) + deleted_versions(actor, project)
    found = next((row for row in rows if row.key == key), None)
    if found is not None or at is None:
        return found
    begun = Collection.objects.live().filter(
        project=project, pk=parse_int(key.removeprefix("collection-")) or 0
    )
    row = visible(actor, ArtifactAction.DELETE, begun).first()
    return None if row is None else Deleted(row.name, row, None, 0, at, at)
