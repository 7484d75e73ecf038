"""What changes blobs and the ledger."""

from collections.abc import Callable, Collection
from datetime import timedelta
from itertools import islice

from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from storage import local
from storage.models import Blob, ByteEntry

UNUSED_FOR = timedelta(hours=24)
"""How long content that nobody uses is kept: uploads under way may still refer to it."""

UsedBlobs = Callable[[], "QuerySet[Blob, int]"]
_users: list[UsedBlobs] = []


def register_blob_user(used: UsedBlobs) -> None:
    """Add a query of blob ids in use; called in ``AppConfig.ready`` of every app with a key to Blob."""
    if used not in _users:
        _users.append(used)


@transaction.atomic
def keep_blob(received: local.Received) -> Blob:
    """Return the blob of this content, storing it if it is new. Durable when the transaction commits."""
    if Blob.objects.filter(digest=received.digest).update(seen_at=timezone.now()):
        return Blob.objects.get(digest=received.digest)
    location = local.keep(received)
    try:
        with transaction.atomic():
            return Blob.objects.create(
                digest=received.digest, md5=received.md5, size_bytes=received.size_bytes, location=location
            )
    except IntegrityError:  # the same content arrived twice at once
        local.delete(location)
        return Blob.objects.get(digest=received.digest)


def drop_unless_kept(blob: Blob) -> None:
    """Remove the content of a blob whose transaction was undone: no row names it, so no sweep would find it."""
    if not Blob.objects.filter(location=blob.location).exists():
        local.delete(blob.location)


def keep_bytes(content: bytes) -> Blob:
    """Store bytes that are in memory already."""
    with local.Incoming() as incoming:
        incoming.write(content)
        return keep_blob(incoming.finish())


def enter_bytes(
    *, team_id: int, delta_bytes: int, category: str, project_id: int | None = None, run_id: int | None = None
) -> None:
    """Write a change into the ledger; call in the transaction that makes it."""
    if delta_bytes:
        ByteEntry.objects.create(
            team_id=team_id, project_id=project_id, run_id=run_id, category=category, delta_bytes=delta_bytes
        )


def move_bytes(*, run_ids: Collection[int], team_id: int, project_id: int) -> None:
    """Take what runs hold from the team and project they were in, and enter it where they are now."""
    held = ByteEntry.objects.filter(run_id__in=run_ids).values("run_id", "team_id", "project_id", "category")
    entries = []
    for row in held.annotate(delta_bytes=-Sum("delta_bytes")).exclude(delta_bytes=0):
        there = {"team_id": team_id, "project_id": project_id, "delta_bytes": -row["delta_bytes"]}
        entries += [ByteEntry(**row), ByteEntry(**{**row, **there})]
    ByteEntry.objects.bulk_create(entries, batch_size=500)


def held_bytes(**owner: int) -> int:
    """Sum the ledger of a ``team_id``, ``project_id`` or ``run_id``."""
    return ByteEntry.objects.filter(**owner).aggregate(total=Sum("delta_bytes"))["total"] or 0


def _forget(unused: QuerySet[Blob], blob: Blob) -> bool:
    """Delete a blob's row if it still is unused; an upload may have renewed it, or named it, since."""
    try:
        with transaction.atomic():
            # an upload that is renewing it holds its row: waiting for it shows what it has made of it
            still = unused.select_for_update().filter(pk=blob.pk).first()
            return still is not None and bool(still.delete()[0])
    except IntegrityError:  # ProtectedError is one, too
        return False


def sweep() -> int:
    """Free content that nobody has used for UNUSED_FOR, and uploads cut off; returns how many were freed.

    The row goes first: a crash before the content is removed leaves a stray, never a row without content.
    """
    before = timezone.now() - UNUSED_FOR
    unused = Blob.objects.filter(seen_at__lt=before)
    for used in _users:
        unused = unused.exclude(pk__in=used())
    freed = 0
    for blob in unused.iterator():
        if _forget(unused, blob):
            local.delete(blob.location)
            freed += 1
    for path in local.abandoned_uploads(before.timestamp()):
        path.unlink(missing_ok=True)
        freed += 1
    return freed


def sweep_strays() -> int:
    """Remove content that no row has named for UNUSED_FOR: of uploads and sweeps that crashed; returns how many."""
    freed = 0
    old = local.locations((timezone.now() - UNUSED_FOR).timestamp())
    while locations := set(islice(old, 500)):
        named = Blob.objects.filter(location__in=locations).values_list("location", flat=True)
        for location in locations - set(named):
            local.delete(location)
            freed += 1
    return freed
