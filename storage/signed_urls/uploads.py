"""Uploads that arrived whole, stored together: one transaction for many small files.

(10,000 files of 1 kB: 130 a second each in a transaction of its own, 400 together;
docs/develop/benchmarks.md.)
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import close_old_connections, transaction
from django.utils import timezone

from common.database.group_commit import GroupCommit
from common.errors import DomainError, Unavailable
from storage import filesystem, owners
from storage.models import Blob
from storage.services import free_unused, storing

logger = logging.getLogger(__name__)

MAX_GROUP = 128


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came by ticket."""

    ticket: dict[str, Any]
    received: filesystem.ReceivedFile


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
    try:
        with storing(upload.received) as blob:
            owners.receiver_of(upload.ticket["for"]).receive_upload(upload.ticket, blob)
    except Exception as error:  # noqa: BLE001 - whoever waits gets it
        return error
    return upload.received.digest


def _store_together(uploads: Sequence[Upload]) -> "list[str | Exception]":
    received = {upload.received.digest: upload.received for upload in uploads}
    written: dict[str, str] = {}
    try:
        _write_new(received, written)
        with transaction.atomic():
            blobs = _record(received, written)
            refusals = _receive(uploads, blobs)
    except BaseException:
        for digest, location in written.items():
            _take_back(location, received[digest])
        raise
    for digest, location in written.items():
        if blobs[digest].location != location:  # the same content arrived twice at once
            filesystem.delete(location)
    _free_refused(uploads, refusals, blobs)
    return [refusal or upload.received.digest for upload, refusal in zip(uploads, refusals, strict=True)]


def _write_new(received: dict[str, filesystem.ReceivedFile], written: dict[str, str]) -> None:
    """Move contents that are new to their lasting places, before the transaction: SQLite has one writer."""
    known = set(Blob.objects.filter(digest__in=list(received)).values_list("digest", flat=True))
    for digest, each in received.items():
        if digest not in known:
            written[digest] = filesystem.location_of(filesystem.move(each))
    filesystem.sync_folders(filesystem.path_of(location).parent for location in written.values())


def _take_back(location: str, received: filesystem.ReceivedFile) -> None:
    """Undo the move of a content whose group failed, so that it can be stored alone."""
    if not Blob.objects.filter(location=location).exists():
        filesystem.path_of(location).rename(received.path)


def _record(received: dict[str, filesystem.ReceivedFile], written: dict[str, str]) -> dict[str, Blob]:
    """Return the blobs by digest, having recorded new ones and renewed the others.

    Raises:
        Unavailable: one was swept since it was looked up.
    """
    digests = list(received)
    Blob.objects.filter(digest__in=digests).update(seen_at=timezone.now())
    new = [
        Blob(
            digest=digest, md5=received[digest].md5, size_bytes=received[digest].size_bytes, location=location
        )
        for digest, location in written.items()
    ]
    Blob.objects.bulk_create(new, ignore_conflicts=True)
    blobs = {blob.digest: blob for blob in Blob.objects.filter(digest__in=digests)}
    if len(blobs) < len(digests):
        raise Unavailable("The content of a file was removed meanwhile; send the file again.")
    return blobs


def _receive(uploads: Sequence[Upload], blobs: dict[str, Blob]) -> "list[DomainError | None]":
    """Let the owners name the blobs, each all of its own at once."""
    refusals: list[DomainError | None] = [None] * len(uploads)
    purposes = [upload.ticket["for"] for upload in uploads]
    for purpose in dict.fromkeys(purposes):
        places = [place for place, each in enumerate(purposes) if each == purpose]
        some = [(uploads[place].ticket, blobs[uploads[place].received.digest]) for place in places]
        for place, refusal in zip(places, owners.receiver_of(purpose).receive_uploads(some), strict=True):
            refusals[place] = refusal
    return refusals


def _free_refused(
    uploads: Sequence[Upload], refusals: "Sequence[DomainError | None]", blobs: dict[str, Blob]
) -> None:
    """Give up the contents that nobody has named."""
    refused = [
        blobs[upload.received.digest].pk for upload, refusal in zip(uploads, refusals, strict=True) if refusal
    ]
    if refused:
        free_unused(Blob.objects.filter(pk__in=refused))


group: GroupCommit[Upload, str] = GroupCommit(store_uploads, at_most=MAX_GROUP)
