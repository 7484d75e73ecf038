"""What changes blobs and the ledger."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from common.database.sql import execute_in, execute_many
from common.errors import Unavailable
from storage import filesystem, owners, parts
from storage.buckets.services import backend_of
from storage.contents import writing
from storage.contents.orphans import remove_orphans
from storage.contents.writing import PlacedContent
from storage.models import Blob, Bucket, ByteEntry, Holding

logger = logging.getLogger(__name__)

_FREED_AT_ONCE = 500
UNUSED_FOR = timedelta(hours=24)
"""How long content that nobody uses is kept: uploads under way may still refer to it."""


def record_blob(placed: PlacedContent) -> Blob:
    """Return the blob of content in its lasting place, entering it if it is new; call in a transaction.

    Raises:
        Unavailable: the content was there, and was removed since.
    """
    received = placed.received
    same = Blob.objects.filter(bucket=placed.bucket_id, digest=received.digest)
    is_known = not placed.location or writing.stored_blob(placed.bucket_id, received.digest) is not None
    if is_known and same.update(seen_at=timezone.now()):
        return same.get()
    if not placed.location:
        raise Unavailable("The content of a file was removed meanwhile; send the file again.")
    try:
        with transaction.atomic():
            return Blob.objects.create(
                bucket_id=placed.bucket_id, digest=received.digest, md5=received.md5, size_bytes=received.size_bytes,
                location=placed.location,
            )  # fmt: skip
    except IntegrityError:  # the same content arrived twice at once
        return same.get()


@contextmanager
def storing(received: filesystem.ReceivedFile, team_id: int | None = None) -> Iterator[Blob]:
    """Store what arrived, in a transaction with whatever names it; its content goes again if that fails.

    It is a team's, or nobody's. The content is in its lasting place before the transaction begins, however long a
    bucket takes.
    """
    with recording(writing.place(received, team_id)) as blob:
        yield blob


@contextmanager
def recording(placed: PlacedContent) -> Iterator[Blob]:
    """Enter content that is in its lasting place, in a transaction with whatever names it."""
    try:
        with transaction.atomic():
            yield record_blob(placed)
    finally:  # also where somebody else had stored the same meanwhile
        writing.drop_unless_named((placed.bucket_id, placed.location))


def store_blob(received: filesystem.ReceivedFile) -> Blob:
    """Return the blob of this content, storing it if it is new."""
    with storing(received) as blob:
        return blob


def place_bytes(content: bytes, team_id: int | None = None) -> PlacedContent:
    """Bring bytes that are in memory already where new content goes (`storage.contents.writing.place`)."""
    with filesystem.Incoming() as incoming:
        return writing.place(incoming.finish(content), team_id)


def store_bytes(content: bytes, team_id: int | None = None) -> Blob:
    """Store bytes that are in memory already, for a team or for none."""
    with recording(place_bytes(content, team_id)) as blob:
        return blob


def record_bytes(
    *,
    team_id: int,
    delta_bytes: int,
    category: str,
    project_id: int | None = None,
    run_id: int | None = None,
    user_id: int | None = None,
) -> None:
    """Write a change into the ledger; call in the transaction that makes it."""
    _record_entries(
        [ByteEntry(team_id=team_id, project_id=project_id, run_id=run_id, user_id=user_id, category=category,
                   delta_bytes=delta_bytes)]
    )  # fmt: skip


def settle_bytes(
    *, team_id: int, project_id: int, run_id: int, user_id: int | None, sizes: Mapping[str, int]
) -> None:
    """Record the difference between what a run stores by the ledger and what it really stores, of some categories.

    The caller's transaction has locked the run and measured under that lock.
    """
    owner = {"team_id": team_id, "project_id": project_id, "run_id": run_id}
    rows = execute_in(
        "SELECT category, size_bytes, team_id, project_id FROM storage_holding WHERE run_id IN", [run_id]
    )
    stored = {category: size for category, size, *where in rows if where == [team_id, project_id]}
    _record_entries(
        [
            ByteEntry(**owner, user_id=user_id, category=category, delta_bytes=size - stored.get(category, 0))
            for category, size in sizes.items()
        ]
    )


def _record_entries(entries: Iterable[ByteEntry]) -> None:
    """Write entries, and the balances after them: added up by the database, whoever else writes at the same time."""
    changes = [entry for entry in entries if entry.delta_bytes]
    if not changes:
        return
    ByteEntry.objects.bulk_create(changes, batch_size=500)
    sums: dict[tuple[int, str, int, int], int] = defaultdict(int)
    for entry in changes:
        owner = (entry.run_id or 0, entry.category, entry.team_id, entry.project_id or 0)
        sums[owner] += entry.delta_bytes
    # in one order, so that two who write several rows never wait for each other in a circle
    rows = [(*owner, delta) for owner, delta in sorted(sums.items()) if delta]
    execute_many(
        "INSERT INTO storage_holding (run_id, category, team_id, project_id, size_bytes) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT (run_id, category, team_id, project_id)"
        " DO UPDATE SET size_bytes = storage_holding.size_bytes + excluded.size_bytes",
        rows,
    )
    execute_many(
        "DELETE FROM storage_holding"
        " WHERE run_id = %s AND category = %s AND team_id = %s AND project_id = %s AND size_bytes = 0",
        [tuple(row[:-1]) for row in rows if row[-1] < 0],
    )


def move_bytes(
    *,
    run_ids: Collection[int],
    team_id: int | None = None,
    project_id: int | None = None,
    user_id: int | None = None,
) -> None:
    """Take what runs store from the team, project and person they belonged to, and record it where they are now.

    What is not given stays. The caller's transaction has locked the runs.
    """
    given = {"team_id": team_id, "project_id": project_id, "user_id": user_id}
    there = {name: value for name, value in given.items() if value is not None}
    entered = ByteEntry.objects.filter(run_id__in=run_ids)
    stored = entered.values("run_id", "team_id", "project_id", "user_id", "category").order_by("run_id")
    entries = []
    for row in stored.annotate(stored=Sum("delta_bytes")).exclude(stored=0):
        owner: dict[str, Any] = {name: value for name, value in row.items() if name != "stored"}
        if {**owner, **there} != owner:
            entries += [
                ByteEntry(**owner, delta_bytes=-row["stored"]),
                ByteEntry(**{**owner, **there}, delta_bytes=row["stored"]),
            ]
    _record_entries(entries)


def repair_balances(run_id: int) -> None:
    """Compute the balances of a run anew from its entries; the caller's transaction has locked the run."""
    Holding.objects.filter(run_id=run_id).delete()
    stored = ByteEntry.objects.filter(run_id=run_id).values("team_id", "project_id", "category").order_by()
    Holding.objects.bulk_create(
        Holding(
            team_id=row["team_id"], project_id=row["project_id"] or 0, run_id=run_id, category=row["category"],
            size_bytes=row["stored"],
        )
        for row in stored.annotate(stored=Sum("delta_bytes")).exclude(stored=0)
    )  # fmt: skip


def stored_bytes(**owner: int | str) -> int:
    """Return what a ``team_id``, ``project_id`` or ``run_id`` stores, of one ``category`` if it is given."""
    return Holding.objects.filter(**owner).aggregate(total=Sum("size_bytes"))["total"] or 0


def _delete_unused(unused: QuerySet[Blob], blob: Blob) -> bool:
    """Delete a blob's row if it still is unused; an upload may have renewed it, or named it, since."""
    try:
        with transaction.atomic():
            # an upload that is renewing it holds its row: waiting for it shows what it has made of it
            still = unused.select_for_update().filter(pk=blob.pk).first()
            return still is not None and bool(still.delete()[0])
    except IntegrityError:  # ProtectedError is one, too
        return False


def free_unused(blobs: "QuerySet[Blob]") -> int:
    """Free those of these blobs that nobody uses; returns how many were freed.

    The row goes first: a crash before the content is removed leaves a stray, never a row without content.
    """
    for owner in owners.blob_owners():
        blobs = blobs.exclude(pk__in=owner.used_blobs())
    freed: list[writing.Place] = []
    count = 0
    for blob in blobs.iterator():
        if _delete_unused(blobs, blob):
            freed.append((blob.bucket_id, blob.location))
            count += 1
        if len(freed) >= _FREED_AT_ONCE:
            writing.delete(freed)
            freed.clear()
    writing.delete(freed)
    return count


def sweep() -> int:
    """Free content that nobody has used for UNUSED_FOR, and uploads cut off; returns how many were freed."""
    before = timezone.now() - UNUSED_FOR
    freed = free_unused(Blob.objects.filter(seen_at__lt=before))
    for path in filesystem.abandoned_uploads(before.timestamp()):
        path.unlink(missing_ok=True)
        freed += 1
    return freed + parts.discard_abandoned(before.timestamp())


def sweep_strays() -> int:
    """Remove content that no row has named for UNUSED_FOR: of uploads and sweeps that crashed; returns how many."""
    before = timezone.now() - UNUSED_FOR
    removed = _remove_strays(None, filesystem.locations(before.timestamp()))
    for bucket in Bucket.objects.order_by("pk"):
        try:
            removed += _remove_strays(bucket.pk, backend_of(bucket.pk).keys(before))
        except Unavailable as error:  # the others are swept all the same, and this one the next time
            logger.warning("the bucket %s was not swept: %s", bucket, error)
    return removed


def _remove_strays(bucket_id: int | None, locations: Iterable[str]) -> int:
    def named(some: Collection[str]) -> Iterable[str]:
        kept = set(
            Blob.objects.filter(bucket=bucket_id, location__in=some).values_list("location", flat=True)
        )
        if bucket_id is not None:
            kept.update(*(owner.awaited_locations(bucket_id, some) for owner in owners.blob_owners()))
        return kept

    def remove(orphans: Collection[str]) -> None:
        writing.delete([(bucket_id, location) for location in orphans])

    return remove_orphans(locations, named=named, remove=remove)
