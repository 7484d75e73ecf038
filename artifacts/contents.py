"""The bytes that a project holds for its artifacts: taken in, pinned by drafts, counted by versions, given up.

A content is named by its MD5, as the SDK names it, and only within its project: whoever knows the digest of bytes in
another project gets nothing by it. The ledger says what a project holds, from the upload until the collector has it.
"""

from collections.abc import Collection as Some
from collections.abc import Iterable
from datetime import timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from artifacts.models import Content, Entry, Pin, Version
from common.database.sql import execute_in
from runs.models import Project
from storage.models import Blob
from storage.services import record_bytes

CATEGORY = "artifact"
"""Of the ledger of bytes."""
UNUSED_FOR = timedelta(hours=24)
"""How long content is kept that no version and no draft names."""
_AT_ONCE = 500


def hold(project: Project, blob: Blob) -> Content:
    """Return the project's content of these bytes, entering it into the ledger if it is new to the project."""
    return Content.objects.get(pk=hold_all(project, [blob])[blob.md5])


def hold_all(project: Project, blobs: Iterable[Blob]) -> dict[str, int]:
    """Return the keys of the project's contents of these bytes, by MD5; new ones are entered into the ledger."""
    wanted = {blob.md5: blob for blob in blobs}
    known = _renew(project, wanted)
    new = [blob for md5, blob in wanted.items() if md5 not in known]
    try:
        with transaction.atomic():
            known |= _create(project, new)
    except IntegrityError:  # some of the same bytes came twice at once
        others = _renew(project, [blob.md5 for blob in new])
        if not others:
            raise
        known |= others | hold_all(project, [blob for blob in new if blob.md5 not in others])
    return known


def _renew(project: Project, md5s: Some[str]) -> dict[str, int]:
    """Keep from the collector what a project holds of these digests; returns its keys."""
    if not md5s:
        return {}
    Content.objects.filter(project=project, md5__in=list(md5s)).update(seen_at=timezone.now())
    return {md5: pk for md5, (pk, _size) in contents_named(project.pk, md5s).items()}


def _create(project: Project, blobs: Some[Blob]) -> dict[str, int]:
    contents = Content.objects.bulk_create(
        Content(project=project, blob=blob, md5=blob.md5, size_bytes=blob.size_bytes) for blob in blobs
    )
    record_bytes(
        team_id=project.team_id, project_id=project.pk, category=CATEGORY,
        delta_bytes=sum(blob.size_bytes for blob in blobs),
    )  # fmt: skip
    return {content.md5: content.pk for content in contents}


def pin(version_id: int, contents: Iterable[int]) -> None:
    """Keep contents for a draft; call in a transaction. What the collector has taken by then is left out."""
    # PostgreSQL checks foreign keys at the commit only: without the lock the collector could not see the pins
    lock = "FOR KEY SHARE" if connection.vendor == "postgresql" else ""
    names, pins = list(contents), []
    for start in range(0, len(names), _AT_ONCE * 20):
        chunk = names[start : start + _AT_ONCE * 20]
        kept = execute_in("SELECT id FROM artifacts_content WHERE id IN", chunk, lock)
        pins += [Pin(version_id=version_id, content_id=pk) for (pk,) in kept]
    Pin.objects.bulk_create(pins, ignore_conflicts=True, batch_size=_AT_ONCE)


def contents_named(project_id: int, md5s: Some[str]) -> dict[str, tuple[int, int]]:
    """Return (key, size in bytes) of what a project holds of these digests."""
    names, found = list(dict.fromkeys(md5s)), {}
    for start in range(0, len(names), _AT_ONCE * 20):
        rows = execute_in(
            f"SELECT md5, id, size_bytes FROM artifacts_content WHERE project_id = {project_id:d} AND md5 IN",  # noqa: S608
            names[start : start + _AT_ONCE * 20],
        )
        found.update({md5: (pk, size) for md5, pk, size in rows})
    return found


def _of_version(version: Version) -> QuerySet[Content]:
    entries = Entry.objects.filter(version=version, content__isnull=False).values("content_id")
    return Content.objects.filter(pk__in=entries) | Content.objects.filter(pk=version.manifest_id or 0)


def count_committed(version: Version) -> int:
    """Count a version that was committed; returns how many contents it names."""
    return _of_version(version).update(live_count=F("live_count") + 1)


def count_deleted(version: Version) -> None:
    """Count a version as deleted that was live."""
    _of_version(version).update(live_count=F("live_count") - 1, trash_count=F("trash_count") + 1)


def count_restored(version: Version) -> None:
    """Count a version as live that was deleted."""
    _of_version(version).update(live_count=F("live_count") + 1, trash_count=F("trash_count") - 1)


def count_purged(version: Version) -> None:
    """Count a deleted version no more; call before its entries go."""
    _of_version(version).update(trash_count=F("trash_count") - 1, seen_at=timezone.now())


def unused() -> QuerySet[Content]:
    """Return what no version and no draft names, and what nobody has uploaded for UNUSED_FOR."""
    before = timezone.now() - UNUSED_FOR
    return Content.objects.filter(live_count=0, trash_count=0, seen_at__lt=before, pins__isnull=True)
