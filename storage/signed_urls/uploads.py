"""Uploads that arrived whole, stored together: one transaction for many small files.

(10,000 files of 1 kB: 130 a second each in a transaction of its own, 400 together;
docs/develop/benchmarks.md.)
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import close_old_connections, transaction
from django.utils import timezone

from common.database.group_commit import GroupCommit
from common.errors import DomainError, Unavailable
from storage import filesystem, owners
from storage.contents.writing import PlacedContent
from storage.models import Blob
from storage.services import free_unused, recording, storing

logger = logging.getLogger(__name__)

MAX_GROUP = 128


Key = tuple[int | None, str]
"""Bucket and SHA-256: what is kept once."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came by ticket."""

    ticket: dict[str, Any]
    received: filesystem.ReceivedFile
    placed: PlacedContent | None = None
    """Where it lies in a bucket; None: it goes to the data folder."""

    @property
    def key(self) -> Key:
        """What it is kept once by."""
        return self.placed.bucket_id if self.placed else None, self.received.digest


def store_uploads(uploads: Sequence[Upload]) -> "list[str | Exception]":
    """Store files and what names them; returns for each its SHA-256, or why nothing of it is kept."""
    close_old_connections()
    try:
        return _store_together(uploads) if len(uploads) > 1 else [_store_alone(uploads[0])]
    except Exception as error:  # noqa: BLE001 - one bad file must not fail its group: each is tried alone
        logger.warning("%d uploads could not be stored together, and are one by one: %s", len(uploads), error)
        return [_store_alone(upload) for upload in uploads]
    finally:
        close_old_connections()


def _store_alone(upload: Upload) -> "str | Exception":
    placed = upload.placed
    try:
        with storing(upload.received) if placed is None else recording(placed) as blob:
            owners.receiver_of(upload.ticket["for"]).receive_upload(upload.ticket, blob)
    except Exception as error:  # noqa: BLE001 - whoever waits gets it
        return error
    return upload.received.digest


def _store_together(uploads: Sequence[Upload]) -> "list[str | Exception]":
    received = {upload.key: upload.received for upload in uploads}
    written = {
        upload.key: upload.placed.location for upload in uploads if upload.placed and upload.placed.location
    }
    moved: dict[Key, str] = {}
    try:
        _write_new({key: file for key, file in received.items() if key[0] is None}, moved)
        with transaction.atomic():
            blobs = _record(received, written | moved)
            refusals = _receive(uploads, blobs)
    except BaseException:
        for key, location in moved.items():
            _take_back(location, received[key])
        raise
    for key, location in moved.items():
        if blobs[key].location != location:  # the same content arrived twice at once
            filesystem.delete(location)
    _free_refused(uploads, refusals, blobs)
    return [refusal or upload.received.digest for upload, refusal in zip(uploads, refusals, strict=True)]


def _write_new(received: dict[Key, filesystem.ReceivedFile], moved: dict[Key, str]) -> None:
    """Move contents that are new to their lasting places, before the transaction: SQLite has one writer."""
    digests = [file.digest for file in received.values()]
    known = set(Blob.objects.filter(bucket=None, digest__in=digests).values_list("digest", flat=True))
    for key, each in received.items():
        if each.digest not in known:
            moved[key] = filesystem.location_of(filesystem.move(each))
    filesystem.sync_folders(filesystem.path_of(location).parent for location in moved.values())


def _take_back(location: str, received: filesystem.ReceivedFile) -> None:
    """Undo the move of a content whose group failed, so that it can be stored alone."""
    if not Blob.objects.filter(location=location).exists():
        filesystem.path_of(location).rename(received.path)


def _record(received: dict[Key, filesystem.ReceivedFile], written: dict[Key, str]) -> dict[Key, Blob]:
    """Return the blobs by bucket and digest, having recorded new ones and renewed the others.

    Raises:
        Unavailable: one was swept since it was looked up.
    """
    digests: dict[int | None, list[str]] = defaultdict(list)
    for bucket_id, digest in received:
        digests[bucket_id].append(digest)
    blobs: dict[Key, Blob] = {}
    for bucket_id, some in digests.items():
        rows = Blob.objects.filter(bucket=bucket_id, digest__in=some)
        rows.update(seen_at=timezone.now())
        new = [
            Blob(
                bucket_id=bucket_id, digest=digest, md5=received[bucket_id, digest].md5,
                size_bytes=received[bucket_id, digest].size_bytes, location=written[bucket_id, digest],
            )
            for digest in some
            if (bucket_id, digest) in written
        ]  # fmt: skip
        Blob.objects.bulk_create(new, ignore_conflicts=True)
        blobs |= {(bucket_id, blob.digest): blob for blob in rows.all()}
    if len(blobs) < len(received):
        raise Unavailable("The content of a file was removed meanwhile; send the file again.")
    return blobs


def _receive(uploads: Sequence[Upload], blobs: dict[Key, Blob]) -> "list[DomainError | None]":
    """Let the owners name the blobs, each all of its own at once."""
    refusals: list[DomainError | None] = [None] * len(uploads)
    purposes = [upload.ticket["for"] for upload in uploads]
    for purpose in dict.fromkeys(purposes):
        places = [place for place, each in enumerate(purposes) if each == purpose]
        some = [(uploads[place].ticket, blobs[uploads[place].key]) for place in places]
        for place, refusal in zip(places, owners.receiver_of(purpose).receive_uploads(some), strict=True):
            refusals[place] = refusal
    return refusals


def _free_refused(
    uploads: Sequence[Upload], refusals: "Sequence[DomainError | None]", blobs: dict[Key, Blob]
) -> None:
    """Give up the contents that nobody has named."""
    refused = [blobs[upload.key].pk for upload, refusal in zip(uploads, refusals, strict=True) if refusal]
    if refused:
        free_unused(Blob.objects.filter(pk__in=refused))


group: GroupCommit[Upload, str] = GroupCommit(store_uploads, at_most=MAX_GROUP)
